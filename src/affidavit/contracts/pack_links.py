"""What the members of a pack say of each other (level strict): the same run, the same limits, the same files.

Each check is given whole documents that may be of any form: what is unsound in them is their own contracts' business.
"""

from __future__ import annotations

from ..canon.order import in_order
from ..canon.profiles import RAW
from ..rules.model import Fault
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def look(value: object, *names: str) -> Any:
    """The member below members; None where there is none."""
    for name in names:
        value = value.get(name) if type(value) is dict else None
    return value


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in an array; none where it is no array."""
    return [item for item in value if type(item) is dict] if type(value) is list else []


def _same(what: str, told: object, wanted: object, of: str) -> Iterator[Fault]:
    if told != wanted or type(told) is not type(wanted):
        yield Fault(f"{what} {shown(wanted)}, as {of} says", shown(told))


def ledger_and_run(entries: list[Any], run: Any) -> Iterator[Fault]:
    """The line is the run's own, and the only one. Another writer may have put the execution mode into `mode`."""
    if len(entries) != 1:
        yield Fault("exactly one line", "none" if not entries else "more than one")
    for entry in objects(entries)[:1]:
        for what, wanted in (
            ("run_id", look(run, "run_id")),
            ("intent_sha256", look(run, "intent", "sha256")),
            ("bundle_sha256", look(run, "bundle", "sha256")),
            ("result_kind", look(run, "kernel_result_kind")),
            ("accepted", look(run, "decision", "accepted")),
            ("mode", look(run, "model_mode")),
            ("policy", look(run, "policy", "name")),
        ):
            told = entry.get(what)
            if what != "mode" or told not in ("plan-only", "execute-sandbox"):
                yield from _same(what, told, wanted, "run.json")


def runner_and_run(runner: Any, run: Any) -> Iterator[Fault]:
    """The limits that were applied are the policy's."""
    for name in ("timeout_ms", "max_output_files", "max_total_output_bytes"):
        yield from _same(
            f"limits.{name}", look(runner, "limits", name), look(run, "policy", name), "the policy in run.json"
        )


def _by_path(items: list[dict[str, Any]], kind: str, kinds: tuple[str, ...]) -> dict[str, Any]:
    """Contents by path, of the items whose member `kind` is one of `kinds`."""
    return {
        item["path"]: item.get("content") for item in items if item.get(kind) in kinds and type(item.get("path")) is str
    }


def patch_and_bundle(patch: Any, bundle: Any) -> Iterator[Fault]:
    """What the patch writes is what the bundle puts out, path by path and text by text."""
    written = _by_path(objects(look(patch, "operations")), "op", ("create", "modify"))
    put_out = _by_path(objects(look(bundle, "outputs")), "type", ("file",))
    for path in in_order({**written, **put_out}):
        if path not in put_out:
            yield Fault("no file that the bundle does not put out", shown(path))
        elif path not in written:
            yield Fault(f"the file {shown(path)}, which the bundle puts out", "no operation that writes it")
        elif written[path] != put_out[path]:
            yield Fault(f"for {shown(path)} the content that the bundle has", "another")


def evidence_and_patch(evidence: Any, patch: Any) -> Iterator[Fault]:
    """The same proposal; and where an action of the patch was done, it had the patch's content."""
    yield from _same("proposal_id", look(evidence, "proposal_id"), look(patch, "source_proposal_id"), "patch.json")
    yield from _same(
        "proposal_hash", look(evidence, "proposal_hash"), look(patch, "source_proposal_hash"), "patch.json"
    )
    operations = objects(look(patch, "operations"))
    for action in ("create", "modify"):
        contents = _by_path(operations, "op", (action,))
        for result in objects(look(evidence, "action_results")):
            path = result.get("path")
            text = contents.get(path) if type(path) is str else None
            if result.get("action") == action and result.get("exit_code") == 0 and type(text) is str:
                real = RAW.digest(text.encode("utf-8", "surrogatepass")).content_hash
                yield from _same(f"for {shown(path)} the hash", result.get("sha256"), real, "patch.json")


def model_io_and_run(session: Any, run: Any) -> Iterator[Fault]:
    """A session is there because the run recorded or replayed it."""
    yield from _same("mode", look(session, "mode"), look(run, "model_mode"), "run.json")


#: By the file that a finding is about, and the files that it is held against.
LINKS: dict[tuple[str, tuple[str, ...]], Callable[..., Iterator[Fault]]] = {
    ("ledger.jsonl", ("run.json",)): ledger_and_run,
    ("runner.json", ("run.json",)): runner_and_run,
    ("patch.json", ("bundle.json",)): patch_and_bundle,
    ("evidence.json", ("patch.json",)): evidence_and_patch,
    ("model_io.json", ("run.json",)): model_io_and_run,
}

"""What a run leaves: which files it should have, and which files its result tells the digests of (contracts 4.2)."""

from __future__ import annotations

from . import run_status
from .artifact_index import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

RUN = "run.json"
RUN_MANIFEST = "run_manifest.json"
SUMMARY = "summary.json"
POLICY = "policy.json"
BUNDLE = "bundle.json"
INTENT = "intent.json"
#: Where the outputs of a run stand.
OUTPUTS = "outputs/"

_PLAN_RUN = (
    run_status.NAME,
    RUN_MANIFEST,
    "expected_matrix.generated.json",
    "expected_matrix.json",
    "mismatch_summary.json",
    "mismatch_packets.jsonl",
    SUMMARY,
    "summary.md",
)
_BY_LANE = {
    "baseline": ("baseline_results.json", "path_witnesses.json"),
    "scenario": ("runtime_results.json", "runtime_events.normalized.json", "path_witnesses.json"),
    "oracle": ("oracle_results.json",),
}


def expected_members(documents: dict[str, Any]) -> list[str]:
    """The members that a run should have, from what its own documents say (contracts 4.2)."""
    status = documents.get(run_status.NAME)
    if type(status) is not dict:
        return [run_status.NAME]
    if status.get("plan_id") == run_status.HARNESS:
        result = documents.get(RUN)
        found = [run_status.NAME, RUN, POLICY, INTENT, *([BUNDLE] if member(result, "bundle") is not None else [])]
        if member(result, "execution") is not None:
            found += ["runner.json", "evidence.json", "patch.json"]
        if type(result) is not dict:
            return found
        return found + [path for path, _, _ in references(result) if path not in found]
    return members_of_plan_run(member(documents.get(SUMMARY), "lanes"))


def members_of_plan_run(lanes: object) -> list[str]:
    """What a plan run has, whatever it did, and what each lane that was on adds."""
    found = dict.fromkeys(_PLAN_RUN)
    for lane, names in _BY_LANE.items():
        if member(lanes, lane) is True:
            found.update(dict.fromkeys(names))
    return list(found)


def references(result: dict[str, Any]) -> Iterator[tuple[str, object, tuple[str | int, ...]]]:
    """Each file that a result tells the digest of, the digest, and where it does."""
    yield INTENT, member(member(result, "intent"), "sha256"), ("intent", "sha256")
    execution = member(result, "execution")
    for name in ("stdout", "stderr") if execution is not None else ():
        yield name, member(execution, f"{name}_sha256"), ("execution", f"{name}_sha256")
    outputs = member(execution, "outputs")
    for index, output in enumerate(outputs if type(outputs) is list else ()):
        path = member(output, "path")
        if type(path) is str and is_safe(OUTPUTS + path):
            yield OUTPUTS + path, member(output, "sha256"), ("execution", "outputs", index, "sha256")


def member(value: object, name: str) -> Any:
    """The member of an object; None where there is none, or no object."""
    return value.get(name) if type(value) is dict else None

"""A run directory: what its index, its status and its files say of each other (seed 003, section 1; contracts 4.2-4.4).

Pure: `Observed` is what was read of the directory, by whoever may read; the rules hold its parts against each other. A
place in a run directory is the path of a file in it; where the file is a document, `within` is the place there.
"""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL
from ..canon.reader import MAX_BYTES
from ..rules.engine import MOST_FINDINGS
from ..rules.model import Contract, Fault, Finding, Report, Rule, Unchecked
from ..rules.shape import Anything
from ..shown import shown
from ..values import pointer
from . import artifact_index, run_status
from .run_members import BUNDLE, INTENT, POLICY, RUN, RUN_MANIFEST, SUMMARY, expected_members, member, references

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..values import Level

    Verify = Callable[..., Report]

#: The documents that are verified where they stand in a run directory, and the module of each.
KNOWN = {
    run_status.NAME: "run_status",
    RUN_MANIFEST: "run_manifest",
    RUN: "run",
    POLICY: "policy",
    SUMMARY: "summary",
    BUNDLE: "bundle",
    INTENT: "intent",
    "runner.json": "runner",
    "evidence.json": "evidence",
    "patch.json": "patch",
    "model_io.json": "model_io",
    "apply_preflight.json": "apply_preflight",
    "expected_matrix.generated.json": "expected_matrix",
    "expected_matrix.json": "expected_matrix",
    "runtime_results.json": "runtime_results",
    "runtime_events.normalized.json": "runtime_events",
    "baseline_results.json": "baseline_results",
    "oracle_results.json": "oracle_results",
    "mismatch_summary.json": "mismatch_summary",
    "mismatch_packets.jsonl": "mismatch_packets",
    "path_witnesses.json": "path_witnesses",
    "repair_log.json": "repair_log",
}
#: Read before the others, which are held against them.
FIRST = (run_status.NAME, RUN, POLICY, RUN_MANIFEST, SUMMARY)
#: Kept until all is read; any other document is examined as it comes by.
KEPT = frozenset(FIRST)

_SAME = ("run_id", "world_id")
_SAME_PLAN = ("channel", "plan_id", "plan_digest")
_NOT_COMPAT: tuple[Level, ...] = ("spec", "strict")
_STRICT: tuple[Level, ...] = ("strict",)


def most_bytes(name: str) -> int:
    """How much of a document is read (contracts 1)."""
    return 2 * MAX_BYTES if name == "model_io.json" else MAX_BYTES


class Observed:
    """What was read of a run directory. Paths are relative to it; `entries` are those of the index, once its own rules
    hold. `unread` says of a document that could not be read (expected, found, where)."""

    __slots__ = (
        "bundle_sha256",
        "differing",
        "documents",
        "entries",
        "files",
        "findings",
        "ids",
        "index",
        "index_is_canonical",
        "irregular",
        "level",
        "missing",
        "name",
        "not_checked",
        "proposal",
        "schemas",
        "size",
        "unread",
    )

    def __init__(self, name: str, level: Level) -> None:
        self.name = name
        self.level = level
        self.files: set[str] = set()
        self.irregular: dict[str, str] = {}
        self.index: Any = None
        self.index_is_canonical = False
        self.entries: dict[str, dict[str, Any]] | None = None
        self.missing: list[str] = []
        self.size = 0
        self.bundle_sha256: str | None = None
        #: Of the proposal that a sound bundle of this version comes to: what evidence must name.
        self.proposal: dict[str, str] | None = None
        self.documents: dict[str, Any] = {}
        self.ids: dict[str, tuple[object, object]] = {}
        self.schemas: dict[str, str | None] = {}
        self.unread: dict[str, tuple[str, str]] = {}
        self.differing: list[tuple[str, str, str]] = []
        self.findings: list[Finding] = []
        self.not_checked: list[Unchecked] = []

    @property
    def state(self) -> str | None:
        """How far the run says it is; None where it does not say."""
        state = member(self.documents.get(run_status.NAME), "state")
        return state if type(state) is str else None

    def take_index(self, value: object, *, is_canonical: bool) -> None:
        """The index, and where its entries stand below this directory."""
        self.index = value
        self.index_is_canonical = is_canonical
        report = artifact_index.verify_artifact_index(value, level=self.level)
        self._embed("RD2", artifact_index.NAME, report)
        if report.ok:
            index: Any = value
            start = len(artifact_index.prefix_of(entry["path"] for entry in index["artifacts"]))
            self.entries = {entry["path"][start:]: entry for entry in index["artifacts"]}
            self.missing = [path[start:] for path in index["missing"]]
            self.size = sum(int(entry["file_size"]) for entry in index["artifacts"])

    def take_document(self, name: str, value: object) -> None:
        """A document of a name that a run directory knows."""
        if name in KEPT:
            self.documents[name] = value
        if name == BUNDLE:
            self.bundle_sha256 = KERNEL.digest(value).content_hash
        if type(value) is dict:
            self.ids[name] = (value.get("run_id"), value.get("world_id"))
        for place, report in self._reports(name, value):
            self._embed("RD9", name, report, place)
            if name == BUNDLE and report.ok:
                from .proposal import reference_of

                self.proposal = reference_of(value)  # type: ignore[arg-type]  # a sound bundle

    def _reports(self, name: str, value: object) -> Iterator[tuple[str, Report]]:
        if name not in KNOWN:
            return
        verify = _verifier(KNOWN[name])
        if name.endswith(".jsonl"):
            lines: Any = value
            for number, line in enumerate(lines):
                yield pointer(number), verify(line, level=self.level)
            return
        more: dict[str, Any] = {}
        if name == RUN and type(self.documents.get(POLICY)) is dict:
            more["policy"] = self.documents[POLICY]
        limit = member(member(self.documents.get(RUN), "policy"), "max_total_output_bytes")
        if name == "patch.json" and type(limit) is int:
            more["limit"] = limit
        if name == "evidence.json":
            more["proposal"] = self.proposal
        yield "", verify(value, level=self.level, **more)

    def _embed(self, rule_id: str, name: str, report: Report, place: str = "") -> None:
        """What was found in a document. One of a run that failed may be unfinished, and claims nothing: that its own
        rules do not hold is told, and refuses nothing."""
        for found in report.findings:
            within = f"{found.rule_id}: {place}{found.path}".rstrip(": ")
            finding = Finding(rule_id, name, found.expected, found.found, within=within)
            if rule_id == "RD9" and self.state == "failed" and name != run_status.NAME:
                self.leave(rule_id, f"{name}, of a run that failed: {finding.message}")
            elif len(self.findings) < MOST_FINDINGS:
                self.findings.append(finding)
        for left in report.not_checked:
            self.leave(rule_id, f"{name}: {left.rule_id}: {left.reason}")

    def leave(self, rule_id: str, reason: str) -> None:
        if len(self.not_checked) < MOST_FINDINGS:
            self.not_checked.append(Unchecked(rule_id, reason))


def _verifier(module: str) -> Verify:
    # a contract is loaded when a directory holds its document; __import__, not importlib: that is another import
    name = f"{__package__}.{module}"
    found: Verify = getattr(__import__(name, fromlist=[module]), f"verify_{module}")
    return found


# The rules. Each is given what was observed; a fault's first step is the file that it is about, the others the place.


def _has_ended(run: Observed) -> Iterator[Fault]:
    if run.state == "in_progress":
        yield Fault("a run that has ended", '"in_progress"', run_status.NAME, "state")


def _has_an_index(run: Observed) -> Iterator[Fault]:
    if run.index is None and artifact_index.NAME not in run.unread:
        found = run.irregular.get(artifact_index.NAME, "no such file")
        yield Fault("an index, which commits the run", found, artifact_index.NAME)


def _could_be_read(run: Observed) -> Iterator[Fault]:
    if artifact_index.NAME in run.unread:
        yield Fault(*run.unread[artifact_index.NAME], artifact_index.NAME)


def _are_as_indexed(run: Observed) -> Iterator[Fault]:
    for path, expected, found in run.differing:
        yield Fault(expected, found, path)


def _is_indexed(run: Observed) -> Iterator[Fault]:
    if run.entries is not None:
        for path in run.files - run.entries.keys():
            if path != artifact_index.NAME:
                yield Fault("an entry in the index for each file", "a file without one", path)


def _is_regular(run: Observed) -> Iterator[Fault]:
    for path, kind in run.irregular.items():
        if path != artifact_index.NAME and (run.entries is None or path not in run.entries):
            yield Fault("regular files and nothing else", kind, path)


def _is_named_as_its_directory(run: Observed) -> Iterator[Fault]:
    told = member(run.index, "run_id")
    if run.entries is not None and told != run.name:
        yield Fault(f"{shown(run.name)}, as its directory is called", shown(told), artifact_index.NAME, "run_id")


def _agree(*names: str) -> Callable[[Observed], Iterator[Fault]]:
    """A check that documents name the run and the world that the index names."""

    def check(run: Observed) -> Iterator[Fault]:
        for name in names or sorted(run.ids):
            for which, told in zip(_SAME, run.ids.get(name, (None, None)), strict=True):
                wanted = member(run.index, which)
                if run.entries is not None and told is not None and told != wanted:
                    yield Fault(f"{shown(wanted)}, as the index says", shown(told), name, which)

    return check


def _plans_agree(run: Observed) -> Iterator[Fault]:
    status, manifest = run.documents.get(run_status.NAME), run.documents.get(RUN_MANIFEST)
    for which in _SAME_PLAN if status is not None and manifest is not None else ():
        wanted, told = member(status, which), member(manifest, which)
        if told != wanted:
            yield Fault(f"{shown(wanted)}, as {run_status.NAME} says", shown(told), RUN_MANIFEST, which)


def _status_fits_state(run: Observed) -> Iterator[Fault]:
    told, state = member(run.index, "status"), run.state
    if run.entries is not None and state in ("complete", "failed") and (told == "failed") != (state == "failed"):
        wanted = '"failed"' if state == "failed" else '"ok" or "partial"'
        yield Fault(f"{wanted}, as the state is {state}", shown(told), artifact_index.NAME, "status")


def _schemas_are_the_files(run: Observed) -> Iterator[Fault]:
    for path, entry in (run.entries or {}).items():
        told = entry.get("schema_version")
        if told is None and (path not in run.schemas or (run.level == "compat" and "schema_version" not in entry)):
            continue
        if told != run.schemas.get(path):
            wanted = f"{shown(run.schemas.get(path))} in the index, as the file says"
            yield Fault(wanted, shown(told), path, "schema_version")


def _is_absent(run: Observed) -> Iterator[Fault]:
    for path in run.missing:
        if path in run.files or path in run.irregular:
            yield Fault("no such file, as the index calls it missing", "one", path)


def _absence_is_told(run: Observed) -> Iterator[Fault]:
    if run.entries is not None and run.state == "complete":
        told = set(run.missing)
        for path in expected_members(run.documents):
            if path not in run.files and path not in told:
                yield Fault("it among what the index calls missing", "neither there nor missing", path)


def _result_is_of_these_files(run: Observed) -> Iterator[Fault]:
    """What run.json says of the files beside it, where they are there."""
    result, entries = run.documents.get(RUN), run.entries or {}
    if run.state == "failed" or type(result) is not dict:
        return
    reference = member(member(result, "bundle"), "sha256")
    if run.bundle_sha256 is not None and reference != run.bundle_sha256:
        yield Fault(f"{shown(run.bundle_sha256)}, the hash of {BUNDLE}", shown(reference), RUN, "bundle", "sha256")
    policy = run.documents.get(POLICY)
    if policy is not None and canonical(policy) != canonical(member(result, "policy")):
        yield Fault(f"the policy that {RUN} embeds", "another", POLICY)
    for path, told, place in references(result):
        if path in entries and told != (wanted := f"sha256:{entries[path]['sha256']}"):
            yield Fault(f"{wanted}, the digest of {shown(path)}", shown(told), RUN, *place)


def _own_index_is_canonical(run: Observed) -> Iterator[Fault]:
    status = run.documents.get(run_status.NAME)
    is_ours = type(status) is dict and "writer_boot_id" in status
    if not is_ours or run.entries is None:
        return
    if not run.index_is_canonical:
        yield Fault("its canonical bytes and one line end", "other bytes", artifact_index.NAME)
    for number, entry in enumerate(member(run.index, "artifacts")):
        # absent reads as null, but we never leave it out: somebody else did
        if "schema_version" not in entry:
            yield Fault("schema_version in each entry of ours", "none", artifact_index.NAME, "artifacts", number)


def _documents_could_be_read(run: Observed) -> Iterator[Fault]:
    for name, (expected, found) in run.unread.items():
        if name != artifact_index.NAME:
            if run.state == "failed" and name != run_status.NAME:
                run.leave("RD9", f"{name}, of a run that failed: expected {expected}, found {found}")
            else:
                yield Fault(expected, found, name)


RUN_DIRECTORY = Contract(
    "run directory",
    "run-directory",
    lambda _level: Anything(),
    (
        Rule("RD1", "the run has ended", _has_ended),
        Rule("RD2", "there is an index", _has_an_index),
        Rule("RD2", "the index is JSON", _could_be_read),
        Rule("RD2", "the index keeps its own rules"),
        Rule("RD3", "each file is there, as long and with the content that the index says", _are_as_indexed),
        Rule("RD4", "each file is indexed", _is_indexed),
        Rule("RD4", "there are regular files alone", _is_regular),
        Rule("RD5", "the run is called as its directory", _is_named_as_its_directory),
        Rule("RD5", "documents name one run and one world", _agree(run_status.NAME, RUN_MANIFEST, RUN)),
        Rule("RD5", "all documents name them", _agree(), levels=_STRICT),
        Rule("RD5", "status and manifest name one plan", _plans_agree, levels=_STRICT),
        Rule("RD6", "the index's status fits the run's state", _status_fits_state),
        Rule("RD7", "the index tells each file's schema", _schemas_are_the_files),
        Rule("RD8", "what is missing is not there", _is_absent),
        Rule("RD8", "what should be there is there or missing", _absence_is_told, levels=_STRICT),
        Rule("RD9", "known documents are JSON", _documents_could_be_read),
        Rule("RD9", "known documents keep their own rules"),
        Rule("RD11", "the result speaks of the files beside it", _result_is_of_these_files),
        Rule("RD10", "an index of ours is canonical bytes", _own_index_is_canonical, levels=_NOT_COMPAT),
    ),
)
#: What an older writer's directory may break at `compat`; it is said, and refuses nothing (contracts 4.4).
_TOLD_ONLY = {("RD4", _is_indexed), ("RD5", _is_named_as_its_directory)}
_NEEDS_THE_INDEX = ("RD3", "RD4", "RD6", "RD7", "RD8")


def examine_run(run: Observed) -> Report:
    """RD1-RD10 over what was read."""
    checked: list[str] = []
    findings = run.findings
    for rule in RUN_DIRECTORY.rules:
        if run.level not in rule.levels or (run.entries is None and rule.id in _NEEDS_THE_INDEX):
            continue
        checked.append(rule.id)
        for fault in rule.check(run) if rule.check is not None else ():
            name, *steps = fault.steps
            found = Finding(rule.id, str(name), fault.expected, fault.found, within=pointer(*steps))
            if run.level == "compat" and (rule.id, rule.check) in _TOLD_ONLY:
                run.leave(rule.id, f"{name}: {found.message}")
            elif len(findings) < MOST_FINDINGS:
                findings.append(found)
    if run.entries is None:
        why = f"needs {artifact_index.NAME}, which is not sound"
        run.not_checked += [Unchecked(rule_id, why) for rule_id in _NEEDS_THE_INDEX]
    if len(findings) >= MOST_FINDINGS:
        run.not_checked.append(Unchecked("RD3", f"findings beyond the first {MOST_FINDINGS} are not listed"))
    if run_status.NAME not in run.files:
        run.leave("RD1", f"{run_status.NAME} is not there: nothing says how the run ended")
    facts = {
        "run_id": member(run.index, "run_id"),
        "status": member(run.index, "status"),
        "artifacts": len(run.entries or ()),
        "bytes": run.size,
        "missing": run.missing,
    }
    return Report(RUN_DIRECTORY.document, _once(findings), checked, run.not_checked, facts)


def _once(findings: list[Finding]) -> list[Finding]:
    """A stricter rule says again what a laxer one has said."""
    return list(dict.fromkeys(findings))

"""A pack: what a run hands over, a flat directory of at most nine files that anyone can verify (seed 004, PK1-PK12;
contracts 2.10).

What the pack is lies in a Manifest and is read through a Reader, each member once: the bytes that are verified are the
bytes that are hashed. Opening directories and archives is not done here.
"""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.order import in_order
from ..canon.profiles import KERNEL
from ..canon.reader import MAX_BYTES, read
from ..canon.syntax import check_syntax
from ..errors import ParseError
from ..manifest import Unfit
from ..rules.engine import MOST_FINDINGS, structure
from ..rules.model import Contract, Fault, Finding, Report, Rule, Unchecked
from ..rules.shape import Anything
from ..shown import shown
from ..values import LEVELS, is_content_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from ..manifest import Manifest, Reader
    from ..values import Level

    Verify = Callable[["Examination", object], Report]

RUN, BUNDLE, PATCH, EVIDENCE = "run.json", "bundle.json", "patch.json", "evidence.json"
LEDGER, POLICY, MODEL_IO, RUNNER, META = "ledger.jsonl", "policy.json", "model_io.json", "runner.json", "meta.json"

#: Every name a pack may hold (3.1), in the order in which they are read: what others are held against comes first.
MEMBERS = (RUN, BUNDLE, POLICY, PATCH, EVIDENCE, RUNNER, LEDGER, META, MODEL_IO)

#: Whose rule speaks when a member is not sound (contracts 2.10).
RULE_OF = {
    RUN: "PK3",
    BUNDLE: "PK4",
    LEDGER: "PK9",
    **dict.fromkeys((PATCH, EVIDENCE, POLICY, MODEL_IO, RUNNER, META), "PK8"),
}

#: What an outcome forbids (3.2).
FORBIDDEN = {"BUNDLE": (), "CLARIFY": (PATCH, EVIDENCE), "REFUSE": (BUNDLE, PATCH, EVIDENCE)}

MODEL_IO_BYTES = 2 * MAX_BYTES
#: A pack holds one run's line. A file beyond this is refused, so that no pack takes hours.
LEDGER_BYTES = 1 << 30
MOST_ENTRIES = 10_000

_SPEC: tuple[Level, ...] = ("spec",)
_STRICT: tuple[Level, ...] = ("strict",)
_TODAY: tuple[Level, ...] = ("spec", "strict")
_UNFIT_RULE = {"symlink": "PK6", "irregular": "PK12", "archive": "ZIP"}


class Examination:
    """One pack while it is verified: its members' values, and what was found so far."""

    def __init__(self, manifest: Manifest, reader: Reader, level: Level) -> None:
        self.manifest = manifest
        self.level = level
        self.names = {entry.name for entry in manifest.entries}
        self.values: dict[str, Any] = {}  # of members that could be read; large ones only as long as rules need them
        self.verified: list[str] = []
        self.findings: list[Finding] = []
        self.checked: list[str] = []
        self.not_checked: list[Unchecked] = []
        self.reference_checks: list[dict[str, Any]] = []
        self.bundle_hash: str | None = None  # where verifying the bundle computed it
        self._reader = reader
        regular = {entry.name for entry in manifest.entries if entry.kind == "file"}
        for name in MEMBERS:
            if name in regular:
                self._examine_member(name)

    @property
    def outcome(self) -> str | None:
        """The run's outcome, None where run.json does not tell it."""
        run = self.values.get(RUN)
        kind = run.get("kernel_result_kind") if type(run) is dict else None
        return kind if type(kind) is str and kind in FORBIDDEN else None

    def limit(self) -> int | None:
        """How many bytes the run's policy allows to be written, where run.json tells it."""
        policy = member(self.values.get(RUN), "policy")
        limit = member(policy, "max_total_output_bytes")
        return limit if type(limit) is int else None

    def _examine_member(self, name: str) -> None:
        if name == LEDGER:
            self._examine_ledger()
            return
        data = self._reader.read(name, MODEL_IO_BYTES if name == MODEL_IO else MAX_BYTES)
        if type(data) is not bytes:
            self.tell_unfit(name, data)  # type: ignore[arg-type]
            return
        self.verified.append(name)
        try:
            if name == META:
                check_syntax(data)
                return
            value = read(data, max_bytes=len(data))
        except ParseError as error:
            where = f"{error.found} at byte {error.offset} (line {error.line}, column {error.column})"
            self.findings.append(Finding(RULE_OF[name], name, error.expected, where))
            return
        del data
        report = _VERIFY[name](self, value)
        if name == BUNDLE:
            self.bundle_hash = report.facts.get("bundle_hash")
        self._take(name, report)
        if name != MODEL_IO or self.level == "strict":
            self.values[name] = value

    def _examine_ledger(self) -> None:
        from .ledger import MOST_LINE_BYTES, read_line, split_lines, verify_entry

        unfit: list[Unfit] = []

        def pieces() -> Iterator[bytes]:
            for piece in self._reader.stream(LEDGER, LEDGER_BYTES):
                if type(piece) is not bytes:
                    unfit.append(piece)  # type: ignore[arg-type]
                    return
                yield piece

        entries: list[object] = []
        for index, line in enumerate(split_lines(pieces())):
            entry, findings = read_line(line, self.level)
            if entry is not None:
                report = verify_entry(entry, level=self.level)
                findings += report.findings
                if index < 2:
                    entries.append(entry)
            self._embed(
                LEDGER,
                [Finding(found.rule_id, f"/{index}{found.path}", found.expected, found.found) for found in findings],
            )
            if len(line) > MOST_LINE_BYTES or len(self.findings) >= MOST_FINDINGS:
                self.not_checked.append(Unchecked("PK9", f"{LEDGER}: the lines after line {index + 1}"))
                break
        if unfit:
            self.tell_unfit(LEDGER, unfit[0])
            return
        self.verified.append(LEDGER)
        self.values[LEDGER] = entries
        if any("prev_sha256" in entry for entry in entries if type(entry) is dict):
            self.not_checked.append(Unchecked("PK9", f"{LEDGER}: CHAIN: a link is checked in a whole ledger only"))

    def _take(self, name: str, report: Report) -> None:
        self._embed(name, report.findings)
        rule_id = RULE_OF[name]
        self.not_checked += [
            Unchecked(rule_id, f"{name}: {left.rule_id}: {left.reason}") for left in report.not_checked
        ]

    def _embed(self, name: str, findings: Iterable[Finding]) -> None:
        for found in findings:
            within = f"{found.rule_id}: {found.path}" if found.path else found.rule_id
            self.findings.append(Finding(RULE_OF[name], name, found.expected, found.found, within=within))

    def tell_unfit(self, name: str, unfit: Unfit) -> None:
        rule_id = _UNFIT_RULE.get(unfit.code) or RULE_OF[name]
        self.findings.append(Finding(rule_id, name, unfit.expected, unfit.found))


def member(value: object, name: str) -> Any:
    """The member of an object; None where there is none, or no object."""
    return value.get(name) if type(value) is dict else None


# How each member is verified. A contract is loaded when a pack holds its document.


def _verify_run(examination: Examination, value: object) -> Report:
    from . import run

    if examination.level == "strict":
        return run.verify_run(value, level="strict")
    report = structure(run.RUN, value, examination.level)
    if examination.level == "compat":  # which leaves 4.2 out
        report.findings = tuple(found for found in report.findings if not found.path.startswith("/intent/"))
    return report


def _verify_bundle(examination: Examination, value: object) -> Report:
    from .bundle import verify_bundle

    return verify_bundle(value, level=examination.level)


def _verify_policy(examination: Examination, value: object) -> Report:
    from . import policy

    if examination.level == "strict":
        return policy.verify_policy(value, level="strict")
    return structure(policy.POLICY, value, examination.level)


def _verify_patch(examination: Examination, value: object) -> Report:
    from .patch import MOST_BYTES, verify_patch

    return verify_patch(value, level=examination.level, limit=examination.limit() or MOST_BYTES)


def _verify_evidence(examination: Examination, value: object) -> Report:
    from .evidence import verify_basic_evidence, verify_evidence

    if examination.level == "strict":
        return verify_evidence(value, level="strict", proposal=_proposal(examination))
    return verify_basic_evidence(value, level=examination.level)


def _proposal(examination: Examination) -> dict[str, str] | None:
    """What the bundle, itself sound, comes to; None where another version's kernel made it (contracts 2.5)."""
    bundle: Any = examination.values.get(BUNDLE)
    is_sound = not any(found.rule_id == RULE_OF[BUNDLE] for found in examination.findings)
    if bundle is None or not is_sound:
        return None
    from .proposal import reference_of

    return reference_of(bundle)


def _verify_runner(examination: Examination, value: object) -> Report:
    from .runner import verify_runner

    return verify_runner(value, level=examination.level)


def _verify_model_io(examination: Examination, value: object) -> Report:
    from .model_io import verify_model_io

    return verify_model_io(value, level=examination.level)


_VERIFY: dict[str, Verify] = {
    RUN: _verify_run,
    BUNDLE: _verify_bundle,
    POLICY: _verify_policy,
    PATCH: _verify_patch,
    EVIDENCE: _verify_evidence,
    RUNNER: _verify_runner,
    MODEL_IO: _verify_model_io,
}


# The pack's own rules. Each is given the examination; a fault's one step is the file that it is about.


def _required(pack: Examination) -> Iterator[Fault]:
    if RUN not in pack.names:
        yield Fault("run.json in every pack", "no such file", RUN)
    if BUNDLE not in pack.names and pack.outcome in ("BUNDLE", "CLARIFY"):
        yield Fault(f"bundle.json, as the outcome is {pack.outcome}", "no such file", BUNDLE)


def _only_known(pack: Examination) -> Iterator[Fault]:
    if pack.manifest.too_many:
        yield Fault(f"at most {len(MEMBERS)} files", f"more than {MOST_ENTRIES} entries")
        return
    for entry in pack.manifest.entries:
        if entry.kind == "directory":
            yield Fault("no directories in a pack", "a directory", entry.name)
        elif entry.name not in MEMBERS:
            yield Fault(f"one of {', '.join(in_order(MEMBERS))}", f"a file named {shown(entry.name)}", entry.name)


def _allowed_for_outcome(pack: Examination) -> Iterator[Fault]:
    if pack.outcome:
        for name in FORBIDDEN[pack.outcome]:
            if name in pack.names:
                yield Fault("no such file", f"one that is not allowed for outcome {pack.outcome}", name)


def _intent_reference(pack: Examination) -> Iterator[Fault]:
    """4.2; the hash's form is the run result's own shape."""
    from ..rules.checks import is_relative

    path = member(member(pack.values.get(RUN), "intent"), "path")
    if type(path) is str and path and not is_relative(path):
        yield Fault("a relative path at /intent/path", shown(path), RUN)


def _bundle_hash(pack: Examination) -> Iterator[Fault]:
    reference = member(pack.values.get(RUN), "bundle")
    if reference is None:
        return
    told = member(reference, "sha256")
    if BUNDLE in pack.values:
        computed = pack.bundle_hash or KERNEL.digest(pack.values[BUNDLE]).content_hash
        if told == computed:
            pack.reference_checks.append(
                {
                    "source": RUN,
                    "target": BUNDLE,
                    "field": "bundle.sha256",
                    "expected": told,
                    "computed": computed,
                    "match": True,
                }
            )
        else:
            yield Fault(f"{told if is_content_hash(str(told)) else shown(told)}, as run.json says", computed, BUNDLE)
    elif BUNDLE not in pack.names and pack.outcome == "REFUSE":
        yield Fault("bundle.json, as run.json refers to it", "no such file", BUNDLE)


def _bundle_id(pack: Examination) -> Iterator[Fault]:
    told = member(member(pack.values.get(RUN), "bundle"), "bundle_id")
    found = member(pack.values.get(BUNDLE), "id")
    if told is not None and found is not None and told != found:
        yield Fault(f"the id {shown(told)}, as run.json says", shown(found), BUNDLE)


def _no_symlinks(pack: Examination) -> Iterator[Fault]:
    for entry in pack.manifest.entries:
        if entry.kind == "symlink":
            yield Fault("a regular file", "a symlink", entry.name)


def _no_traversal(pack: Examination) -> Iterator[Fault]:
    place = pack.manifest.place
    if ".." in place.replace("\\", "/").split("/"):
        better = f', such as "{pack.manifest.resolved}"' if pack.manifest.resolved else ""
        yield Fault(f'a pack path without ".."{better}', shown(place))
    for entry in pack.manifest.entries:
        if any(character in entry.name for character in "/\\\0") or entry.name in ("", ".", ".."):
            yield Fault("a file name without separators", shown(entry.name), entry.name)


def _policy_is_the_runs(pack: Examination) -> Iterator[Fault]:
    ours, embedded = pack.values.get(POLICY), member(pack.values.get(RUN), "policy")
    if type(ours) is dict and embedded is not None and canonical(ours) != canonical(embedded):
        names = in_order(name for name in ours.keys() | _keys(embedded) if ours.get(name) != member(embedded, name))
        yield Fault(
            "the policy that run.json embeds", f"another, see {shown(names[0]) if names else 'its types'}", POLICY
        )


def _keys(value: object) -> set[str]:
    return set(value) if type(value) is dict else set()


def _regular_files(pack: Examination) -> Iterator[Fault]:
    for entry in pack.manifest.entries:
        if entry.kind not in ("file", "symlink"):
            yield Fault("a regular file", f"a {entry.kind}", entry.name)


def _sound_archive(pack: Examination) -> Iterator[Fault]:
    for unfit in pack.manifest.unfit:
        yield Fault(unfit.expected, unfit.found, *([unfit.name] if unfit.name else []))


def _links(name: str, *others: str) -> Callable[[Examination], Iterator[Fault]]:
    """Whether a member says what the others say; looked at only where all are there."""

    def check(pack: Examination) -> Iterator[Fault]:
        from . import pack_links

        if all(needed in pack.values for needed in (name, *others)):
            linked: Callable[..., Iterator[Fault]] = pack_links.LINKS[name, others]
            for fault in linked(*(pack.values[needed] for needed in (name, *others))):
                yield Fault(fault.expected, fault.found, name)

    return check


PACK = Contract(
    "pack",
    "pack",
    lambda _level: Anything(),
    (
        Rule("PK1", "the required files are there", _required),
        Rule("PK2", "no file but those of the manifest", _only_known),
        Rule("PK2", "no file that the outcome forbids", _allowed_for_outcome, levels=_TODAY),
        Rule("PK3", "run.json is a sound run result"),
        Rule("PK3", "the intent is referred to by a relative path", _intent_reference, levels=_SPEC),
        Rule("PK4", "bundle.json is a valid bundle"),
        Rule("PK5", "run.json names the hash of bundle.json", _bundle_hash),
        Rule("PK5", "run.json names the id of bundle.json", _bundle_id, levels=_STRICT),
        Rule("PK6", "no symlinks", _no_symlinks),
        Rule("PK7", "no traversal in the pack's path or in file names", _no_traversal),
        Rule("PK8", "optional files are valid"),
        Rule("PK8", "policy.json is the policy in run.json", _policy_is_the_runs),
        Rule("PK8", "the runner kept to the policy's limits", _links(RUNNER, RUN), levels=_STRICT),
        Rule("PK8", "the patch writes what the bundle puts out", _links(PATCH, BUNDLE), levels=_STRICT),
        Rule("PK8", "the evidence is about the patch", _links(EVIDENCE, PATCH), levels=_STRICT),
        Rule("PK8", "the model session fits the run's model mode", _links(MODEL_IO, RUN), levels=_STRICT),
        Rule("PK9", "each line of the ledger is an entry"),
        Rule("PK9", "the ledger's line is the run's", _links(LEDGER, RUN), levels=_STRICT),
        Rule("PK10", "violations are sorted", behaviour=True),
        Rule("PK11", "meta.json is JSON, and nothing in it counts", behaviour=True),
        Rule("PK12", "every entry is a regular file", _regular_files),
        Rule("ZIP", "an archive is unambiguous", _sound_archive),
    ),
)


def examine_pack(manifest: Manifest, reader: Reader, *, level: Level = "spec") -> Report:
    """PK1-PK12 over an opened pack. Raises ReadFailed where a member could not be read."""
    assert level in LEVELS
    pack = Examination(manifest, reader, level)
    checked: list[str] = []
    for rule in PACK.rules:
        if level in rule.levels:
            checked.append(rule.id)
            if rule.check is not None:
                for fault in rule.check(pack):
                    name = str(fault.steps[0]) if fault.steps else ""
                    pack.findings.append(Finding(rule.id, name, fault.expected, fault.found))
    if RUN in pack.names and pack.outcome is None:
        why = "needs the outcome, which run.json does not tell"
        pack.not_checked += [Unchecked("PK1", why), Unchecked("PK2", why)]
    if BUNDLE in pack.names and (BUNDLE not in pack.values or RUN not in pack.values):
        pack.not_checked.append(Unchecked("PK5", "needs run.json and bundle.json, one of which could not be read"))
    if not manifest.is_archive:
        checked.remove("ZIP")
    facts = {"files_verified": in_order(pack.verified), "reference_checks": pack.reference_checks}
    return Report(PACK.document, pack.findings, checked, pack.not_checked, facts)

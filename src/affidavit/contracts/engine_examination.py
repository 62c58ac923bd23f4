"""A sealed run of an engine, RUN_BUNDLE/<run_id>/: what its files say of each other (seed 002; contracts 3).

Examines what somebody else opened: a bundle that lies on a disk, or one that is being sealed and must verify before it
is. The rules stand in the order in which sealing needs them: contracts, input, output, and what is recorded of them.
"""

from __future__ import annotations

from ..canon.profiles import ENGINE, RAW
from ..canon.reader import MAX_BYTES, read_document
from ..errors import ParseError
from ..rules.model import Finding, Report, Unchecked
from ..values import pointer
from . import json_schema
from .engine_family import CONTEXT, COUPLING, INDEX, INPUT, INPUT_SCHEMA, MANIFEST, META, OUTPUT, PARAMETERS, SUMS
from .forbidden_keys import ForbiddenKeys, named_by
from .run_artifacts import read_sums

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from ..rules.model import Fault, Rule
    from ..values import Json, Level
    from .run_artifacts import Sums

    #: What is wrong with a value by a schema, or with the schema itself. Without a value only the schema is looked at.
    Judge: TypeAlias = "Callable[[Json, tuple[Json, ...]], list[json_schema.Error] | json_schema.SchemaFault]"

#: The rule that speaks when a file cannot be read as what it is.
RULE_OF = {
    INPUT: "R2",
    CONTEXT: "CONTEXT",
    PARAMETERS: "PARAMETERS",
    OUTPUT: "R3",
    META: "META",
    INDEX: "INDEX",
    SUMS: "SUMS",
}

#: Larger documents are refused, as everywhere.
MOST_BYTES = MAX_BYTES
#: What people write and read is no longer than this; nor is what is recorded of a run.
MOST_CONTRACT_BYTES = 16 << 20
_LARGE = frozenset((INPUT, OUTPUT, CONTEXT, PARAMETERS))

_HASH = "outputs_hash"


def most_bytes(name: str) -> int:
    """How large a member of a bundle may be."""
    return MOST_BYTES if name in _LARGE else MOST_CONTRACT_BYTES


class Member:
    """One file of a bundle: its digest, and of a JSON file the value and its canonical text."""

    __slots__ = ("digest", "is_canonical", "text", "value")

    def __init__(
        self, digest: str, value: Json = None, text: bytes | None = None, *, is_canonical: bool = True
    ) -> None:
        self.digest = digest
        self.value = value
        self.text = text
        self.is_canonical = is_canonical

    @property
    def canonical_digest(self) -> str:
        """The ENGINE digest of a JSON file, whatever its spelling."""
        return self.digest if self.is_canonical or self.text is None else RAW.digest(self.text).hex


def member_of_value(value: Json) -> Member:
    """A JSON file that is written as it should be."""
    text = ENGINE.to_bytes(value)
    return Member(RAW.digest(text).hex, value, text)


def member_of_json(data: bytes) -> Member:
    """A JSON file as it was read. Raises ParseError."""
    document = read_document(data, max_bytes=MOST_BYTES)
    text = document.canonical()
    is_canonical = text == data
    return Member(RAW.digest(data).hex, document.value, data if is_canonical else text, is_canonical=is_canonical)


class Examination:
    """What is known of a bundle, and what was found."""

    def __init__(self, level: Level, judge: Judge, *, folder: str | None = None) -> None:
        self.level = level
        self.judge = judge
        self.folder = folder
        self.members: dict[str, Member] = {}
        #: What stands in the bundle and is no regular file: (path, what it is).
        self.irregular: list[tuple[str, str]] = []
        self.sums: Sums | None = None
        self.findings: list[Finding] = []
        self.warnings: list[Finding] = []
        self.checked: list[str] = []
        self.not_checked: list[Unchecked] = []
        self.unsound: set[str] = set()
        self._keys: ForbiddenKeys | None = None

    def take(self, name: str, data: bytes) -> None:
        """Reads a member; what is no JSON where JSON should be is a finding."""
        if name == SUMS:
            self.sums = read_sums(data)
        if not name.endswith(".json"):
            self.members[name] = Member(RAW.digest(data).hex)
            return
        try:
            self.members[name] = member_of_json(data)
        except ParseError as error:
            self.members[name] = Member(RAW.digest(data).hex)
            self.unsound.add(name)
            where = f"{error.found} at byte {error.offset}"
            self.findings.append(Finding(RULE_OF.get(name, "CONTRACT"), name, error.expected, where))

    def as_canonical(self, name: str) -> None:
        """A member that is going to be written as its canonical bytes, however it was spelled where it came from."""
        member = self.members[name]
        if not member.is_canonical and member.text is not None:
            self.members[name] = Member(member.canonical_digest, member.value, member.text)

    def put(self, name: str, value: Json) -> None:
        """A member that is being made. Raises UnsupportedValue for what JSON cannot carry."""
        self.members[name] = member_of_value(value)

    def value(self, name: str) -> Any:
        """The value of a member that is sound as far as it was examined, else None."""
        return self.members[name].value if name in self.members and name not in self.unsound else None

    def is_sound(self, *names: str) -> bool:
        return all(name in self.members and name not in self.unsound for name in names)

    @property
    def keys(self) -> ForbiddenKeys:
        """The keys that may not stand in this run, those of its input schema included."""
        if self._keys is None:
            self._keys = ForbiddenKeys(named_by(self.value(INPUT_SCHEMA)))
        return self._keys

    @property
    def role(self) -> str | None:
        found: str | None = self.value(MANIFEST)["engine_role"] if self.is_sound(MANIFEST) else None
        return found

    @property
    def allowed_sources(self) -> set[str]:
        """The engines whose results this one takes."""
        rules = self.value(COUPLING)
        return set() if rules is None else {item["engine_code"] for item in rules["allowed_inputs_from_other_engines"]}

    def embed(self, rule_id: str, name: str, report: Report) -> None:
        """What came of a document's own rules."""
        if report.findings:
            self.unsound.add(name)
        for found in report.findings:
            self.findings.append(
                Finding(rule_id, place(name, found.path), found.expected, found.found, within=found.rule_id)
            )
        self.not_checked += [
            Unchecked(rule_id, f"{name}: {left.rule_id}: {left.reason}") for left in report.not_checked
        ]

    def run(self, rules: Iterable[Rule]) -> bool:
        """Examines the rules; True when nothing was found so far."""
        for rule in rules:
            if self.level in rule.levels and not rule.behaviour:
                self.checked.append(rule.id)
                for fault in rule.check(self) if rule.check is not None else ():
                    self.tell(rule.id, fault)
        return not self.findings

    def tell(self, rule_id: str, fault: Fault) -> None:
        self.findings.append(finding(rule_id, fault))

    def leave(self, rule_id: str, reason: str) -> None:
        self.not_checked.append(Unchecked(rule_id, reason))

    def judged(self, schema: str, *value: Json) -> list[json_schema.Error] | json_schema.SchemaFault:
        return self.judge(self.members[schema].value, value)


def finding(rule_id: str, fault: Fault) -> Finding:
    """A fault's first step is the file, the others lead to the place in it."""
    name, *steps = fault.steps or ("",)
    return Finding(rule_id, place(str(name), pointer(*steps)), fault.expected, fault.found)


def place(name: str, where: str) -> str:
    """A file, or a JSON Pointer in it."""
    return f"{name}#{where}" if where else name


def judge_here(schema: Json, value: tuple[Json, ...]) -> list[json_schema.Error] | json_schema.SchemaFault:
    """By the schema, in this process: for schemas whose cost is known."""
    found = json_schema.compiled(schema)
    if isinstance(found, json_schema.SchemaFault):
        return found
    return [error for item in value for error in found.errors(item)]


def outputs_hash_of(member: Member) -> str | None:
    """`outputs_hash` by WITHOUT_OUTPUTS_HASH, from the canonical text: the one place where the member stands is cut out
    of it, instead of writing megabytes again. None where the text does not tell which place that is."""
    document, text = member.value, member.text
    if type(document) is not dict or text is None:
        return None
    if _HASH not in document:
        return RAW.digest(text).hex
    # a quotation mark inside a string is escaped, so these bytes stand nowhere but at a member of that name
    written = ENGINE.to_bytes({_HASH: document[_HASH]})[1:-1]
    if text.count(written) != 1:
        rest = {name: value for name, value in document.items() if name != _HASH}
        return ENGINE.digest(rest).hex
    before, _, after = text.partition(written)
    if after.startswith(b","):
        after = after[1:]
    else:
        before = before.removesuffix(b",")
    return RAW.digest(before + after).hex

"""What a rule is and what examining a document yields. Knows no artifact.

All of these are values. A hand-written class costs a tenth of a dataclass at start-up, and a verifier starts up more
often than it does anything else.
"""

from __future__ import annotations

from ..canon.order import utf16
from ..values import LEVELS, pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..values import Level, Step
    from .shape import Shape

    Check = Callable[..., Iterator["Fault"]]


class Fault:
    """What a check saw: what it expected, what it found, and where below the field it was given."""

    __slots__ = ("expected", "field", "found", "steps")

    def __init__(self, expected: str, found: str, *steps: Step, field: int = 0) -> None:
        self.expected = expected
        self.found = found
        self.steps = steps
        self.field = field  # which of the rule's `needs` the steps start from


class Rule:
    """One clause of a contract, as data next to its id.

    `needs` names the fields the check is given, as dotted paths. The check runs only when all of them are sound, so it
    holds no guards; where an optional one is absent the rule holds; a name with `?` in front is given as None instead.
    With `each` the rule is about every item of that array, and `needs` starts from the item.
    A rule without check is carried by the document's shape, or by `behaviour`: what the tool itself does, which no
    document can break.
    """

    __slots__ = ("behaviour", "check", "context", "each", "id", "levels", "needs", "title")

    def __init__(
        self,
        rule_id: str,
        title: str,
        check: Check | None = None,
        *,
        needs: tuple[str, ...] = (),
        each: str = "",
        levels: tuple[Level, ...] = LEVELS,
        context: str = "",
        behaviour: bool = False,
    ) -> None:
        self.id = rule_id
        self.title = title
        self.check = check
        self.needs = tuple((name.lstrip("?"), _steps(name.lstrip("?")), name.startswith("?")) for name in needs)
        self.each = _steps(each)
        self.levels = levels
        self.context = context
        self.behaviour = behaviour


def _steps(dotted: str) -> tuple[str, ...]:
    return tuple(dotted.split(".")) if dotted else ()


class Finding:
    """A place in a document where a rule does not hold. `within` is the rule and place inside an embedded document."""

    __slots__ = ("expected", "found", "path", "rule_id", "within")

    def __init__(self, rule_id: str, path: str, expected: str, found: str, *, within: str = "") -> None:
        self.rule_id = rule_id
        self.path = path
        self.expected = expected
        self.found = found
        self.within = within

    @property
    def message(self) -> str:
        told = f"expected {self.expected}, found {self.found}"
        return f"{self.within}: {told}" if self.within else told

    def key(self) -> tuple[bytes, bytes, bytes]:
        """Findings stand in the order of rule id, path, message, each by UTF-16 code units (contracts 1)."""
        return utf16(self.rule_id), utf16(self.path), utf16(self.message)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Finding) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash(self.key())

    def __repr__(self) -> str:
        return f"Finding({self.rule_id!r}, {self.path!r}, {self.expected!r}, {self.found!r})"


class Unchecked:
    """A rule that was not examined, and why."""

    __slots__ = ("reason", "rule_id")

    def __init__(self, rule_id: str, reason: str) -> None:
        self.rule_id = rule_id
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unchecked({self.rule_id!r}, {self.reason!r})"


class Report:
    """What came of examining one document: sorted findings, the rules that were checked, and those that were not."""

    __slots__ = ("checked", "document", "facts", "findings", "not_checked")

    def __init__(
        self,
        document: str,
        findings: list[Finding],
        checked: list[str],
        not_checked: list[Unchecked],
        facts: dict[str, Any] | None = None,
    ) -> None:
        self.document = document
        self.findings = tuple(sorted(findings, key=Finding.key))
        self.checked = tuple(dict.fromkeys(checked))
        self.not_checked = tuple(not_checked)
        self.facts = facts or {}

    @property
    def ok(self) -> bool:
        return not self.findings

    def __repr__(self) -> str:
        return f"Report({self.document!r}, ok={self.ok}, findings={list(self.findings)!r})"


class Contract:
    """A document's contract: its shape at each level, its rules, and the specification it stands in. With
    `shape_first` no rule is examined, and no other id speaks, while the shape has a SCHEMA finding."""

    __slots__ = ("_rules", "_shapes", "document", "rules", "shape_at", "shape_first", "specification")

    def __init__(
        self,
        document: str,
        specification: str,
        shape_at: Callable[[Level], Shape],
        rules: tuple[Rule, ...],
        *,
        shape_first: bool = False,
    ) -> None:
        self.document = document
        self.specification = specification
        self.shape_at = shape_at
        self.rules = rules
        self.shape_first = shape_first
        self._shapes: dict[Level, Shape] = {}
        self._rules: dict[Level, tuple[Rule, ...]] = {}

    def rules_at(self, level: Level) -> tuple[Rule, ...]:
        """The rules that a document can break at this level."""
        if level not in self._rules:
            self._rules[level] = tuple(rule for rule in self.rules if level in rule.levels and not rule.behaviour)
        return self._rules[level]

    def shape(self, level: Level) -> Shape:
        if level not in self._shapes:
            self._shapes[level] = self.shape_at(level)
        return self._shapes[level]


def finding(rule_id: str, place: tuple[Step, ...], expected: str, found: str) -> Finding:
    return Finding(rule_id, pointer(*place), expected, found)

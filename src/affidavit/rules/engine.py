"""Examines a value under a contract. Total: any value in, a Report out, never an exception for content."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL
from ..errors import UnsupportedValue
from .model import Finding, Report, Unchecked, finding
from .shape import ABSENT, SCHEMA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..values import Level, Step
    from .model import Contract, Rule

    Place = tuple[Step, ...]

#: A hostile document of two million wrong members must not become two million findings.
MOST_FINDINGS = 10_000

_NO_CONTEXT: Mapping[str, object] = {}


def examine(
    contract: Contract, value: object, level: Level = "spec", context: Mapping[str, object] = _NO_CONTEXT
) -> Report:
    """The shape first, then each rule whose fields are sound."""
    shape = contract.shape(level)
    examination = _Examination(value)
    if not shape.fits(value):
        shape.explain(value, (), SCHEMA, examination.unfit)
        if contract.shape_first and examination.has_only_schema_left():
            for rule in contract.rules_at(level):
                if rule.id != SCHEMA:
                    examination.not_checked.append(Unchecked(rule.id, "needs a document of the right shape"))
            return examination.report(contract.document)
    for rule in contract.rules_at(level):
        if rule.check is None:
            examination.checked.append(rule.id)  # the shape has it
        else:
            examination.run(rule, context)
    return examination.report(contract.document)


def structure(contract: Contract, value: object, level: Level = "spec") -> Report:
    """The shape alone: what the seeds call a basic schema check."""
    examination = _Examination(value)
    shape = contract.shape(level)
    if not shape.fits(value):
        shape.explain(value, (), "SCHEMA", examination.unfit)
    return examination.report(contract.document)


def survives_writing(report: Report, value: object, rule_id: str) -> Report:
    """The report with a finding added when canonical JSON cannot carry the value: what cannot be written unchanged has
    no hash. A value from the strict reader always can; one that a caller made may not."""
    try:
        canonical(value)
    except UnsupportedValue as error:
        return _with_loss(report, rule_id, error)
    return report


def hashed(report: Report, value: object, rule_id: str, fact: str, core: tuple[str, ...] = ()) -> Report:
    """The same for a document whose hash is that of all of it, or of its `core` members: each is written once, and the
    hash of a valid one is a fact."""
    hashed_part = value
    try:
        if core and type(value) is dict:
            hashed_part = {name: value[name] for name in core if name in value}
            canonical({name: value[name] for name in value if name not in hashed_part})
        digest = KERNEL.digest(hashed_part)
    except UnsupportedValue as error:
        return _with_loss(report, rule_id, error)
    if report.ok:
        report.facts[fact] = digest.content_hash
    return report


def _with_loss(report: Report, rule_id: str, error: UnsupportedValue) -> Report:
    lost = Finding(rule_id, error.place, error.expected, error.found)
    return Report(report.document, [*report.findings, lost], [*report.checked], [*report.not_checked])


class _Examination:
    """The findings of one value, and which of its places are unsound."""

    def __init__(self, value: object) -> None:
        self.value = value
        self.findings: list[Finding] = []
        self.checked: list[str] = []
        self.not_checked: list[Unchecked] = []
        self.cut = False
        self.unsound: set[Place] = set()
        self.above_unsound: set[Place] = set()

    def tell(self, rule_id: str, place: Place, expected: str, found: str) -> None:
        if len(self.findings) < MOST_FINDINGS:
            self.findings.append(finding(rule_id, place, expected, found))
        else:
            self.cut = True

    def unfit(self, rule_id: str, place: Place, expected: str, found: str) -> None:
        self.tell(rule_id, place, expected, found)
        self.unsound.add(place)
        # stop at what is known already: a million bad items share their ancestors
        while place:
            place = place[:-1]
            if place in self.above_unsound:
                break
            self.above_unsound.add(place)

    def has_only_schema_left(self) -> bool:
        """True when SCHEMA speaks at all; the other rules' findings then give way to it."""
        schema = [found for found in self.findings if found.rule_id == SCHEMA]
        if schema:
            self.findings = schema
        return bool(schema)

    def is_sound(self, place: Place) -> bool:
        """Neither the place nor anything above or below it was found unfit."""
        return place not in self.above_unsound and not any(
            place[:length] in self.unsound for length in range(len(place) + 1)
        )

    def run(self, rule: Rule, context: Mapping[str, object]) -> None:
        if rule.context and rule.context not in context:
            self.not_checked.append(Unchecked(rule.id, f"needs {rule.context}, which is not at hand"))
            return
        given = (context[rule.context],) if rule.context else ()
        if not rule.each:
            self.run_at(rule, (), self.value, given)
        elif self.unsound and not self.is_array(rule.each):
            self.leave(rule, rule.each)
        else:
            items = _look(self.value, rule.each)
            for index, item in enumerate(items if items is not ABSENT else ()):  # type: ignore[arg-type, var-annotated]
                self.run_at(rule, (*rule.each, index), item, given)
            self.checked.append(rule.id)

    def is_array(self, place: Place) -> bool:
        return not any(place[:length] in self.unsound for length in range(len(place) + 1))

    def run_at(self, rule: Rule, base: Place, subject: object, given: tuple[object, ...]) -> None:
        fields: list[object] = []
        for _, steps, may_be_absent in rule.needs:
            if self.unsound and not self.is_sound(base + steps):
                self.leave(rule, base + steps)
                return
            field = subject
            for step in steps:  # as _look does; a call for each field would cost as much as the rest
                field = field.get(step, ABSENT) if type(field) is dict else ABSENT
            if field is ABSENT:
                if not may_be_absent:
                    return  # an optional member that is not there breaks no rule
                field = None
            fields.append(field)
        for fault in rule.check(*fields, *given):  # type: ignore[misc]
            place = base + rule.needs[fault.field][1] + fault.steps if rule.needs else base + fault.steps
            self.tell(rule.id, place, fault.expected, fault.found)
        if not base:
            self.checked.append(rule.id)

    def leave(self, rule: Rule, place: Place) -> None:
        if len(self.not_checked) < MOST_FINDINGS:
            where = finding(rule.id, place, "", "").path
            self.not_checked.append(Unchecked(rule.id, f"needs {where or 'the document'}, which is unsound"))

    def report(self, document: str) -> Report:
        if self.cut:
            self.not_checked.append(Unchecked(SCHEMA, f"findings beyond the first {MOST_FINDINGS} are not listed"))
        return Report(document, self.findings, self.checked, self.not_checked)


def _look(value: object, steps: Place) -> object:
    for step in steps:
        if type(value) is not dict:
            return ABSENT
        value = value.get(step, ABSENT)
    return value

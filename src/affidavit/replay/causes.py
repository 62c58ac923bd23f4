"""Why an output differs, found by experiment: what is held still and makes the difference go away is its cause; what
alone is varied and makes the difference is its cause."""

from __future__ import annotations

from .conditions import SOURCES, VARIATIONS, Conditions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from typing import Any

    from .conditions import Source, Variation
    from .subject import Subject

#: A source of a few outcomes agrees with itself by chance; the more often it must, the less often it does.
_AGREES = 5
_PLAIN = 3

SCHEDULING = "scheduling"
CONDITIONS = "conditions"


class Cause:
    """What makes the difference. `certain` is an experiment's result; otherwise it is what was left over."""

    __slots__ = ("certain", "name", "told")

    def __init__(self, name: str, told: str, *, certain: bool = True) -> None:
        self.name = name
        self.told = told
        self.certain = certain

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "certain": self.certain, "told": self.told}

    def __repr__(self) -> str:
        return f"Cause({self.name!r}, certain={self.certain})"


def diagnose(subject: Subject) -> list[Cause]:
    """Of a run that differs though nothing was varied."""
    if _agree(subject, Conditions(), _PLAIN):
        return [_since_it_was_sealed(subject)]
    can = [source for source in SOURCES if not subject.cannot(source)]
    for source in can:
        if _agree(subject, Conditions(held=[source])):
            return [_of_source(source)]
    together = [source for source in can if source != "processor"]
    if len(together) > 1 and _agree(subject, Conditions(held=together)):
        needed = [
            source
            for source in together
            if not _agree(subject, Conditions(held=[other for other in together if other != source]))
        ]
        return [_of_source(source) for source in needed or together]
    ruled_out = ", ".join(SOURCES[source] for source in can) or "nothing, as this host can hold nothing still"
    told = f"threads or processes that race, or something of the host; ruled out: {ruled_out}"
    return [Cause(SCHEDULING, told, certain=False)]


def _of_source(source: Source) -> Cause:
    told = f"held still, {SOURCES[source]} makes no difference any more"
    return Cause(SCHEDULING if source == "processor" else source, told)


def _since_it_was_sealed(subject: Subject) -> Cause:
    """It makes the same again and again, and something else than was sealed."""
    if subject.sealed_at is not None and not subject.cannot("time"):
        made = subject.run(Conditions(at=subject.sealed_at))
        if isinstance(made, dict) and made == subject.sealed:
            return Cause("time", f"with a clock that says {subject.sealed_at} it makes what was sealed")
    told = "the same each time, but not what was sealed: that was made under other conditions or by something else"
    return Cause(CONDITIONS, told, certain=False)


def _agree(subject: Subject, conditions: Conditions, times: int = _AGREES) -> bool:
    """Whether so many runs make the same. The first that does not ends it."""
    first = subject.run(conditions)
    return isinstance(first, dict) and all(subject.run(conditions) == first for _ in range(times - 1))


def isolate(
    subject: Subject,
    varied: Sequence[Variation],
    attempt: int,
    holds: Callable[[Conditions], bool],
) -> list[Cause]:
    """Of a run that differs under other conditions: each of them alone; where none alone does it, those without which
    all the others together do not."""

    def with_only(names: Collection[Variation]) -> bool:
        return holds(Conditions(names, attempt=attempt))

    alone = [name for name in varied if not with_only([name])]
    if alone:
        if not all(holds(Conditions()) for _ in range(_PLAIN)):
            return diagnose(subject)  # what differs by itself differs under any condition
        return [Cause(name, f"varied alone, {VARIATIONS[name]} makes the difference") for name in alone]
    needed = [name for name in varied if with_only([other for other in varied if other != name])]
    if needed:
        return [Cause(name, f"without {VARIATIONS[name]} the others make no difference") for name in needed]
    return diagnose(subject)

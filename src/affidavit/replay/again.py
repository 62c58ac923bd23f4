"""Runs something again and says what came of it: the same under the same conditions, the same under others, and where
it is not, which condition makes the difference. Knows nothing of what is run but that it can be."""

from __future__ import annotations

from .causes import Cause, diagnose, isolate
from .conditions import VARIATIONS, Conditions
from .normalise import Normalisers
from .verdict import Compared, compare, worst

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .conditions import Variation
    from .subject import Subject
    from .verdict import Verdict


class Outcome:
    """What came of it: the verdict for all tries, and the outputs of the first one that gave it."""

    __slots__ = ("causes", "compared", "declared", "not_varied", "tries", "varied", "verdict")

    def __init__(
        self,
        verdict: Verdict,
        compared: list[Compared],
        *,
        tries: int,
        declared: list[str],
        varied: Sequence[Variation] = (),
        not_varied: Mapping[Variation, str],
        causes: Sequence[Cause] = (),
    ) -> None:
        self.verdict = verdict
        self.compared = compared
        self.tries = tries
        self.declared = declared
        self.varied = tuple(varied)
        self.not_varied = dict(not_varied)
        self.causes = tuple(causes)

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {
            "verdict": self.verdict,
            "tries": self.tries,
            "outputs": [one.as_json() for one in self.compared],
            "normalisers": self.declared,
        }
        if self.varied or self.not_varied:
            body["varied"] = list(self.varied)
            body["not_varied"] = self.not_varied
        if self.causes:
            body["causes"] = [cause.as_json() for cause in self.causes]
        return body


def run_again(
    subject: Subject,
    *,
    times: int = 1,
    vary: Sequence[Variation] = (),
    normalisers: Normalisers | None = None,
    progress: Callable[[str], None] = lambda _told: None,
) -> Outcome:
    """Under the same conditions first, as often as asked for; with `vary` once, and then as often under others."""
    asked = normalisers or Normalisers()
    not_varied = {name: why for name in vary if (why := subject.cannot(name))}
    varied = [name for name in VARIATIONS if name in vary and name not in not_varied]
    tries = 0
    best: tuple[Verdict, list[Compared]] = ("identical", [Compared(name, "identical") for name in subject.sealed])

    def attempt(conditions: Conditions) -> Verdict:
        nonlocal tries, best
        tries += 1
        compared = judged(subject, conditions, asked)
        verdict = worst([one.verdict for one in compared])
        if worst([verdict, best[0]]) != best[0]:
            best = verdict, compared
        return verdict

    def outcome(causes: Sequence[Cause] = ()) -> Outcome:
        return Outcome(*best, tries=tries, declared=asked.told, varied=varied, not_varied=not_varied, causes=causes)

    for number in range(times if not vary else 1):
        progress(f"replay {number + 1}" + ("" if vary else f" of {times}"))
        if attempt(Conditions()) == "different":
            progress("looking for the cause")
            return outcome(diagnose(subject))
    for number in range(times if varied else 0):
        progress(f"replay under other conditions, {number + 1} of {times}")
        if attempt(Conditions(varied, attempt=number)) == "different":
            progress("looking for the cause")
            return outcome(isolate(subject, varied, number, lambda conditions: _holds(subject, conditions, asked)))
    return outcome()


def _holds(subject: Subject, conditions: Conditions, normalisers: Normalisers) -> bool:
    return worst([one.verdict for one in judged(subject, conditions, normalisers)]) != "different"


def judged(subject: Subject, conditions: Conditions, normalisers: Normalisers) -> list[Compared]:
    """One run, held against what was sealed."""
    made = subject.run(conditions)
    if isinstance(made, dict):
        return compare(subject.sealed, made, normalisers)
    return [Compared(name, "different", "", "an output", f"none: {made.why}") for name in subject.sealed]

"""What came of a run, for the person who started it."""

from __future__ import annotations

from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..harness.run import Finished

    Line = tuple[str, str]


def summary(finished: Finished) -> list[Line]:
    """(style, text) pairs: the outcome, what led to it, what comes next, and where the evidence is."""
    return [*_outcome(finished), ("quiet", f"  evidence  {plain(finished.directory)}")]


def _outcome(finished: Finished) -> Iterator[Line]:
    outcome = finished.outcome
    if outcome.kind == "REFUSE":
        yield "bad", "rejected: the policy does not allow this"
        for reason in outcome.reasons:
            yield "", f"  {plain(reason)}"
    elif outcome.kind == "CLARIFY":
        count = len(outcome.questions)
        yield "bad", f"rejected: {count} question{'s' * (count > 1)} to answer first"
        for question in outcome.questions:
            yield "head", f"  {plain(question['text'])}"
            yield "", f"      {plain(question['why_needed'])}"
    else:
        outputs = outcome.bundle["outputs"]
        yield "good", "accepted: this can be done; nothing was executed"
        for output in outputs[:_MOST_LINES]:
            yield "", f"  {output['type']:<12}{plain(output['path'])}"
        if len(outputs) > _MOST_LINES:
            yield "", f"  and {len(outputs) - _MOST_LINES} more"


_MOST_LINES = 20

"""What came of a run, for the person who started it."""

from __future__ import annotations

from ..kernel.judge import ACCEPTED
from ..shown import plain
from .run_hints import declared_argv, hints

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..harness.execute import Ran
    from ..harness.run import Finished

    Line = tuple[str, str]

_MOST_LINES = 20
_LONGEST = 100
_PLAIN_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,@%+")


def summary(finished: Finished) -> list[Line]:
    """(style, text) pairs: the outcome, what led to it, what would change it, and where the evidence is."""
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
    elif finished.result["execution"] is None:
        yield "good", "accepted: this can be done; nothing was executed"
        for output in outcome.bundle["outputs"][:_MOST_LINES]:
            yield "", f"  {output['type']:<12}{plain(output['path'])}"
        yield from _and_more(len(outcome.bundle["outputs"]))
    else:
        yield from _executed(finished)


def _executed(finished: Finished) -> Iterator[Line]:
    execution, reasons = finished.result["execution"], finished.result["decision"]["reasons"]
    if finished.accepted:
        yield (
            "good",
            "accepted: all that was required succeeded" if reasons[0] == ACCEPTED else f"accepted: {reasons[0]}",
        )
        rest = reasons[1:]
    else:
        yield "bad", f"rejected: {plain(reasons[0])}"
        rest = reasons[1:]
    for reason in rest[:_MOST_LINES]:
        yield "", f"  {plain(reason)}"
    yield from _and_more(len(rest))
    for hint in hints(finished):
        yield "head", f"  hint      {hint}"
    for ran in finished.commands[:_MOST_LINES]:
        yield "", _command(ran, declared_argv(finished, ran.command_id))
    yield from _and_more(len(finished.commands))
    outputs = execution["outputs"]
    if outputs:
        count = f"{len(outputs)} file{'s' * (len(outputs) > 1)}, {_bytes(execution['total_output_bytes'])}"
        yield "", f"  outputs   {count}{_names(outputs)}"


def _command(ran: Ran, argv: list[str]) -> str:
    seen = ran.observation
    words = " ".join(_quoted(word) for word in argv)
    words = words[:_LONGEST] + ("..." if len(words) > _LONGEST else "")
    ended = f"status {seen.status}"
    return f"  ran       {words}: {ended}, {seen.duration_ms / 1000:.1f} s"


def _quoted(word: str) -> str:
    told = plain(word)
    return told if told and not set(told) - _PLAIN_WORD else "'" + told.replace("'", "'\\''") + "'"


def _names(outputs: list[dict[str, Any]]) -> str:
    shown = ", ".join(plain(output["path"]) for output in outputs[:3])
    return f": {shown}{', ...' if len(outputs) > 3 else ''}"


def _bytes(count: int) -> str:
    if count < 10_000:
        return f"{count} bytes"
    return f"{count / 1000:.1f} kB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def _and_more(count: int) -> Iterator[Line]:
    if count > _MOST_LINES:
        yield "", f"  and {count - _MOST_LINES} more"

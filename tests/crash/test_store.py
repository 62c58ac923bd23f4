"""The store, cut off or failing at any system call that changes the filesystem (design: Durability).

After each blow, strict reading gives what was, what is new, or a visibly unfinished run that `abandon` closes; never
anything else, never a committed run lost, and never a success that is none. `make crash` strikes every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from affidavit.errors import AffidavitError
from tests.crash.cut import ERRORS, EVERY, Cut
from tests.crash.scenarios import SCENARIOS
from tests.crash.warm import DONE, ERROR

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=sorted(SCENARIOS))
def cut(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cut]:
    made = Cut(request.param, tmp_path)
    yield made
    made.close()


def sampled(points: list[tuple[tuple[str, int], str]]) -> list[tuple[tuple[str, int], str]]:
    """Every so many of them, and always the last."""
    return sorted({*points[:: max(1, min(EVERY, len(points) // 6 or 1))], points[-1]}, key=points.index)


def test_a_kill_at_any_call_leaves_what_was_or_what_is_new(cut: Cut) -> None:
    points = [(call, "signal=KILL") for call in cut.calls()]
    assert len(points) >= 8
    for call, blow in sampled(points):
        assert cut.struck(call, blow) == -9, call
        try:
            cut.scenario.judge(cut.place, False)
        except (AssertionError, AffidavitError, OSError) as error:  # named, and raised again
            raise AssertionError(f"{cut.name}, killed at {call}") from error


def test_an_error_at_any_call_is_told_and_loses_nothing(cut: Cut) -> None:
    points = [(call, f"error={error}") for call in cut.calls() for error in ERRORS[call[0]]]
    for call, blow in sampled(points):
        ended = cut.struck(call, blow)
        assert ended in (DONE, ERROR), f"{cut.name}, {blow} at {call}: ended with {ended}"
        try:
            cut.scenario.judge(cut.place, ended == DONE)
        except (AssertionError, AffidavitError, OSError) as error:  # named, and raised again
            raise AssertionError(f"{cut.name}, {blow} at {call}, ended with {ended}") from error

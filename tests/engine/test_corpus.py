"""The corpus in short: every program's verdict and causes, with one try under other conditions. `make corpus` tries
twenty times, and the plain replays by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from affidavit.replay.conditions import VARIATIONS
from affidavit.replay.engine import replay_engine
from tests.corpus.corpus import Program, programs, sealed, wrong

if TYPE_CHECKING:
    from pathlib import Path


def test_the_corpus_is_large_enough() -> None:
    deterministic = [program for program in programs() if program.expected["vary"] == ("identical", [])]
    assert len(deterministic) >= 10
    assert len(programs()) - len(deterministic) >= 20
    assert {cause for program in programs() for cause in program.expected["vary"][1]} >= set(VARIATIONS)


@pytest.mark.sandbox
@pytest.mark.parametrize("program", programs(), ids=str)
def test_a_program_gets_the_verdict_that_its_head_states(program: Program, tmp_path: Path) -> None:
    """What differs by itself differs in the first replay, which comes before any other condition."""
    folder, run = sealed(program, str(tmp_path))
    replayed = replay_engine(run, folder, times=1, vary=list(VARIATIONS))
    assert wrong(program, {"vary": replayed}) == []
    assert replayed.outcome is not None
    differs_by_itself = program.expected["plain"][0] == "different"
    assert (replayed.outcome.tries == 1) == differs_by_itself

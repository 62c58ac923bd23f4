"""How far long work is: for a person, after a second, and nowhere else."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit.cli import progress
from affidavit.cli.progress import Progress
from tests.support.cli import affidavit
from tests.support.runs import commit_run

if TYPE_CHECKING:
    from pathlib import Path


class _Broken(io.BytesIO):
    def write(self, _data: object) -> int:
        raise OSError(5, "Input/output error")


class Screen:
    """Standard error: a terminal or not."""

    def __init__(self, *, is_terminal: bool) -> None:
        self.buffer: io.BytesIO = io.BytesIO()
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    return now


def shown(monkeypatch: pytest.MonkeyPatch, clock: list[float], *, is_terminal: bool, quiet: bool = False) -> bytes:
    screen = Screen(is_terminal=is_terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    with Progress("reading", quiet=quiet) as told:
        told(1_000_000, 4_000_000)
        before = screen.buffer.getvalue()
        clock[0] += 1.5
        told(2_000_000, 4_000_000)
    assert before == b"", "something was shown in the first second"
    return screen.buffer.getvalue()


def test_a_person_sees_it_after_a_second_and_it_goes_away(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    told = shown(monkeypatch, clock, is_terminal=True)
    assert b"reading   50 %  2.0 MB of 4.0 MB" in told
    assert told.endswith(b"\r\x1b[K")


def test_nothing_is_shown_in_a_pipe_or_when_quiet(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    assert shown(monkeypatch, clock, is_terminal=False) == b""
    assert shown(monkeypatch, clock, is_terminal=True, quiet=True) == b""


def test_a_screen_that_is_gone_stops_nothing(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    screen = Screen(is_terminal=True)
    screen.buffer = _Broken()
    monkeypatch.setattr(sys, "stderr", screen)
    told = Progress("reading")
    clock[0] += 2
    told(1, 2)
    told(2, 2)
    told.clear()


def test_verifying_in_a_pipe_says_nothing_on_standard_error(tmp_path: Path) -> None:
    commit_run(tmp_path / "out", "run-1", {"data": b"x" * 1_000_000})
    assert affidavit("verify", str(tmp_path / "out")).err == b""

"""What makes a run this run: its id, and when it was. The only clock of the harness."""

from __future__ import annotations

import os
import time

from ..values import timed_id, timestamp


class Clock:
    """When something began, and how long it takes by a clock that nobody sets back: an end is never before its
    beginning."""

    __slots__ = ("_began", "started_ms")

    def __init__(self) -> None:
        self.started_ms = time.time_ns() // 1_000_000
        self._began = time.monotonic_ns()

    @property
    def elapsed_ms(self) -> int:
        return (time.monotonic_ns() - self._began + 500_000) // 1_000_000

    def started(self) -> str:
        return timestamp(self.started_ms)

    def after(self, elapsed_ms: int) -> str:
        return timestamp(self.started_ms + elapsed_ms)


def new_run_id(started_ms: int) -> str:
    """`hr_<base36 epoch ms>_<8 hex>` (contracts 2.2)."""
    return timed_id("hr", started_ms, os.urandom(4))

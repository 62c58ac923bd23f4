"""How the benches measure: several things in turn, again and again, and the ratios of their medians.

Machines are noisy and shared. What is compared therefore runs alternately in one process, and what a figure is compared
with (the control) is measured in the same minute as the figure.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class Row:
    """One line of the table: what was measured, the figure, what it should be, and the control beside it."""

    def __init__(
        self,
        name: str,
        figure: float,
        unit: str,
        *,
        at_least: float | None = None,
        at_most: float | None = None,
        control: str = "",
    ) -> None:
        self.name = name
        self.figure = figure
        self.unit = unit
        self.at_least = at_least
        self.at_most = at_most
        self.control = control

    @property
    def wanted(self) -> str:
        if self.at_least is not None:
            return f">= {self.at_least:g}"
        return f"<= {self.at_most:g}" if self.at_most is not None else ""

    @property
    def reached(self) -> bool | None:
        if self.at_least is not None:
            return self.figure >= self.at_least
        return self.figure <= self.at_most if self.at_most is not None else None

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "figure": round(self.figure, 4),
            "unit": self.unit,
            "wanted": self.wanted,
            "reached": self.reached,
            "control": self.control,
        }


def medians(
    work: Mapping[str, Callable[[], object]],
    *,
    rounds: int = 9,
    seconds: float = 0.05,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds for one call of each: every round takes each in turn, long enough for the clock to matter not. With
    `time.process_time` they are the processor's, without what others made us wait."""
    calls: dict[str, int] = {}
    for name, run in work.items():
        run()  # what is loaded or compiled at the first call is no part of the figure
        start = clock()
        run()
        calls[name] = max(1, int(seconds / max(clock() - start, 1e-7)))
    taken: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, run in work.items():
            gc.collect()
            start = clock()
            for _ in range(calls[name]):
                run()
            taken[name].append((clock() - start) / calls[name])
    return {name: statistics.median(times) for name, times in taken.items()}


def process_medians(commands: Mapping[str, Sequence[str]], *, rounds: int = 25, **options: Any) -> dict[str, float]:
    """Seconds for one run of each command from start to end, in turn."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 2):
        for name, command in commands.items():
            start = time.perf_counter()
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                check=False,
                **options,
            )
            elapsed = time.perf_counter() - start
            if done.returncode:
                raise SystemExit(
                    f"{name}: {' '.join(command)} ended with {done.returncode}: {done.stderr.decode()[:500]}"
                )
            if number >= 2:  # the first two fill the caches
                taken[name].append(elapsed)
    return {name: statistics.median(times) for name, times in taken.items()}


def table(rows: Sequence[Row]) -> str:
    """The rows for a person."""
    cells = [
        (
            row.name,
            f"{row.figure:.2f} {row.unit}",
            row.wanted,
            {True: "yes", False: "NO", None: ""}[row.reached],
            row.control,
        )
        for row in rows
    ]
    heads = ("what", "figure", "wanted", "reached", "control")
    widths = [max(len(line[column]) for line in (heads, *cells)) for column in range(5)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in (heads, *cells)
    )


def environment() -> dict[str, str]:
    """What the numbers depend on and may be told."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": "/nonexistent"}

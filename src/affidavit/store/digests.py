"""Digests of many files below one directory: at the speed of the library that hashes, in bounded memory, by as many
processes as there are cores and work for. What is done with one file stands in `measure`, the division in `crew`.
"""

from __future__ import annotations

from time import monotonic

from .crew import digest_by_many, worthwhile
from .measure import CHANGED, SIZE, Digester, Unmeasured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .fs import Dir
    from .measure import Raw, Wanted

__all__ = ["CHANGED", "SIZE", "Unmeasured", "digest_files"]

#: Entries that one process takes in hand together.
_AT_ONCE = 512


def digest_files(
    root: Dir,
    wanted: Wanted,
    *,
    progress: Callable[[int, int], None] | None = None,
    processes: int | None = None,
) -> list[str | Unmeasured]:
    """For each (path, size) its RAW digest as bare hex, or what is wrong with it. `progress(bytes read, bytes in all)`
    is called now and then, ten times a second at most. `processes` says how many to use at most; it is one in a process
    that has threads, so `progress` should not start any."""
    order = sorted(range(len(wanted)), key=lambda index: wanted[index][0])
    results: list[str | Unmeasured | None] = [None] * len(wanted)

    def settle(share: Sequence[int], found: Sequence[Raw]) -> None:
        for index, raw in zip(share, found, strict=True):
            results[index] = raw if type(raw) is str else Unmeasured(*raw)

    meter = _Meter(progress, sum(size for _, size in wanted))
    many = worthwhile(wanted, processes)
    if many > 1:
        digest_by_many(root, wanted, order, many, settle=settle, tick=meter.add)
    # all of them, or those that a process did not live to tell
    left = [index for index in order if results[index] is None]
    with Digester(root, wanted, meter.add) as digester:
        for start in range(0, len(left), _AT_ONCE):
            share = left[start : start + _AT_ONCE]
            settle(share, digester.digest(share))
    return [result for result in results if result is not None]


class _Meter:
    """Counts bytes and tells somebody, not too often."""

    __slots__ = ("done", "next", "tell", "total")

    def __init__(self, tell: Callable[[int, int], None] | None, total: int) -> None:
        self.tell = tell
        self.done = 0
        self.total = total
        self.next = 0.0

    def add(self, count: int) -> None:
        self.done += count
        if self.tell is not None and (now := monotonic()) >= self.next:
            self.next = now + 0.1
            self.tell(self.done, max(self.total, self.done))

"""A command's standard output and standard error: written, digested and counted as they come, never over the cap."""

from __future__ import annotations

import os

from ..canon.profiles import RAW, raw_hasher
from .observation import Captured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .observation import StreamName

_PIECE = 65536


class Budget:
    """Bytes that may still be kept, of both streams together."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class Capture:
    """One stream, from the pipe `source` to the descriptor `target`. Only what was kept is digested."""

    __slots__ = ("_budget", "_hasher", "_live", "_name", "_size", "_target", "source", "truncated")

    def __init__(
        self,
        name: StreamName,
        source: int,
        target: int,
        budget: Budget,
        live: Callable[[StreamName, bytes], None] | None,
    ) -> None:
        self.source = source
        self.truncated = False
        self._name = name
        self._target = target
        self._budget = budget
        self._live = live
        self._hasher = raw_hasher()
        self._size = 0

    def take(self) -> bool:
        """Takes what is there; False when nothing will ever come again."""
        piece = os.read(self.source, _PIECE)
        if not piece:
            return False
        kept = piece[: self._budget.left]
        if len(kept) < len(piece):
            self.truncated = True
        if kept:
            self._budget.left -= len(kept)
            self._size += len(kept)
            self._hasher.update(kept)
            rest = memoryview(kept)
            while rest:
                rest = rest[os.write(self._target, rest) :]
            if self._live is not None:
                self._live(self._name, kept)
        return True

    def captured(self) -> Captured:
        return Captured(self._size, RAW.digest_hex(self._hasher.hexdigest()), truncated=self.truncated)

"""How far long work is, on standard error, for a person: nothing in a pipe, nothing in the first second.

No thread draws it: work that forks must not have any (ADR 0100).
"""

from __future__ import annotations

import sys
from time import monotonic

from ..quantities import size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_PATIENCE = 1.0
_CLEAR = "\r\x1b[K"


class Progress:
    """Called with (bytes done, bytes in all), ten times a second at most; the line is taken away at the end."""

    __slots__ = ("_begun", "_is_shown", "_watched", "what")

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        self.what = what
        self._watched = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._begun = monotonic()
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        if self._watched and monotonic() - self._begun >= _PATIENCE:
            share = f"{100 * done // total:3d} %" if total else ""
            self._write(f"{_CLEAR}{self.what}  {share}  {size(done)} of {size(total)}")
            self._is_shown = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        if self._is_shown:
            self._write(_CLEAR)
            self._is_shown = False

    def _write(self, text: str) -> None:
        try:
            sys.stderr.buffer.write(text.encode())
            sys.stderr.buffer.flush()
        except OSError:
            self._watched = False  # nobody looks any more; the work goes on

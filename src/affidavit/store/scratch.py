"""A private directory beside what is committed, on the same filesystem, gone when it is left.

What a crash leaves of it is swept away as everything else that was being built (publish.py): it has such a name, and
nobody holds its lock.
"""

from __future__ import annotations

import os

from . import durable, publish
from .durable import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Scratch:
    """Below the directory `parent`, for its owner alone."""

    __slots__ = ("_above", "_descriptor", "_name", "path")

    def __init__(self, parent: str) -> None:
        self._above = durable.open_directory(parent)
        is_made = False
        try:
            publish.sweep(self._above)
            with writing(parent):
                self._name, self._descriptor = publish.begin_aside(self._above)
                os.fchmod(self._descriptor, 0o700)
            is_made = True
        finally:
            if not is_made:
                os.close(self._above)
        self.path = os.path.join(os.path.abspath(parent), self._name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            publish.remove_tree(self._above, self._name)
        finally:
            os.close(self._descriptor)
            os.close(self._above)

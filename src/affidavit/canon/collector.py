"""Keeps the cyclic collector off a document while it is read.

A tree of JSON has no cycles, yet the collector would walk it again and again while it grows, and once more, whole, at
the next allocation after it is switched on: half the time of reading a large document.
"""

from __future__ import annotations

import gc

#: From this many bytes on the walk costs more than it may ever free.
_LARGE = 1 << 20


class growing_a_tree:  # noqa: N801 -- used as a statement
    """`with growing_a_tree(size_of_the_text): ...`, off inside, and after it as it was before."""

    __slots__ = ("collecting", "size")

    def __init__(self, size: int) -> None:
        self.size = size

    def __enter__(self) -> None:
        self.collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if not self.collecting:
            return
        if self.size >= _LARGE and not gc.get_freeze_count():
            # Together these count what is young as old, without walking it. They would thaw what the caller has
            # frozen, so where something is, the walk is paid for; and a caller who reads small documents all day
            # would never have his own garbage collected.
            gc.freeze()
            gc.unfreeze()
        gc.enable()

"""Checks that several contracts share. Each is given sound fields and yields what does not hold."""

from __future__ import annotations

from ..canon.order import in_order, is_in_order
from ..shown import shown
from .model import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def sorted_texts(texts: list[str]) -> Iterator[Fault]:
    """Sorted by UTF-16 code units; the first text out of place is named."""
    if not is_in_order(texts):
        for index, (found, wanted) in enumerate(zip(texts, in_order(texts), strict=True)):
            if found != wanted:
                yield Fault(f"{shown(wanted)} here, in UTF-16 order", shown(found), index)
                return


def every(expected: str, holds: Callable[[str], bool]) -> Callable[[list[str]], Iterator[Fault]]:
    """A check that each text of a list is as `holds` says."""

    def check(texts: list[str]) -> Iterator[Fault]:
        for index, text in enumerate(texts):
            if not holds(text):
                yield Fault(expected, shown(text), index)

    return check

"""Checks that several contracts share. Each is given sound fields and yields what does not hold."""

from __future__ import annotations

from ..canon.order import in_order, is_in_order
from ..shown import shown
from ..values import is_semver
from .model import Fault
from .shape import Text

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


def is_relative(path: str) -> bool:
    """Not empty, no leading slash of either kind, no drive letter."""
    return (
        path != ""
        and not path.startswith(("/", "\\"))
        and not (path[1:2] == ":" and path[:1].isascii() and path[:1].isalpha())
    )


def does_not_climb(path: str) -> bool:
    """No `..` segment, whichever slash separates."""
    return ".." not in path.replace("\\", "/").split("/")


def version_of(major: int, rule: str) -> Text:
    """A schema version of one major: another minor or patch is read, another major is not (contracts 1)."""
    start = f"{major}."
    return Text(lambda text: text.startswith(start) and is_semver(text), f"a version {major}.x.y", rule=rule)

"""The one order for keys, paths, rule ids and violations: UTF-16 code units (contracts 1), never a locale."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def utf16(text: str) -> bytes:
    """A sort key that orders like UTF-16 code units. Lone surrogates, as in names of files, have a place too."""
    return text.encode("utf-16-be", "surrogatepass")


def in_order(texts: Iterable[str]) -> list[str]:
    """Sorted by UTF-16 code units. Python's own order is by code point; below U+D800 the two agree."""
    found = list(texts)
    if all(map(str.isascii, found)):
        return sorted(found)
    return sorted(found, key=utf16)


def is_in_order(texts: list[str]) -> bool:
    return len(texts) < 2 or texts == in_order(texts)

"""Is it JSON at all? For documents in which nothing counts but that (seed 004, PK11).

What the strict reader refuses for its meaning (a key given twice, a number that a double rounds, a lone surrogate) is
JSON all the same.
"""

from __future__ import annotations

from _json import make_scanner

from ..errors import ParseError
from .reader import MAX_BYTES, SCANNER_REFUSALS, is_too_large, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Json

_MEANING = ("JSON_DUPLICATE_KEY", "JSON_NUMBER", "JSON_SURROGATE")


def check_syntax(data: bytes, *, max_bytes: int = MAX_BYTES) -> None:
    """Raises ParseError unless `data` is UTF-8 and JSON, no larger and no deeper than the strict reader takes it."""
    try:
        read(data, max_bytes=max_bytes)
    except ParseError as error:
        if error.code not in _MEANING or not _is_json(data.decode()):
            raise


def _is_json(text: str) -> bool:
    start = len(text) - len(text.lstrip(" \t\n\r"))
    try:
        value, end = _scan(text, start)
    except SCANNER_REFUSALS:
        return False
    return not text[end:].strip(" \t\n\r") and not is_too_large(value)


def _members(pairs: list[tuple[str, Json]]) -> list[Json]:
    """All of them, also those whose key is given again: each may be too deep."""
    return [member for _, member in pairs]


def _number(_literal: str) -> int:
    return 0


def _constant(name: str) -> None:
    raise ValueError(name)


class _Hooks:
    """What the C scanner calls; the attribute names are its own."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_members)
    parse_float = staticmethod(_number)
    parse_int = staticmethod(_number)
    parse_constant = staticmethod(_constant)


_scan = make_scanner(_Hooks)  # type: ignore[arg-type]

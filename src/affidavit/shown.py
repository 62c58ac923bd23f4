"""How a value that somebody else wrote appears in a message: short, on one line, unable to command a terminal."""

from __future__ import annotations

from .values import MAX_SAFE_INTEGER

_LONGEST = 60

#: What would move the cursor, end the line, turn the direction of writing or not be seen at all.
_HIDDEN = (
    *range(0x20),
    *range(0x7F, 0xA0),
    0xAD,
    *range(0x200B, 0x2010),
    *range(0x2028, 0x202F),
    *range(0x2060, 0x2070),
    0xFEFF,
)
_escapes: dict[int, str] = {}


def plain(text: str) -> str:
    """`text` with every hidden character written as an escape. Lone surrogates, as in file names that are not UTF-8
    (where they stand for single bytes), are written as the bytes they stand for or as their number."""
    if text.isascii() and text.isprintable():
        return text
    if not _escapes:
        _escapes.update((code, f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}") for code in _HIDDEN)
        _escapes.update((0xDC00 + byte, f"\\x{byte:02x}") for byte in range(0x80, 0x100))
    return text.translate(_escapes).encode("utf-8", "backslashreplace").decode()


def kind_of(value: object) -> str:
    """What JSON calls the value, with its article."""
    kind = type(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return "a number"
    if kind is str:
        return "a string"
    if kind is list or kind is tuple:
        return "an array"
    return "an object" if kind is dict else f"a Python {kind.__name__}"


def shown(value: object) -> str:
    """The value itself where it is short enough to quote, else what it is."""
    kind = type(value)
    if kind is str:
        text: str = value  # type: ignore[assignment]
        more = "..." if len(text) > _LONGEST else ""
        return f'"{plain(text[:_LONGEST])}"{more}'
    if kind is int and not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:  # type: ignore[operator]
        return "an integer beyond 2^53-1"  # its digits may take minutes to write
    if kind is int or kind is float:
        return repr(value)
    return kind_of(value)

"""Canonical JSON through orjson, where its output provably is the reference writer's (ADR 0004).

Importing this module imports orjson, which costs more than a small document: only `canonical` and the reader decide
when that pays. Every function returns None when it cannot prove its answer; the caller then asks the reference.

What orjson writes differently from JCS, and what is done about it:
- it takes enums, UUIDs and its own Fragment: `marshal`, which takes exact built-in types only, must take the value too;
- it writes NaN and the infinities as null: looked for in marshal's bytes whenever there is a null;
- it sorts keys by code point: a key with a character beyond U+FFFF goes to the reference;
- it lays out some doubles differently (`1.0`, `1e+16`, `1e-6`): these texts are put right, and only where they
  stand outside strings.
"""

from __future__ import annotations

import marshal
import re

import orjson

from ..values import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_AS_JCS = (
    orjson.OPT_SORT_KEYS
    | orjson.OPT_STRICT_INTEGER
    | orjson.OPT_PASSTHROUGH_SUBCLASS
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_DATETIME
)

#: A little-endian double with all exponent bits set, after marshal's type code for floats (plain, and with its flag).
_NOT_FINITE = (
    re.compile(rb"g.{6}[\xf0-\xff][\x7f\xff]", re.DOTALL),
    re.compile(rb"\xe7.{6}[\xf0-\xff][\x7f\xff]", re.DOTALL),
)

#: A line that stands in 200 containers: one more would be too deep, so the reference looks at it.
_TOO_DEEP = b"\n" + b"  " * MAX_DEPTH

#: Below this the reference writer is quick enough for a document with floats to put right.
_LARGE = 65_536

_TWO_BYTE_LEADS_AND_LESS = bytes(range(0xF0))

#: What ECMAScript lays out otherwise: whole doubles, negative zero among them, and doubles that it writes without
#: exponent. What follows tells a number from a look-alike inside a string: see _laid_out_as_jcs.
_WHOLE = re.compile(rb"(-0)?\.0(,?\n|[,\]}])")
_EXPONENT = re.compile(rb"e(\+1[6-9]|\+20|-[1-6])(,?\n|[,\]}])")

#: Whether a text may hold any of them, told by what is rare: `e` and digits are not.
_WHOLE_DOUBLE = re.compile(rb"\.0[,\]}]")
_LARGE_EXPONENT = re.compile(rb"\+(?<=e\+)(?:1[6-9]|20)[,\]}]")
_SMALL_EXPONENT = re.compile(rb"-(?<=e-)[1-6][,\]}]")

#: A look-alike in indented text: there a number, and the comma behind it, ends its line.
_LIKE_WHOLE = re.compile(rb"\.0(?:,(?!\n)|[\]}])")

_LONGEST_DOUBLE = 30


def _gate() -> bool:
    """Does this orjson lay doubles out the way _WHOLE and _EXPONENT assume? Another release may choose another way."""
    probe = [-0.0, 5.0, 0.1, 1e-4, 1e-5, 1.5e-6, 1e-7, 5e-324, 123456789012345.6, 1e15, 1.5e16, 1e20, 1e21, 1.5e300]
    written = (
        b"[-0.0,5.0,0.1,0.0001,0.00001,1.5e-6,1e-7,5e-324,123456789012345.6,"
        b"1000000000000000.0,1.5e+16,1e+20,1e+21,1.5e+300]"
    )
    return orjson.dumps(probe) == written


LAYS_OUT_AS_EXPECTED = _gate()


def fast_canonical(value: Any) -> bytes | None:
    """The JCS bytes of any Python value, or None for the reference writer to write or refuse."""
    if type(value) not in (dict, list, tuple):
        return None  # a number alone has nothing behind it by which it could be told
    try:
        exact_types = marshal.dumps(value, 4)
        text = orjson.dumps(value, option=_AS_JCS)
    except (ValueError, TypeError, RecursionError):
        return None
    if (b"g" in exact_types or b"\xe7" in exact_types) and b"null" in text and _not_finite(exact_types):
        return None
    if not _keys_in_order(value, text):
        return None
    if len(text) < _LARGE:
        laid_out_otherwise = _may_have_whole_doubles(text) or _may_have_exponents(text)
        few_levels = text.count(b"[") + text.count(b"{") <= MAX_DEPTH
        return text if LAYS_OUT_AS_EXPECTED and few_levels and not laid_out_otherwise else None
    return _laid_out_as_jcs(value, text)


def _not_finite(exact_types: bytes) -> bool:
    return any(pattern.search(exact_types) for pattern in _NOT_FINITE)


def fast_canonical_of_float_free(value: object) -> bytes | None:
    """The same for a tree that the strict reader made, that nobody else has seen and that holds no float: every type
    is then known, and no number needs its layout looked at."""
    text = orjson.dumps(value, option=_AS_JCS)
    return text if _keys_in_order(value, text) else None


def _keys_in_order(value: object, text: bytes) -> bool:
    """Code points and UTF-16 code units sort alike unless a key has a character beyond U+FFFF."""
    if text.isascii() or not text.translate(None, _TWO_BYTE_LEADS_AND_LESS):
        return True
    todo: list[object] = [value]
    while todo:
        container = todo.pop()
        if type(container) is dict:
            if any(not key.isascii() and max(key) > "\uffff" for key in container):
                return False
            todo += container.values()
        elif type(container) is list or type(container) is tuple:
            todo += container
    return True


def _laid_out_as_jcs(value: object, text: bytes) -> bytes | None:
    """Indented, each number ends its line, and no string holds a raw line end: there a number is told from a look-alike
    for certain, and levels can be seen. Both texts hold the same endings in the same order, so what is learned of one
    holds for the other."""
    if not LAYS_OUT_AS_EXPECTED:
        return None
    lines = orjson.dumps(value, option=_AS_JCS | orjson.OPT_INDENT_2)
    if _TOO_DEEP in lines:
        return None
    if _may_have_whole_doubles(text):
        text = _whole_doubles(text, lines)
    return _exponents(text, lines) if _may_have_exponents(text) else text


def _may_have_whole_doubles(text: bytes) -> bool:
    return _WHOLE_DOUBLE.search(text) is not None


def _may_have_exponents(text: bytes) -> bool:
    return (b"+" in text and _LARGE_EXPONENT.search(text) is not None) or _SMALL_EXPONENT.search(text) is not None


def _whole_doubles(text: bytes, lines: bytes) -> bytes:
    if _LIKE_WHOLE.search(lines) is None:  # all that end so are numbers
        for whole, without in ((b"-0.0", b"0"), (b".0", b"")):
            for close in (b",", b"]", b"}"):
                text = text.replace(whole + close, without + close)
        return text
    is_number = _are_numbers(_WHOLE, lines)
    return _WHOLE.sub(lambda m: (b"0" if m[1] else b"") + m[2] if next(is_number) else m[0], text)


def _exponents(text: bytes, lines: bytes) -> bytes:
    pieces: list[bytes] = []
    done = 0
    for found, is_number in zip(_EXPONENT.finditer(text), _are_numbers(_EXPONENT, lines), strict=True):
        if is_number:
            at = found.start()
            before = text[max(done, at - _LONGEST_DOUBLE) : at]
            mantissa = before[len(before.rstrip(b"0123456789.")) :]
            pieces += (text[done : at - len(mantissa)], _without_exponent(mantissa, int(found[1])))
            done = found.end(1)
    return b"".join((*pieces, text[done:])) if pieces else text


def _without_exponent(mantissa: bytes, exponent: int) -> bytes:
    """The digits are ECMAScript's already, at most seventeen; only zeros are put before or behind."""
    digits = mantissa.replace(b".", b"")
    return digits.ljust(exponent + 1, b"0") if exponent > 0 else b"0." + b"0" * (-exponent - 1) + digits


def _are_numbers(ending: re.Pattern[bytes], lines: bytes) -> Iterator[bool]:
    return (found[2].endswith(b"\n") for found in ending.finditer(lines))

"""Reading with orjson, and the certificate that its answer is the strict reader's (ADR 0002).

orjson refuses what we refuse but for four things: it takes duplicate keys (the last wins), rounds integers beyond 64
bits, goes deeper, and does not count. What it read is written again with indentation, which it does at a third of the
cost of reading; from that text, where no string holds a raw line end, all four can be told. Importing this module
imports orjson.
"""

from __future__ import annotations

import gc
import re

import orjson

from ..values import MAX_DEPTH, MAX_VALUES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Json

_TOO_DEEP = b"\n" + b"  " * MAX_DEPTH

#: Spellings that break the one-to-one count of `":` in the text and in what is written again: blanks before a colon,
#: a quote or colon written as an escape.
_UNCOUNTABLE = (b" :", b"\t:", b"\n:", b"\r:", b"\\u0022", b"\\u003a", b"\\u003A")

_ZEROS_FOR_DIGITS = bytes.maketrans(b"123456789", b"000000000")
#: Integers from 2^63 on have 19 digits or more; orjson itself refuses to write shorter ones beyond 2^53-1 again.
_MANY_DIGITS = re.compile(rb"0000000000000000000+")
_BEFORE_NUMBER = b" \t\n\r,:[-"
_AFTER_NUMBER = b" \t\n\r,]}"

_FLOAT = (re.compile(rb"\.[0-9]+(?:e[-+]?[0-9]+)?,?(?:\n|$)"), re.compile(rb"e[-+]?[0-9]+,?(?:\n|$)"))


def read_certified(data: bytes) -> tuple[Json, bool] | None:
    """The value and whether it holds no float; None where the certificate cannot be given."""
    if any(spelling in data for spelling in _UNCOUNTABLE) or _may_hold_long_integer(data):
        return None
    collecting = gc.isenabled()
    gc.disable()  # a tree has no cycles, and the collector would walk it again and again while it grows
    try:
        value: Json = orjson.loads(data)
        lines = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_STRICT_INTEGER)
    except (ValueError, TypeError):  # orjson.JSONDecodeError and JSONEncodeError
        return None
    finally:
        if collecting:
            gc.enable()
    # Each key ends in `":`, and so does each `\":` inside a string, in both texts alike; a key that was given twice
    # is there once in what is written again.
    if lines.count(b'":') != data.count(b'":') or _TOO_DEEP in lines or lines.count(b"\n") >= MAX_VALUES:
        return None
    return value, not any(pattern.search(lines) for pattern in _FLOAT)


def _may_hold_long_integer(data: bytes) -> bool:
    zeros = data.translate(_ZEROS_FOR_DIGITS)
    for found in _MANY_DIGITS.finditer(zeros):
        before = zeros[found.start() - 1 : found.start()]
        after = zeros[found.end() : found.end() + 1]
        if (not before or before in _BEFORE_NUMBER) and (not after or after in _AFTER_NUMBER):
            return True
    return False

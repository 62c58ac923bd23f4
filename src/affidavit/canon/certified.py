"""Reading with orjson, and the certificate that its answer is the strict reader's (ADR 0002).

orjson refuses what we refuse but for four things: it takes duplicate keys (the last wins), rounds integers beyond 64
bits, goes deeper, and does not count. What it read is written again with indentation, which it does at a third of the
cost of reading; from that text, where no string holds a raw line end, all four can be told. Importing this module
imports orjson.
"""

from __future__ import annotations

import re

import orjson

from ..values import MAX_DEPTH, MAX_VALUES
from .collector import growing_a_tree
from .fast import LAYS_OUT_AS_EXPECTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Json

_TOO_DEEP = b"\n" + b"  " * MAX_DEPTH

#: A colon written as an escape comes back as a colon, and the count of colons is no certificate.
_ESCAPED_COLON = re.compile(rb"\\u003[aA]")

_ZEROS_FOR_DIGITS = bytes.maketrans(b"123456789", b"000000000")
#: Integers from 2^63 on have 19 digits or more; orjson itself refuses to write shorter ones beyond 2^53-1 again.
_MANY_DIGITS = re.compile(rb"0000000000000000000+")
_BEFORE_NUMBER = b" \t\n\r,:[-"
_AFTER_NUMBER = b" \t\n\r,]}"

#: A double's line, by the character that is rarest in it. An exponent without a point has a sign.
_POINT = re.compile(rb"\.[0-9]+(?:e[-+][0-9]+)?,?(?:\n|$)")
_EXPONENT = (re.compile(rb"\+(?<=[0-9]e\+)[0-9]+,?(?:\n|$)"), re.compile(rb"-(?<=[0-9]e-)[0-9]+,?(?:\n|$)"))


def read_certified(data: bytes) -> tuple[Json, bool] | None:
    """The value and whether it holds no float; None where the certificate cannot be given."""
    if not LAYS_OUT_AS_EXPECTED or (b"\\" in data and _ESCAPED_COLON.search(data)):
        return None
    try:
        with growing_a_tree(len(data)):
            value: Json = orjson.loads(data)
        lines = orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_STRICT_INTEGER)
    except (ValueError, TypeError):  # orjson.JSONDecodeError and JSONEncodeError
        return None
    # Each member has a colon, and each colon inside a string stands in both texts; a member whose key was given twice
    # is there once in what is written again.
    if lines.count(b":") != data.count(b":") or _TOO_DEEP in lines or lines.count(b"\n") >= MAX_VALUES:
        return None
    large_double = b"+" in lines and _EXPONENT[0].search(lines) is not None
    if large_double and _may_hold_long_integer(data):
        return None
    # a byte alone is looked for ten times as fast as a pattern
    has_double = (
        large_double
        or (b"." in lines and _POINT.search(lines) is not None)
        or (b"-" in lines and _EXPONENT[1].search(lines) is not None)
    )
    return value, not has_double


def _may_hold_long_integer(data: bytes) -> bool:
    zeros = data.translate(_ZEROS_FOR_DIGITS)
    for found in _MANY_DIGITS.finditer(zeros):
        before = zeros[found.start() - 1 : found.start()]
        after = zeros[found.end() : found.end() + 1]
        if (not before or before in _BEFORE_NUMBER) and (not after or after in _AFTER_NUMBER):
            return True
    return False

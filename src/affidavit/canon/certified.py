"""Reading with orjson, and the certificate that its answer is the strict reader's (ADR 0002).

orjson refuses what we refuse but for four things: it takes duplicate keys (the last wins), rounds integers beyond 64
bits, goes deeper, and does not count. What it read is written again, which it does at a quarter of the cost of
reading, and all four can be told from that. Importing this module imports orjson.
"""

from __future__ import annotations

import re

import orjson

from ..values import MAX_DEPTH, MAX_VALUES
from .collector import growing_a_tree
from .fast import LAYS_OUT_AS_EXPECTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..values import Json

#: How deep orjson writes. Within as many containers of ours as it writes more than we allow, it refuses what is too
#: deep itself.
_DEEPEST = 254
_OURS = _DEEPEST - MAX_DEPTH

#: A colon written as an escape comes back as a colon, and the count of colons is no certificate.
_ESCAPED_COLON = re.compile(rb"\\u003[aA]")

_ZEROS_FOR_DIGITS = bytes.maketrans(b"123456789", b"000000000")
#: Integers from 2^63 on have 19 digits or more; orjson itself refuses to write shorter ones beyond 2^53-1 again.
_MANY_DIGITS = re.compile(rb"0000000000000000000+")
_BEFORE_NUMBER = b" \t\n\r,:[-"
_AFTER_NUMBER = b" \t\n\r,]}"

#: What a double has and an integer has not, by the byte that is rarest in it, and what else ends that way in a string.
_FRACTION = re.compile(rb"\.[0-9]+(?:e[-+][0-9]+)?[,\]}]")
_NEGATIVE_EXPONENT = re.compile(rb"-(?<=[0-9]e-)[0-9]+[,\]}]")
_POSITIVE_EXPONENT = re.compile(rb"\+(?<=[0-9]e\+)[0-9]+[,\]}]")
_LONGEST_DOUBLE = 30


def _writes_as_deep_as_expected() -> bool:
    """Another release may go deeper or less deep; then nothing can be certified."""
    nested: Any = []
    for _ in range(_DEEPEST - 1):
        nested = [nested]
    try:
        orjson.dumps(nested)
    except TypeError:
        return False
    try:
        orjson.dumps([nested])
    except TypeError:
        return True
    return False


_CAN_CERTIFY = LAYS_OUT_AS_EXPECTED and _writes_as_deep_as_expected()


def read_certified(data: bytes) -> tuple[Json, bool] | None:
    """The value and whether it surely holds no double; None where the certificate cannot be given."""
    if not _CAN_CERTIFY or (b"\\" in data and _ESCAPED_COLON.search(data)):
        return None
    try:
        with growing_a_tree(len(data)):
            value: Json = orjson.loads(data)
        text = _written_again(value)
    except (ValueError, TypeError):  # orjson.JSONDecodeError and JSONEncodeError
        return None
    # What is written again as it was lost nothing. Else: each member has a colon, and each colon inside a string stands
    # in both texts; a member whose key was given twice is there once in what is written again.
    is_same = len(text) == len(data) + 2 * _OURS and text.startswith(data, _OURS)
    if not is_same and text.count(b":") != data.count(b":"):
        return None
    if len(data) > MAX_VALUES and _may_hold_too_many(text):
        return None
    # orjson reads an integer beyond 64 bits as a double, and writes that with an exponent
    large_double = _holds(text, b"+", _POSITIVE_EXPONENT)
    if large_double and _may_hold_long_integer(data):
        return None
    has_double = large_double or _holds(text, b".", _FRACTION) or _holds(text, b"-", _NEGATIVE_EXPONENT)
    return value, not has_double


def _written_again(value: Json) -> bytes:
    for _ in range(_OURS):
        value = [value]
    return orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)


def _may_hold_too_many(text: bytes) -> bool:
    """There is a value more than there are commas and containers that are not empty. What stands inside strings only
    makes the bound wider."""
    return text.count(b",") + text.count(b"[") + text.count(b"{") >= MAX_VALUES


def _holds(text: bytes, rare: bytes, pattern: re.Pattern[bytes]) -> bool:
    """Does a number of that kind stand in the text? A byte alone is looked for ten times as fast as a pattern."""
    return rare in text and any(_is_number(text, found.start()) for found in pattern.finditer(text))


def _is_number(text: bytes, at: int) -> bool:
    """Not the end of a word in a string: digits go back to what stands before a value."""
    before = text[max(0, at - _LONGEST_DOUBLE) : at].rstrip(b"0123456789.e").removesuffix(b"-")
    return before[-1:] in (b"", b",", b":", b"[")


def _may_hold_long_integer(data: bytes) -> bool:
    zeros = data.translate(_ZEROS_FOR_DIGITS)
    for found in _MANY_DIGITS.finditer(zeros):
        before = zeros[found.start() - 1 : found.start()]
        after = zeros[found.end() : found.end() + 1]
        if (not before or before in _BEFORE_NUMBER) and (not after or after in _AFTER_NUMBER):
            return True
    return False

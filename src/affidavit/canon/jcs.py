"""Canonical JSON: RFC 8785 (JCS), exactly, for every value that JSON can carry exactly; the rest is refused.

Three writers, one result. `_written` below is the reference: plain Python, walks without recursion, names the place
of what it refuses. The standard library's C encoder serves small documents, orjson (fast.py) large ones; both are
used only where their output provably is the reference's, and the tests hold all three together (ADR 0004).
"""

from __future__ import annotations

import sys
from _json import encode_basestring, make_encoder

from ..errors import UnsupportedValue
from ..values import MAX_DEPTH, MAX_SAFE_INTEGER, pointer
from .numbers import number_text
from .order import in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: Importing orjson costs as much as writing this many bytes without it: rent until the rent has paid for the purchase.
_IMPORT_WORTH = 1_000_000
_written_without = 0
_fast: Callable[[Any], bytes | None] | None = None


def canonical(value: object) -> bytes:
    """The JCS bytes of `value`. Raises UnsupportedValue for what JSON cannot carry: NaN, infinities, integers beyond
    2^53-1, lone surrogates, keys that are no strings, subclasses (an enum is no int), more than 200 levels."""
    global _written_without
    if _fast is not None or "orjson" in sys.modules or _written_without > _IMPORT_WORTH:
        text = (_fast or _load_fast())(value)
        return _written(value) if text is None else text
    small = _small(value)
    if small is None:
        small = _written(value)
    _written_without += len(small)
    return small


def _load_fast() -> Callable[[Any], bytes | None]:
    global _fast
    from .fast import fast_canonical

    _fast = fast_canonical
    return fast_canonical


_encode = make_encoder(None, None, encode_basestring, None, ":", ",", True, False, False)  # type: ignore[arg-type]


class _NotSmall(Exception):
    """The value is no business of the standard library's encoder; the reference writer decides."""


def _small(value: object) -> bytes | None:
    """By the standard library's C encoder, which escapes as JCS does, sorts by code point, writes floats by repr and
    takes subclasses and other keys: so only exact types, no float and no character beyond U+FFFF may pass."""
    try:
        _check_plain(value, MAX_DEPTH)
        text = "".join(_encode(value, 0))
        if not text.isascii() and max(text) > "\uffff":
            return None
        return text.encode()
    except (_NotSmall, RecursionError, UnicodeEncodeError):
        return None


def _check_plain(value: Any, levels: int) -> None:
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return
    if kind is int:
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise _NotSmall
    elif levels == 0:
        raise _NotSmall
    elif kind is dict:
        for key, member in value.items():
            if type(key) is not str:
                raise _NotSmall
            if type(member) is not str:
                _check_plain(member, levels - 1)
    elif kind is list:
        for member in value:
            if type(member) is not str:
                _check_plain(member, levels - 1)
    else:
        raise _NotSmall


def _written(root: Any) -> bytes:
    """The reference writer. A stack of iterators instead of recursion: no nesting can exhaust the interpreter."""
    out: list[str] = []
    place: list[str | int] = []  # the step into each open container's current member
    open_ends: list[str] = []
    todo: list[Iterator[tuple[Any, Any]]] = []
    value = root
    while True:
        kind = type(value)
        if kind is dict or kind is list or kind is tuple:
            if len(todo) == MAX_DEPTH:
                raise _refused(place, "VALUE_TOO_DEEP", f"at most {MAX_DEPTH} levels", "another level")
            if kind is dict:
                members = value
                for key in members:
                    if type(key) is not str:
                        raise _refused(place, "VALUE_KEY", "member names that are str", type(key).__name__)
                    _check_text(key, place)
                todo.append(iter([(key, members[key]) for key in in_order(members)]))
                out.append("{")
                open_ends.append("}")
            else:
                todo.append(iter(enumerate(value)))
                out.append("[")
                open_ends.append("]")
            place.append("")
            first = True
        else:
            out.append(_scalar(value, place))
            first = False
        # on to the next member, closing what has none left
        while todo:
            following = next(todo[-1], None)
            if following is None:
                todo.pop()
                place.pop()
                out.append(open_ends.pop())
                first = False
                continue
            step, value = following
            if not first:
                out.append(",")
            place[-1] = step
            if open_ends[-1] == "}":
                out.append(encode_basestring(step))
                out.append(":")
            break
        else:
            return "".join(out).encode()


def _scalar(value: Any, place: list[str | int]) -> str:
    kind = type(value)
    if kind is str:
        _check_text(value, place)
        return encode_basestring(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        if not -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            raise _refused(place, "VALUE_INTEGER", "an integer within +-(2^53-1)", "one beyond")
        return repr(value)
    if kind is float:
        if value - value != 0:
            raise _refused(place, "VALUE_NOT_FINITE", "a finite number", repr(value))
        return number_text(value)
    raise _refused(place, "VALUE_TYPE", "None, bool, int, float, str, list, tuple or dict exactly", kind.__name__)


def _check_text(text: str, place: list[str | int]) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            found = f"U+{ord(text[error.start]):04X}"
            raise _refused(place, "VALUE_SURROGATE", "Unicode text without lone surrogates", found) from None


def _refused(place: list[str | int], code: str, expected: str, found: str) -> UnsupportedValue:
    where = pointer(*place)
    message = f"expected {expected}, found {found} at {where or 'the root'}"
    return UnsupportedValue(code, message, place=where, expected=expected, found=found)

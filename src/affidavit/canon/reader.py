"""The strict reader: bytes in, a value out, or a ParseError that names the byte (contracts 1).

Refused before any rule runs: duplicate keys, NaN and infinities, numbers that overflow, integers that a double would
round, lone surrogates, invalid UTF-8, a byte order mark, trailing text, more than 200 levels, too many bytes or values.

Three readers, one answer. reference.py decides and explains; it is slow. The standard library's C scanner and orjson
are asked first, and believed only where what they accept provably is what the reference accepts; on any doubt the
reference is asked (ADR 0002).
"""

from __future__ import annotations

import sys
from _json import make_scanner

from ..values import MAX_DEPTH, MAX_VALUES
from .collector import growing_a_tree
from .jcs import canonical
from .numbers import integer_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Json

MAX_BYTES = 64 * 1024 * 1024

#: Importing orjson costs as much as reading this many bytes without it.
_IMPORT_WORTH = 1_500_000
#: Below this the certificate that orjson's answer needs costs more than it saves.
_WORTH_A_CERTIFICATE = 16_384
_BLANK = " \t\n\r"


class Document:
    """A value with what the reader learned about it on the way."""

    __slots__ = ("_float_free", "_untouched", "_value")

    def __init__(self, value: Json, float_free: bool) -> None:
        self._value = value
        self._float_free = float_free
        self._untouched = True

    @property
    def value(self) -> Json:
        """The value. Whoever holds it may change it, so what the reader knows of it is not relied on from here on."""
        self._untouched = False
        return self._value

    def canonical(self) -> bytes:
        """The JCS bytes. Before `value` was handed out, a document without floats needs no checks at all."""
        if self._untouched and self._float_free:
            from .fast import fast_canonical_of_float_free

            text = fast_canonical_of_float_free(self._value)
            if text is not None:
                return text
        return canonical(self._value)


def read(data: bytes, *, max_bytes: int = MAX_BYTES) -> Json:
    """The value that `data` holds as strict JSON. Raises ParseError, and nothing else, whatever the bytes."""
    return read_document(data, max_bytes=max_bytes).value


def read_document(data: bytes, *, max_bytes: int = MAX_BYTES) -> Document:
    document = None
    if len(data) <= max_bytes:
        if len(data) > _IMPORT_WORTH or (len(data) > _WORTH_A_CERTIFICATE and "orjson" in sys.modules):
            from .certified import read_certified

            certified = read_certified(data)
            if certified is not None:
                document = Document(*certified)
        if document is None:
            document = _scanned(data)
    if document is None:
        from .reference import read_reference

        document = Document(read_reference(data, max_bytes=max_bytes), float_free=False)
    return document


class _Doubt(Exception):
    """The C scanner met what it would take and we may not: the reference decides."""


def _members(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Doubt
    return members


def _integer(literal: str) -> int | float:
    number = integer_literal(literal)
    if number is None:
        raise _Doubt
    return number


def _double(literal: str) -> float:
    number = float(literal)
    if number - number != 0:
        raise _Doubt
    return number


def _constant(_name: str) -> None:
    raise _Doubt


class _Hooks:
    """What the C scanner calls; the attribute names are its own."""

    strict = True
    object_hook = None
    object_pairs_hook = staticmethod(_members)
    parse_float = staticmethod(_double)
    parse_int = staticmethod(_integer)
    parse_constant = staticmethod(_constant)


_scan = make_scanner(_Hooks)  # type: ignore[arg-type]

#: How the C scanner says no. Its own error, a ValueError, is a class in json.decoder, which costs as much to import as
#: a verification takes; where nobody has imported it the scanner ends without an exception, and that is a SystemError.
SCANNER_REFUSALS = (StopIteration, ValueError, RecursionError, SystemError)


def _scanned(data: bytes) -> Document | None:
    """By the standard library's C scanner. It takes lone surrogates, so any escaped one is a doubt; it does not count
    levels or values, so a text with brackets or bytes enough for too many has them counted afterwards."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if "\\u" in text and "\\ud" in text.lower():
        return None
    start = len(text) - len(text.lstrip(_BLANK))
    try:
        with growing_a_tree(len(text)):
            value, end = _scan(text, start)
    except (*SCANNER_REFUSALS, _Doubt):
        return None
    if text[end:].strip(_BLANK):
        return None
    may_be_too_large = text.count("[") + text.count("{") > MAX_DEPTH or len(text) > MAX_VALUES
    if may_be_too_large and is_too_large(value):
        return None
    return Document(value, float_free=False)


def is_too_large(value: Json) -> bool:
    """True when the reference has a reason to refuse: more values or levels than it takes."""
    count = 1
    depth = 0
    level = [value] if type(value) is dict or type(value) is list else []
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return True
        below: list[Json] = []
        for container in level:
            count += len(container)
            below += container.values() if type(container) is dict else container
        if count > MAX_VALUES:
            return True
        level = [member for member in below if type(member) is dict or type(member) is list]
    return False

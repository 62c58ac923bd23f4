"""Differences that somebody declared to be none: by name, each with its bound, and listed in the result.

A normaliser takes two values that differ and makes one of them more like the other; what is equal then is `equivalent`,
never `identical`. Without being asked for, none is applied.
"""

from __future__ import annotations

from ..errors import UsageError
from ..shown import plain
from ..values import DIGITS, parse_timestamp, pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from ..values import Json, Step

    #: The replayed value, made like the sealed one where the normaliser holds the difference for none.
    Likening: TypeAlias = Callable[["Json", "Json", tuple[Step, ...]], Json]

KEY_ORDER = "key-order"
FLOAT_TOLERANCE = "float-tolerance"
TIMESTAMPS = "timestamps"
LINE_ORDER = "line-order"

#: What each one takes behind a `=`, and what it holds for no difference.
NAMES = {
    KEY_ORDER: ("", "the spelling of JSON: the order of members, blanks, escapes"),
    FLOAT_TOLERANCE: ("BOUND", "numbers a and b with |a-b| <= BOUND * max(1, |a|, |b|)"),
    TIMESTAMPS: ("POINTER,...", "instants, or numbers, that both stand at one of the places"),
    LINE_ORDER: ("", "the order of the lines of an output that is no JSON"),
}

_DATE = "YYYY-MM-DDTHH:MM:SS"


class Normalisers:
    """Those that were asked for."""

    __slots__ = ("bound", "names", "told", "where")

    def __init__(self, spoken: Sequence[str] = ()) -> None:
        self.names: set[str] = set()
        self.bound = 0.0
        self.where: frozenset[str] = frozenset()
        #: As they were declared, for the result.
        self.told: list[str] = []
        for text in spoken:
            self._take(text)

    def __bool__(self) -> bool:
        return bool(self.names)

    def _take(self, text: str) -> None:
        name, equals, value = text.partition("=")
        if name not in NAMES:
            raise UsageError("USAGE", f"expected one of {', '.join(NAMES)}, found {plain(name)!r}")
        if bool(NAMES[name][0]) != bool(equals):
            told = f"{name}={NAMES[name][0]}" if NAMES[name][0] else f"{name} and no value"
            raise UsageError("USAGE", f"expected {told}, found {plain(text)!r}")
        if name == FLOAT_TOLERANCE:
            self.bound = _bound(value)
        if name == TIMESTAMPS:
            places = value.split(",")
            if not all(place.startswith("/") for place in places):
                raise UsageError("USAGE", f"expected JSON Pointers, found {plain(value)!r}")
            self.where = self.where.union(places)
        self.names.add(name)
        self.told.append(text)

    def liken(self, sealed: Json, replayed: Json) -> Json:
        """The replayed value with every difference that was declared to be none taken out of it."""
        return self._liken(sealed, replayed, ())

    def _liken(self, sealed: Json, replayed: Json, place: tuple[Step, ...]) -> Json:
        if type(sealed) is dict and type(replayed) is dict:
            return {
                name: self._liken(sealed[name], member, (*place, name)) if name in sealed else member
                for name, member in replayed.items()
            }
        if type(sealed) is list and type(replayed) is list:
            shared = min(len(sealed), len(replayed))
            items = [self._liken(sealed[index], replayed[index], (*place, index)) for index in range(shared)]
            return items + replayed[shared:]
        if self.where and pointer(*place) in self.where and _both_tell_time(sealed, replayed):
            return sealed
        if FLOAT_TOLERANCE in self.names and _is_number(sealed) and _is_number(replayed):
            return sealed if self._near(sealed, replayed) else replayed  # type: ignore[arg-type]
        return replayed

    def _near(self, left: float, right: float) -> bool:
        return abs(left - right) <= self.bound * max(1, abs(left), abs(right))

    def lines(self, text: bytes) -> bytes:
        """A text that is no JSON, in the order in which its lines sort, if that was asked for."""
        return b"\n".join(sorted(text.split(b"\n"))) if LINE_ORDER in self.names else text


def _bound(value: str) -> float:
    try:
        bound = float(value)
    except ValueError:
        bound = -1.0
    if not 0 < bound < 1 or value[:1] not in (*DIGITS, "."):
        raise UsageError("USAGE", f"expected a bound between 0 and 1, found {plain(value)!r}")
    return bound


def _is_number(value: Json) -> bool:
    return type(value) is int or type(value) is float


def _both_tell_time(left: Json, right: Json) -> bool:
    return (_is_number(left) and _is_number(right)) or (_is_instant(left) and _is_instant(right))


def _is_instant(value: Json) -> bool:
    """Also with another fraction or offset: a date and a time of day are enough."""
    return type(value) is str and parse_timestamp(value[: len(_DATE)] + "Z") is not None

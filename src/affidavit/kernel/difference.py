"""Where two values differ, place by place, in the order in which canonical JSON writes them."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.order import in_order
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from ..values import Json, Step

    Steps: TypeAlias = "tuple[Step, ...]"
    #: A place, and what stands there on either side.
    Place: TypeAlias = "tuple[Steps, Json | Absent, Json | Absent]"


class Absent:
    """Stands for what only the other side has."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


def differences(left: Json, right: Json, steps: Steps = ()) -> Iterator[Place]:
    """The deepest places where two values are not the same JSON: `1` and `1.0` are, `true` and `1` are not. Neither is
    deeper than what a strict reader reads."""
    if type(left) is dict and type(right) is dict:
        for name in in_order(left.keys() | right.keys()):
            yield from _below(left.get(name, ABSENT), right.get(name, ABSENT), (*steps, name))
    elif type(left) is list and type(right) is list:
        for index in range(max(len(left), len(right))):
            one = left[index] if index < len(left) else ABSENT
            other = right[index] if index < len(right) else ABSENT
            yield from _below(one, other, (*steps, index))
    elif not (left is right or (type(left) is str and left == right)) and canonical(left) != canonical(right):
        yield steps, left, right


def _below(one: Json | Absent, other: Json | Absent, steps: Steps) -> Iterator[Place]:
    if isinstance(one, Absent) or isinstance(other, Absent):
        yield steps, one, other
    else:
        yield from differences(one, other, steps)


class FirstDifference:
    """The place, and what stands there on either side, for a message; what is not there is `nothing`."""

    __slots__ = ("found", "steps", "wanted")

    def __init__(self, steps: Steps, wanted: str, found: str) -> None:
        self.steps = steps
        self.wanted = wanted
        self.found = found

    def __repr__(self) -> str:
        return f"FirstDifference({self.steps!r}, {self.wanted!r}, {self.found!r})"


def first_difference(left: Json, right: Json) -> FirstDifference | None:
    """None when the two are one value."""
    for steps, wanted, found in differences(left, right):
        return FirstDifference(steps, _told(wanted), _told(found))
    return None


def _told(value: Json | Absent) -> str:
    return "nothing" if isinstance(value, Absent) else shown(value)

"""Where two values first differ, in the order in which canonical JSON writes them."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.order import in_order
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Json, Step


class Difference:
    """The place, and what stands there on either side; a member that is not there is None and told as `nothing`."""

    __slots__ = ("found", "steps", "wanted")

    def __init__(self, steps: tuple[Step, ...], wanted: str, found: str) -> None:
        self.steps = steps
        self.wanted = wanted
        self.found = found

    def __repr__(self) -> str:
        return f"Difference({self.steps!r}, {self.wanted!r}, {self.found!r})"


_NOTHING = "nothing"


def first_difference(left: Json, right: Json) -> Difference | None:
    """None when the two are one value: `1` and `1.0` are, `true` and `1` are not. Neither is deeper than what a strict
    reader reads."""
    return _differs(left, right, ())


def _differs(left: Json, right: Json, place: tuple[Step, ...]) -> Difference | None:
    if type(left) is dict and type(right) is dict:
        for name in in_order(left.keys() | right.keys()):
            if name not in right:
                return Difference((*place, name), shown(left[name]), _NOTHING)
            if name not in left:
                return Difference((*place, name), _NOTHING, shown(right[name]))
            if found := _differs(left[name], right[name], (*place, name)):
                return found
        return None
    if type(left) is list and type(right) is list:
        for index, (mine, theirs) in enumerate(zip(left, right, strict=False)):
            if found := _differs(mine, theirs, (*place, index)):
                return found
        shorter = min(len(left), len(right))
        if len(left) > shorter:
            return Difference((*place, shorter), shown(left[shorter]), _NOTHING)
        if len(right) > shorter:
            return Difference((*place, shorter), _NOTHING, shown(right[shorter]))
        return None
    if left is right or (type(left) is str and left == right) or canonical(left) == canonical(right):
        return None
    return Difference(place, shown(left), shown(right))

"""The shape of a document, as data: what its members are, and which rule speaks when one is not.

`fits` answers quickly whether a value has the shape; only when it has not does `explain` walk it again to say where.
Both are total over any Python value. A whole double counts as an integer, `true` does not (contracts 1).
"""

from __future__ import annotations

from ..shown import kind_of, shown
from ..values import MAX_SAFE_INTEGER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..values import Step

    Tell = Callable[[str, tuple[Step, ...], str, str], None]

#: The rule id of a missing or wrongly typed container (contracts 2.8).
SCHEMA = "SCHEMA"


class _Absent:
    """Stands for a member that is not there; fits no shape."""


ABSENT = _Absent()


class Shape:
    """One node. `rule` is the id that speaks for it; without one, its container's."""

    __slots__ = ("expected", "fits", "rule")

    is_container = False

    def __init__(self, expected: str, fits: Callable[[Any], bool], rule: str) -> None:
        self.expected = expected
        self.fits = fits
        self.rule = rule

    def explain(self, value: object, place: tuple[Step, ...], rule: str, tell: Tell) -> None:
        """Tells each place where `value` does not fit; `rule` is the container's."""
        if not self.fits(value):
            tell(self.rule or rule, place, self.expected, self.seen(value))

    def seen(self, value: object) -> str:
        return shown(value)


class Text(Shape):
    __slots__ = ()

    def __init__(
        self, form: Callable[[str], bool] | None = None, expected: str = "a string", *, rule: str = ""
    ) -> None:
        def fits(value: Any) -> bool:
            return type(value) is str and form(value)  # type: ignore[misc]  # else it is _is_text

        super().__init__(expected, fits if form else _is_text, rule)


def _is_text(value: object) -> bool:
    return type(value) is str


def non_empty(rule: str = "") -> Text:
    return Text(bool, "a non-empty string", rule=rule)


class OneOf(Shape):
    """One of a few constants, compared with their type."""

    __slots__ = ("constants",)

    def __init__(self, *constants: str | int | bool, rule: str = "") -> None:
        self.constants = constants
        texts = frozenset(constant for constant in constants if type(constant) is str)
        others = {(type(constant), constant) for constant in constants} if len(texts) < len(constants) else None
        names = ", ".join(shown(constant) for constant in constants)

        def fits(value: Any) -> bool:
            kind = type(value)
            if kind is str:
                return value in texts
            return others is not None and (kind is bool or kind is int) and (kind, value) in others

        super().__init__(names if len(constants) == 1 else f"one of {names}", fits, rule)


class Bool(Shape):
    __slots__ = ()

    def __init__(self, *, rule: str = "") -> None:
        super().__init__("true or false", _is_bool, rule)


def _is_bool(value: object) -> bool:
    return value is True or value is False


class Int(Shape):
    __slots__ = ("high", "low")

    def __init__(self, low: int = -MAX_SAFE_INTEGER, high: int = MAX_SAFE_INTEGER, *, rule: str = "") -> None:
        self.low = low
        self.high = high

        def fits(value: Any) -> bool:
            kind = type(value)
            if kind is int:
                return low <= value <= high  # type: ignore[no-any-return]
            return kind is float and value.is_integer() and low <= value <= high

        if high < MAX_SAFE_INTEGER:
            expected = f"an integer in [{low}, {high}]"
        elif low > -MAX_SAFE_INTEGER:
            expected = f"an integer of at least {low}"
        else:
            expected = "an integer"
        super().__init__(expected, fits, rule)


class Arr(Shape):
    """An array; `items` may be shapes of any kind. An array of more than `most` items is refused as a whole."""

    __slots__ = ("container_rule", "items", "most")

    is_container = True

    def __init__(self, items: Shape, *, rule: str = "", container_rule: str = SCHEMA, most: int | None = None) -> None:
        self.items = items
        self.most = most
        self.container_rule = container_rule
        each_fits = items.fits

        def fits(value: Any) -> bool:
            if type(value) is not list or (most is not None and len(value) > most):
                return False
            for item in value:  # noqa: SIM110 -- a generator costs more than these short arrays hold
                if not each_fits(item):
                    return False
            return True

        super().__init__("an array", fits, rule)

    def explain(self, value: object, place: tuple[Step, ...], rule: str, tell: Tell) -> None:
        own = self.rule or rule
        if type(value) is not list:
            tell(self.container_rule or own, place, self.expected, kind_of(value))
        elif self.most is not None and len(value) > self.most:
            tell(own, place, f"at most {self.most} items", f"{len(value)}")
        else:
            for index, item in enumerate(value):
                if not self.items.fits(item):
                    self.items.explain(item, (*place, index), own, tell)


class Obj(Shape):
    """An object. Unknown members are free unless `closed`. `missing` is the rule of an absent required member; without
    it an absent container is SCHEMA and an absent scalar breaks the scalar's own rule."""

    __slots__ = ("closed", "container_rule", "members", "missing", "optional")

    is_container = True

    def __init__(
        self,
        members: dict[str, Shape],
        optional: dict[str, Shape] | None = None,
        *,
        rule: str = "",
        container_rule: str = SCHEMA,
        missing: str = "",
        closed: str = "",
    ) -> None:
        self.members = members
        self.optional = optional or {}
        self.missing = missing
        self.container_rule = container_rule
        self.closed = closed
        required = [(name, shape.fits) for name, shape in members.items()]
        free = [(name, shape.fits) for name, shape in self.optional.items()]
        known = members.keys() | self.optional.keys()

        def fits(value: Any) -> bool:
            if type(value) is not dict:
                return False
            get = value.get
            for name, member_fits in required:
                if not member_fits(get(name, ABSENT)):
                    return False
            for name, member_fits in free:
                if name in value and not member_fits(value[name]):
                    return False
            return not closed or value.keys() <= known

        super().__init__("an object", fits, rule)

    def explain(self, value: object, place: tuple[Step, ...], rule: str, tell: Tell) -> None:
        own = self.rule or rule
        if type(value) is not dict:
            tell(self.container_rule or own, place, self.expected, kind_of(value))
            return
        for name, shape in self.members.items():
            if name not in value:
                fallback = SCHEMA if shape.is_container else shape.rule or own
                tell(self.missing or fallback, (*place, name), shape.expected, "no such member")
            elif not shape.fits(value[name]):
                shape.explain(value[name], (*place, name), own, tell)
        for name, shape in self.optional.items():
            if name in value and not shape.fits(value[name]):
                shape.explain(value[name], (*place, name), own, tell)
        if self.closed:
            for name in value:
                if name not in self.members and name not in self.optional:
                    tell(self.closed, (*place, name if type(name) is str else shown(name)), "no such member", "one")


class Map(Shape):
    """An object whose keys are the document's own: any number of them, each with a value of one shape."""

    __slots__ = ("container_rule", "values")

    is_container = True

    def __init__(self, values: Shape, *, rule: str = "", container_rule: str = SCHEMA) -> None:
        self.values = values
        self.container_rule = container_rule
        each_fits = values.fits

        def fits(value: Any) -> bool:
            return type(value) is dict and all(type(key) is str and each_fits(member) for key, member in value.items())

        super().__init__("an object", fits, rule)

    def explain(self, value: object, place: tuple[Step, ...], rule: str, tell: Tell) -> None:
        own = self.rule or rule
        if type(value) is not dict:
            tell(self.container_rule or own, place, self.expected, kind_of(value))
            return
        for name, member in value.items():
            if type(name) is not str:
                tell(own, (*place, shown(name)), "a string for a key", kind_of(name))
            elif not self.values.fits(member):
                self.values.explain(member, (*place, name), own, tell)


class Nullable(Shape):
    """`null` or the shape. Its own `rule` speaks where there is neither."""

    __slots__ = ("shape",)

    def __init__(self, shape: Shape, *, rule: str = "") -> None:
        self.shape = shape
        inner = shape.fits
        super().__init__(f"{shape.expected} or null", lambda value: value is None or inner(value), rule or shape.rule)

    def explain(self, value: object, place: tuple[Step, ...], rule: str, tell: Tell) -> None:
        if type(value) in (dict, list):
            self.shape.explain(value, place, rule, tell)
        else:
            super().explain(value, place, rule, tell)


class Anything(Shape):
    """Present is enough."""

    __slots__ = ()

    def __init__(self, *, rule: str = "") -> None:
        super().__init__("a value", lambda value: value is not ABSENT, rule)

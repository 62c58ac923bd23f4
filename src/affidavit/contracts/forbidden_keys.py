"""Keys that speak of a person, a role or a bill, and may not enter an engine's run (contracts 3, Forbidden keys).

They are stripped from the input's `context`; anywhere else, and anywhere in an output, they are refused. A key is
compared by its form, so that `userID`, `User-Id` and `_user_id` are one key; `USERID` and `role_count` are others.
"""

from __future__ import annotations

import re

from ..values import pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..values import Json, Step

FORBIDDEN = (
    *("user_email", "user_id", "username", "phone", "oauth_subject", "device_id"),
    *("role", "roles", "permissions", "feature_flags", "admin", "account_status"),
    *("billing_tier", "subscription_status", "price_id", "invoice_id", "payment_state"),
)

#: Where an input schema names more of them, below its `properties.context` and its `context`.
_MORE = ("x_forbidden_fields", "forbidden_fields")

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BREAKS = re.compile(r"[-._\s]+")


def name_form(name: str) -> str:
    """The form under which two spellings are one key."""
    if not name.isascii():
        from unicodedata import normalize

        name = normalize("NFKC", name)
    return _BREAKS.sub("_", _WORDS.sub("_", name).casefold()).strip("_")


class ForbiddenKeys:
    """The list and what an input schema adds to it. Remembers each spelling it was asked about: documents of megabytes
    have few different keys."""

    __slots__ = ("_forms", "_known")

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._forms = frozenset(form for form in map(name_form, (*FORBIDDEN, *more)) if form)
        self._known: dict[str, bool] = {}

    def holds(self, name: str) -> bool:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = name_form(name) in self._forms
        return known

    def places(self, value: Json, *, but_below: str | None = None) -> Iterator[tuple[Step, ...]]:
        """Where forbidden keys stand in a document, but not in its root's member `but_below`."""
        if self._has_any(value, but_below):
            yield from self._walk(value, but_below)

    def _has_any(self, value: Json, but_below: str | None) -> bool:
        """Without places: nearly every document has none, and this is the quicker walk."""
        known, holds = self._known, self.holds
        level: list[Json] = [value]
        if type(value) is dict:
            if any(map(holds, value)):
                return True
            level = [member for name, member in value.items() if name != but_below]
        while level:
            below: list[Json] = []
            for container in level:
                if type(container) is dict:
                    for name in container:
                        if known.get(name) is not False and holds(name):
                            return True
                    below += container.values()
                elif type(container) is list:
                    below += container
            level = [member for member in below if type(member) is dict or type(member) is list]
        return False

    def _walk(self, value: Json, but_below: str | None) -> Iterator[tuple[Step, ...]]:
        waiting: list[tuple[Json, tuple[Step, ...]]] = [(value, ())]
        while waiting:
            container, place = waiting.pop()
            if type(container) is dict:
                for name, member in container.items():
                    if self.holds(name):
                        yield (*place, name)
                    elif place or name != but_below:
                        waiting.append((member, (*place, name)))
            elif type(container) is list:
                waiting += [(member, (*place, index)) for index, member in enumerate(container)]

    def strip(self, context: Json) -> tuple[Json, list[str]]:
        """The context without them, and the JSON Pointers, from the input's root, of what was taken away. Idempotent;
        what becomes empty stays."""
        removed: list[str] = []
        return self._stripped(context, ("context",), removed), removed

    def _stripped(self, value: Json, place: tuple[Step, ...], removed: list[str]) -> Json:
        if type(value) is dict:
            kept: dict[str, Json] = {}
            for name, member in value.items():
                if self.holds(name):
                    removed.append(pointer(*place, name))
                else:
                    kept[name] = self._stripped(member, (*place, name), removed)
            return kept
        if type(value) is list:
            return [self._stripped(member, (*place, index), removed) for index, member in enumerate(value)]
        return value


def named_by(input_schema: object) -> list[str]:
    """The keys that an input schema forbids besides."""
    found: list[str] = []
    for parents in (("properties", "context"), ("context",)):
        at = input_schema
        for step in parents:
            at = at.get(step) if type(at) is dict else None
        for name in _MORE:
            listed = at.get(name) if type(at) is dict else None
            if type(listed) is list:
                found += [key for key in listed if type(key) is str]
    return found

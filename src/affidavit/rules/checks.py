"""Checks that several contracts share. Each is given sound fields and yields what does not hold."""

from __future__ import annotations

from ..canon.order import in_order, is_in_order, utf16
from ..shown import shown
from ..values import is_content_hash, is_hex, is_semver, parse_timestamp
from .model import Fault
from .shape import Arr, Obj, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


def sorted_texts(texts: list[str]) -> Iterator[Fault]:
    """Sorted by UTF-16 code units; the first text out of place is named."""
    if not is_in_order(texts):
        for index, (found, wanted) in enumerate(zip(texts, in_order(texts), strict=True)):
            if found != wanted:
                yield Fault(f"{shown(wanted)} here, in UTF-16 order", shown(found), index)
                return


def sorted_by(member: str) -> Callable[[list[dict[str, Any]]], Iterator[Fault]]:
    """A check that objects stand in the order of one of their texts."""

    def check(items: list[dict[str, Any]]) -> Iterator[Fault]:
        for fault in sorted_texts([item[member] for item in items]):
            yield Fault(fault.expected, fault.found, *fault.steps, member)

    return check


def every(expected: str, holds: Callable[[str], bool]) -> Callable[[list[str]], Iterator[Fault]]:
    """A check that each text of a list is as `holds` says."""

    def check(texts: list[str]) -> Iterator[Fault]:
        for index, text in enumerate(texts):
            if not holds(text):
                yield Fault(expected, shown(text), index)

    return check


def is_relative(path: str) -> bool:
    """Not empty, no leading slash of either kind, no drive letter."""
    return (
        path != ""
        and not path.startswith(("/", "\\"))
        and not (path[1:2] == ":" and path[:1].isascii() and path[:1].isalpha())
    )


def does_not_climb(path: str) -> bool:
    """No `..` segment, whichever slash separates."""
    return ".." not in path.replace("\\", "/").split("/")


def version_of(major: int, rule: str) -> Text:
    """A schema version of one major: another minor or patch is read, another major is not (contracts 1)."""
    start = f"{major}."
    return Text(lambda text: text.startswith(start) and is_semver(text), f"a version {major}.x.y", rule=rule)


def content_hash(rule: str = "", *, bare: bool = False) -> Text:
    """The seeds' ContentHash; with `bare` also without prefix, as older writers have it."""
    if bare:
        told = "64 lowercase hex digits, with sha256: or without"
        return Text(lambda text: is_content_hash(text) or is_hex(text, 64), told, rule=rule)
    return Text(is_content_hash, "sha256: and 64 lowercase hex digits", rule=rule)


#: An instant as the contracts write it.
INSTANT = Text(lambda text: parse_timestamp(text) is not None, "a UTC instant, YYYY-MM-DDTHH:MM:SS(.mmm)?Z")


def ordered(items: list[dict[str, Any]], key: Callable[[Any], Any], by: str) -> Iterator[Fault]:
    """Objects that have an id, in the order of a key; the first out of place is named."""
    for index, (found, wanted) in enumerate(zip(items, sorted(items, key=key), strict=True)):
        if key(found) != key(wanted):
            yield Fault(f"{shown(wanted['id'])} here, by {by}", shown(found["id"]), index, "id")
            return


def each_once(member: str) -> Callable[[list[dict[str, Any]]], Iterator[Fault]]:
    """A check that no two objects have the same text in a member."""

    def check(items: list[dict[str, Any]]) -> Iterator[Fault]:
        seen: set[str] = set()
        for index, item in enumerate(items):
            if item[member] in seen:
                yield Fault(f"each {member} once", shown(item[member]), index, member)
            seen.add(item[member])

    return check


def stays_below(path: str) -> bool:
    """Relative, and without a way up."""
    return is_relative(path) and does_not_climb(path)


def by_path(items: list[dict[str, Any]]) -> Iterator[Fault]:
    """Items sorted by their `path`, each path once; the first out of place is named."""
    keys = [utf16(item["path"]) for item in items]
    for index in range(1, len(keys)):
        if keys[index] <= keys[index - 1]:
            yield Fault("each path once, in UTF-16 order", shown(items[index]["path"]), index, "path")
            return


def violations() -> Arr:
    """A list of the seeds' violations inside a document."""
    return Arr(Obj({"rule_id": Text(), "message": Text()}, {"path": Text()}, rule="SCHEMA"))


def sorted_violations(found: list[dict[str, Any]]) -> Iterator[Fault]:
    """By rule id, path and message; the first out of place is named."""
    keys = [tuple(utf16(item.get(name, "")) for name in ("rule_id", "path", "message")) for item in found]
    for index in range(1, len(keys)):
        if keys[index] < keys[index - 1]:
            yield Fault("violations by rule_id, path and message", shown(found[index]["rule_id"]), index)
            return


def paths_are_the_patchs(items: list[dict[str, Any]], patch: dict[str, Any]) -> Iterator[Fault]:
    """What was done to each path of a patch: no path more, none less."""
    wanted = in_order(operation["path"] for operation in patch["operations"])
    found = [item["path"] for item in items]
    if found != wanted:
        yield Fault(f"the {len(wanted)} paths of the patch", f"{len(found)} paths, not the same")


def tells_why(outcome: str, error: str | None) -> Iterator[Fault]:
    """Failures and refusals have an `error`."""
    if outcome in ("FAILED", "REFUSED") and error is None:
        yield Fault(f"an error, as the outcome is {outcome}", "no such member", field=1)


def no_text_twice(texts: list[str]) -> Iterator[Fault]:
    """Each text of a list stands in it once."""
    seen: set[str] = set()
    for index, text in enumerate(texts):
        if text in seen:
            yield Fault("each once", shown(text), index)
        seen.add(text)

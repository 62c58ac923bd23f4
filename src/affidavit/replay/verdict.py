"""What came of running something again: identical, equivalent or different, output by output."""

from __future__ import annotations

from ..canon.order import in_order
from ..canon.reader import read
from ..errors import ParseError
from ..kernel.difference import first_difference
from ..shown import plain
from ..values import pointer
from .normalise import KEY_ORDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    from ..values import Json
    from .normalise import Normalisers

    Verdict: TypeAlias = Literal["identical", "equivalent", "different"]

_ORDER: tuple[Verdict, ...] = ("identical", "equivalent", "different")
_LONGEST_LINE = 80


class Compared:
    """One output, sealed and replayed. `place` is a JSON Pointer, or `line N` of what is no JSON."""

    __slots__ = ("name", "place", "replayed", "sealed", "verdict")

    def __init__(self, name: str, verdict: Verdict, place: str = "", sealed: str = "", replayed: str = "") -> None:
        self.name = name
        self.verdict = verdict
        self.place = place
        self.sealed = sealed
        self.replayed = replayed

    def as_json(self) -> dict[str, Any]:
        body = {"name": self.name, "verdict": self.verdict}
        if self.verdict != "identical":
            body |= {"pointer": self.place, "sealed": self.sealed, "replayed": self.replayed}
        return body

    def __repr__(self) -> str:
        return f"Compared({self.name!r}, {self.verdict!r}, {self.place!r})"


def worst(verdicts: list[Verdict]) -> Verdict:
    """Of several, the one that counts for all."""
    return max(verdicts, key=_ORDER.index, default="identical")


def compare(sealed: Mapping[str, bytes], replayed: Mapping[str, bytes], normalisers: Normalisers) -> list[Compared]:
    """Every output of either side, in order."""
    return [
        _compare(name, sealed.get(name), replayed.get(name), normalisers)
        for name in in_order(sealed.keys() | replayed.keys())
    ]


def _compare(name: str, sealed: bytes | None, replayed: bytes | None, normalisers: Normalisers) -> Compared:
    if sealed is None or replayed is None:
        there = "a file", "no file"
        return Compared(name, "different", "", *(there if sealed is not None else there[::-1]))
    if sealed == replayed:
        return Compared(name, "identical")
    try:
        values = read(sealed), read(replayed)
    except ParseError:
        return _compare_texts(name, sealed, replayed, normalisers)
    return _compare_values(name, *values, normalisers)


def _compare_values(name: str, sealed: Json, replayed: Json, normalisers: Normalisers) -> Compared:
    likened = _without_derived(normalisers.liken(sealed, replayed), sealed) if normalisers else replayed
    difference = first_difference(sealed, likened)
    if difference is not None:
        return Compared(name, "different", pointer(*difference.steps), difference.wanted, difference.found)
    # one value: at most spelled otherwise, which is a difference too unless it was declared to be none
    told = first_difference(sealed, replayed)
    if told is None:
        verdict: Verdict = "equivalent" if KEY_ORDER in normalisers.names else "different"
        return Compared(name, verdict, "", "the value", "another spelling of it")
    return Compared(name, "equivalent", pointer(*told.steps), told.wanted, told.found)


def _without_derived(value: Json, sealed: Json) -> Json:
    """An output's own hash follows from the rest of it: where the rest may differ, so may the hash."""
    if type(value) is dict and type(sealed) is dict and "outputs_hash" in value and "outputs_hash" in sealed:
        return {**value, "outputs_hash": sealed["outputs_hash"]}
    return value


def _compare_texts(name: str, sealed: bytes, replayed: bytes, normalisers: Normalisers) -> Compared:
    ours, theirs = sealed.split(b"\n"), replayed.split(b"\n")
    at = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    found = tuple(_line(lines[at]) if at < len(lines) else "no such line" for lines in (ours, theirs))
    verdict: Verdict = "equivalent" if normalisers.lines(sealed) == normalisers.lines(replayed) else "different"
    return Compared(name, verdict, f"line {at + 1}", *found)


def _line(line: bytes) -> str:
    return plain(line[:_LONGEST_LINE].decode(errors="replace"))

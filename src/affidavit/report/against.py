"""The section that holds one run against another."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..kernel.difference import Absent
from .page import Items, Mark, Pairs, Section, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kernel.diff import Comparison, Side
    from ..values import Json
    from .page import Cell, Part

_LONGEST = 400
_MOST_ROWS = 500


def differences_section(found: Comparison, left: Side, right: Side) -> Section:
    """`left` is the run of the page, `right` the other one."""
    ephemeral = len(found.ephemeral)
    verdict = Mark("good", "the same") if found.is_same else Mark("bad", "different")
    parts: list[Part] = [
        Pairs(
            ("Against", Mark("code", right.place)),
            ("Result", verdict),
            ("Only names, times and numbers", f"{ephemeral} difference{'s' * (ephemeral != 1)}"),
        )
    ]
    rows: list[tuple[Cell, ...]] = [
        (Mark("code", f"{one.member} {one.pointer}"), _shown(one.left), _shown(one.right))
        for one in found.canonical[:_MOST_ROWS]
    ]
    if rows:
        parts.append(Table("In documents", ("Place", "Here", "There"), rows))
    outputs: list[tuple[Cell, ...]] = []
    outputs += [(Mark("code", path), "not there", _digest(right, path)) for path in found.added]
    outputs += [(Mark("code", path), _digest(left, path), "not there") for path in found.removed]
    outputs += [(Mark("code", path), _digest(left, path), _digest(right, path)) for path in found.changed]
    del outputs[_MOST_ROWS:]
    if outputs:
        parts.append(Table("In outputs", ("Path", "Here", "There"), outputs))
    only = [*(f"only here: {name}" for name in found.only_a), *(f"only there: {name}" for name in found.only_b)]
    left_out = len(found.canonical) - len(rows)
    if left_out > 0 or found.is_cut:
        only.append("not all differences are shown: affidavit diff shows more")
    if only:
        parts.append(Items(*only))
    return Section("Against another run", *parts)


def _digest(side: Side, path: str) -> Mark:
    return Mark("code", side.files[path][0])


def _shown(value: Json | Absent) -> Cell:
    if isinstance(value, Absent):
        return "not there"
    text = canonical(value).decode()
    return Mark("code", text if len(text) <= _LONGEST else text[:_LONGEST] + "...")

"""repair_log.json: what was wrong with a run directory when its index was made anew, and each file that this was about
(seed 003, section 4; contracts 4.7)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Int, Nullable, Obj, OneOf, Shape, Text, non_empty
from ..shown import shown
from ..values import is_hex, parse_timestamp
from .artifact_index import is_safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..values import Level

NAME = "repair_log.json"
SCHEMA_VERSION = "runtime-tools.repair_log.v0.1"

_NOT_COMPAT: tuple[Level, ...] = ("spec", "strict")


def _path() -> Text:
    return Text(is_safe, "a relative path of plain names", rule="RL2")


def _digest() -> Shape:
    return Nullable(Text(lambda text: is_hex(text, 64), "64 lowercase hex digits", rule="RL3"))


def _shape(level: Level) -> Shape:
    is_old = level == "compat"
    mismatches = Arr(non_empty() if is_old else _path())
    told = Obj({"missing": Arr(Text() if is_old else _path()), "digest_mismatches": mismatches})
    history = Arr(
        Obj(
            {
                "at": Text(lambda text: parse_timestamp(text) is not None, "a UTC instant", rule="RL4"),
                "path": _path(),
                "old": _digest(),
                "new": _digest(),
            }
        )
    )
    members: dict[str, Shape] = {
        "schema_version": OneOf(SCHEMA_VERSION, rule="RL1"),
        "bundle_dir": non_empty("RL2") if is_old else _path(),
        "repaired_at_unix": Int(0),
        "before": told,
        "after": told,
    }
    return Obj(members, {"history": history}) if is_old else Obj({**members, "history": history})


def _something_changed(history: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, item in enumerate(history):
        if item["old"] == item["new"]:
            yield Fault(f"another digest than {shown(item['old'])}", "the same", index, "new")


def _times_do_not_decrease(history: list[dict[str, Any]]) -> Iterator[Fault]:
    for index in range(1, len(history)):
        this, last = (parse_timestamp(history[at]["at"]) or 0 for at in (index, index - 1))
        if this < last:
            yield Fault(f"an instant not before {history[index - 1]['at']}", shown(history[index]["at"]), index, "at")


REPAIR_LOG = Contract(
    "repair log",
    "repair-log",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RL1", "the schema is this document's"),
        Rule("RL2", "paths are repo-relative"),
        Rule("RL3", "digests are bare"),
        Rule("RL3", "each item tells a change", _something_changed, needs=("history",), levels=_NOT_COMPAT),
        Rule("RL4", "the history is in the order of time", _times_do_not_decrease, needs=("history",)),
    ),
)


def verify_repair_log(value: object, *, level: Level = "spec") -> Report:
    """RL1-RL4."""
    return survives_writing(examine(REPAIR_LOG, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "bundle_dir": "project/out/hr_mk2h8w00_1f2e3d4c",
    "repaired_at_unix": 1767700900,
    "before": {
        "missing": [],
        "digest_mismatches": ["project/out/hr_mk2h8w00_1f2e3d4c/stdout"],
    },
    "after": {"missing": [], "digest_mismatches": []},
    "history": [
        {
            "at": "2026-01-06T12:01:40.000Z",
            "path": "project/out/hr_mk2h8w00_1f2e3d4c/stdout",
            "old": "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            "new": "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
        }
    ],
}

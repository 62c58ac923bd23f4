"""summary.json: a plan run in a few lines (contracts 4.2)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Bool, Int, Map, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_hex
from .probing import CHANNELS, LANES, frame, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.summary.v0.1"


def _shape(level: Level) -> Shape:
    return Obj(
        {
            "schema_version": schema("summary.v0.1", "SM1"),
            **frame(level),
            "status": OneOf("ok", "partial", "failed", "dry", rule="SM2"),
            "plan_id": non_empty(),
            "plan_digest": Nullable(Text(lambda text: is_hex(text, 64), "64 lowercase hex digits")),
            "channel": OneOf(*CHANNELS),
            "lanes": Obj({lane: Bool() for lane in LANES}),
            "profile_count": Int(0),
            "scenario_count": Int(0),
            "mismatch_counts": Map(Int(0)),
            "dry_run": Bool(),
        }
    )


def _dry_fits(status: str, dry_run: bool) -> Iterator[Fault]:
    if (status == "dry") != dry_run:
        yield Fault(f"{'true' if status == 'dry' else 'false'}, as status is {status}", shown(dry_run), field=1)


def _a_dry_run_has_no_lanes(dry_run: bool, lanes: dict[str, bool]) -> Iterator[Fault]:
    for lane in LANES if dry_run else ():
        if lanes[lane]:
            yield Fault("false, as the run was dry", "true", lane, field=1)


SUMMARY = Contract(
    "plan summary",
    "summary",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("SM1", "the schema is this document's"),
        Rule("SM2", "a dry run's status is dry", _dry_fits, needs=("status", "dry_run"), levels=("spec", "strict")),
        Rule("SM3", "a dry run has no lanes", _a_dry_run_has_no_lanes, needs=("dry_run", "lanes")),
    ),
)


def verify_summary(value: object, *, level: Level = "spec") -> Report:
    """SM1-SM3."""
    return survives_writing(examine(SUMMARY, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "run_id": "pr_mjz4k1s0_9f86d081",
    "status": "dry",
    "plan_id": "host-check",
    "plan_digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "channel": "direct",
    "lanes": {"baseline": False, "scenario": False, "oracle": False},
    "profile_count": 1,
    "scenario_count": 2,
    "mismatch_counts": {"op_not_witnessed": 1},
    "dry_run": True,
}

"""mismatch_summary.json: where what was seen is not what was expected, and of what kind (contracts 4.2)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Int, Map, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from .probing import DECISIONS, MISMATCH_TYPES, decision, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level


def _shape(_level: Level) -> Shape:
    row = Obj(
        {
            "profile_id": non_empty(),
            "expectation_id": non_empty(),
            "operation": non_empty(),
            "path": text_or_null(),
            "expected": decision(),
            "actual": Nullable(OneOf(*DECISIONS)),
            "mismatch_type": OneOf(*MISMATCH_TYPES, rule="MM1"),
        }
    )
    return Obj({"world_id": non_empty(), "generated_by": Text(), "mismatches": Arr(row), "counts": Map(Int(1))})


def counted(mismatches: list[dict[str, Any]]) -> dict[str, int]:
    """How many there are of each type."""
    counts: dict[str, int] = {}
    for row in mismatches:
        counts[row["mismatch_type"]] = counts.get(row["mismatch_type"], 0) + 1
    return counts


def _counts_fit(mismatches: list[dict[str, Any]], counts: dict[str, int]) -> Iterator[Fault]:
    real = counted(mismatches)
    for name in sorted(real.keys() | counts.keys()):
        if counts.get(name, 0) != real.get(name, 0):
            yield Fault(f"{real.get(name, 0)}, as listed", shown(counts.get(name, 0)), name, field=1)


MISMATCH_SUMMARY = Contract(
    "mismatch summary",
    "mismatch-summary",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("MM1", "each mismatch is of a known type"),
        Rule("MM2", "the counts are those of the list", _counts_fit, needs=("mismatches", "counts")),
    ),
)


def verify_mismatch_summary(value: object, *, level: Level = "spec") -> Report:
    """MM1 and MM2."""
    return survives_writing(examine(MISMATCH_SUMMARY, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "generated_by": "affidavit 0.1.0",
    "mismatches": [
        {
            "profile_id": "strict",
            "expectation_id": "strict:mount_tmpfs",
            "operation": "mount",
            "path": "/workspace/out",
            "expected": "deny",
            "actual": None,
            "mismatch_type": "op_not_witnessed",
        }
    ],
    "counts": {"op_not_witnessed": 1},
}

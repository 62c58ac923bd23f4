"""expected_matrix.json: what each profile's probes should give (contracts 4.2)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Map, Obj, OneOf, Text, non_empty
from ..shown import shown
from .probing import PROFILE_MODES, decision, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level


def _shape(_level: Level) -> Shape:
    probe = Obj(
        {
            "name": non_empty(),
            "operation": non_empty(),
            "target": text_or_null(),
            "expected": decision(),
            "expectation_id": non_empty("EM2"),
        }
    )
    profile = Obj(
        {
            "blob": Text(),
            "mode": OneOf(*PROFILE_MODES, rule="EM1"),
            "family": text_or_null(),
            "semantic_group": text_or_null(),
            "probes": Arr(probe),
        }
    )
    return Obj({"world_id": non_empty(), "profiles": Map(profile)})


def _expectations_once(profiles: dict[str, dict[str, Any]]) -> Iterator[Fault]:
    """Rows of other documents are joined by it."""
    seen: set[str] = set()
    for key, profile in profiles.items():
        for index, probe in enumerate(profile["probes"]):
            if probe["expectation_id"] in seen:
                told = shown(probe["expectation_id"])
                yield Fault("each expectation once", told, key, "probes", index, "expectation_id")
            seen.add(probe["expectation_id"])


EXPECTED_MATRIX = Contract(
    "expected matrix",
    "expected-matrix",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("EM1", "the mode is sbpl, blob or bwrap"),
        Rule("EM2", "each expectation has an id of its own", _expectations_once, needs=("profiles",)),
    ),
)


def verify_expected_matrix(value: object, *, level: Level = "spec") -> Report:
    """EM1 and EM2."""
    return survives_writing(examine(EXPECTED_MATRIX, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "profiles": {
        "strict": {
            "blob": "profiles/strict.json",
            "mode": "bwrap",
            "family": "built-in",
            "semantic_group": "built-in",
            "probes": [
                {
                    "name": "read a file of the host",
                    "operation": "file-read-data",
                    "target": "{outside}/secret.txt",
                    "expected": "deny",
                    "expectation_id": "strict:read_host_file",
                }
            ],
        }
    },
}

"""index.json: which registries there are (contracts 4.1, 4.8)."""

from __future__ import annotations

from ..rules.checks import each_once, stays_below
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Report, Rule
from ..rules.shape import SCHEMA, Arr, Obj, Text, non_empty
from .probing import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.registry_index.v0.1"


def _shape(_level: Level) -> Shape:
    path = Text(stays_below, 'a relative path without ".."', rule="RX3")
    registry = Obj({"registry_id": non_empty("RX2"), "probes": path, "profiles": path, "description": Text()})
    return Obj({"schema_version": schema("registry_index.v0.1", "RX1"), "registries": Arr(registry)})


REGISTRY_INDEX = Contract(
    "registry index",
    "registry-index",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RX1", "the schema is this index's"),
        Rule("RX2", "each registry is named, once", each_once("registry_id"), needs=("registries",)),
        Rule("RX3", "paths stay below the index"),
    ),
)


def verify_registry_index(value: object, *, level: Level = "spec") -> Report:
    """RX1-RX3."""
    return survives_writing(examine(REGISTRY_INDEX, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "registries": [
        {
            "registry_id": "sandbox-conformance",
            "probes": "sandbox-conformance/probes.json",
            "profiles": "sandbox-conformance/profiles.json",
            "description": "the ways out of a sandbox",
        }
    ],
}

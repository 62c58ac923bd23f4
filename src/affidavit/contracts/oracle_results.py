"""oracle_results.json: what a profile should do, worked out from the profile alone (contracts 4.2, 4.8)."""

from __future__ import annotations

from ..rules.checks import each_once
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Report, Rule
from ..rules.shape import SCHEMA, Arr, Nullable, Obj, OneOf, Text, non_empty
from .probing import DECISIONS, frame, schema, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.oracle_results.v0.1"


def _shape(level: Level) -> Shape:
    row = Obj(
        {
            "expectation_id": non_empty(),
            "operation": non_empty(),
            "argument": text_or_null(),
            "decision": Nullable(OneOf(*DECISIONS)),
            "stage": Text(),
        }
    )
    return Obj({"schema_version": schema("oracle_results.v0.1", "OR1"), **frame(level), "results": Arr(row)})


ORACLE_RESULTS = Contract(
    "oracle results",
    "oracle-results",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("OR1", "the schema is this document's"),
        Rule("OR2", "each expectation once", each_once("expectation_id"), needs=("results",)),
    ),
)


def verify_oracle_results(value: object, *, level: Level = "spec") -> Report:
    """OR1 and OR2."""
    return survives_writing(examine(ORACLE_RESULTS, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "run_id": "pr_mjz4k1s0_9f86d081",
    "results": [
        {
            "expectation_id": "strict:read_host_file",
            "operation": "file-read-data",
            "argument": "{outside}/secret.txt",
            "decision": "deny",
            "stage": "profile",
        }
    ],
}

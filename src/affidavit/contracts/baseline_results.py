"""baseline_results.json: what the probes gave without a sandbox (contracts 4.2)."""

from __future__ import annotations

from ..rules.checks import each_once
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Int, Nullable, Obj, OneOf, non_empty
from ..shown import shown
from .probing import DECISIONS, frame, schema, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.baseline_results.v0.1"


def _shape(level: Level) -> Shape:
    row = Obj(
        {
            "name": non_empty("BR2"),
            "profile_id": non_empty(),
            "probe_name": non_empty(),
            "operation": non_empty(),
            "target": text_or_null(),
            # null: the operation was not reached, which is no denial
            "status": Nullable(OneOf(*DECISIONS)),
            "exit_code": Nullable(Int()),
        },
        {"error": Anything()},
    )
    return Obj({"schema_version": schema("baseline_results.v0.1", "BR1"), **frame(level), "results": Arr(row)})


def _is_named_for_its_probe(profile_id: str, probe_name: str, name: str) -> Iterator[Fault]:
    wanted = f"baseline:{profile_id}:{probe_name}"
    if name != wanted:
        yield Fault(shown(wanted), shown(name), field=2)


BASELINE_RESULTS = Contract(
    "baseline results",
    "baseline-results",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("BR1", "the schema is this document's"),
        Rule(
            "BR2",
            "a row is named for its probe",
            _is_named_for_its_probe,
            each="results",
            needs=("profile_id", "probe_name", "name"),
        ),
        Rule("BR3", "each probe once", each_once("name"), needs=("results",)),
    ),
)


def verify_baseline_results(value: object, *, level: Level = "spec") -> Report:
    """BR1-BR3."""
    return survives_writing(examine(BASELINE_RESULTS, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "run_id": "pr_mjz4k1s0_9f86d081",
    "results": [
        {
            "name": "baseline:strict:read a file of the host",
            "profile_id": "strict",
            "probe_name": "read a file of the host",
            "operation": "file-read-data",
            "target": "{outside}/secret.txt",
            "status": "allow",
            "exit_code": 0,
        }
    ],
}

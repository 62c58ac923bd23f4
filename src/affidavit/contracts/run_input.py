"""RUN_INPUT.json: what an engine is given (seed 002; contracts 3)."""

from __future__ import annotations

from ..canon.profiles import ENGINE
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Report, Rule
from ..rules.shape import SCHEMA, Anything, Obj, non_empty
from .engine_family import run_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level


def _shape(_level: Level) -> Shape:
    return Obj(
        {
            "run_id": run_id("RI1"),
            "project_id": non_empty("RI1"),
            "inputs": Obj({}),
            "parameters": Obj({}),
        },
        {"context": Anything()},
    )


RUN_INPUT = Contract(
    "run input",
    "run-input",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RI1", "run and project are named"),
        Rule("RI2", "equal inputs, equal hash", behaviour=True),
    ),
)


def verify_run_input(value: object, *, level: Level = "spec") -> Report:
    """RI1 and RI2, without the engine's own schema. `facts["inputs_hash"]` is there only when it is valid."""
    report = survives_writing(examine(RUN_INPUT, value, level), value, "RI2")
    if report.ok:
        report.facts["inputs_hash"] = ENGINE.digest(value).hex
    return report


EXAMPLE: dict[str, Any] = {
    "run_id": "run-0001",
    "project_id": "proj-1",
    "inputs": {"samples": [0, 0.5, 1e21]},
    "parameters": {"window": "hann", "n": 4},
    "context": {"note": "ok"},
}

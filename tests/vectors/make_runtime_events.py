"""Vectors of the runtime events (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.runtime_events import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-operation", "no operation", "SCHEMA /0/operation", drop("/0/operation")),
    Scenario("RE1-match", "a match that is none", "RE1 /0/match", put("/0/match", False)),
    Scenario(
        "RE2-witness", "seen, and not witnessed", "RE2 /0/intended_op_witnessed", put("/0/intended_op_witnessed", False)
    ),
    Scenario("RE3-run", "an event of another run", "RE3 /1/run_id", put("/1/run_id", "other")),
)

MORE = (
    Scenario("RE4-stage", "an error at no stage", "RE4 /0/failure_stage", put("/0/failure_stage", None)),
    Scenario("RE5-path", "another path", "RE5 /0/normalized_path", put("/0/normalized_path", "/elsewhere")),
)

VALID = (Scenario("valid-one", "one event", "valid", drop("/1")),)


def main() -> None:
    write_scenarios("runtime_events", EXAMPLE, (*VALID, *SCENARIOS, *MORE))

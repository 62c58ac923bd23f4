"""Vectors of the run input (seed 002; contracts 3)."""

from __future__ import annotations

from affidavit.contracts.run_input import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-inputs", "there are no inputs", "SCHEMA /inputs", drop("/inputs")),
    Scenario("SCHEMA-parameters", "parameters are a list", "SCHEMA /parameters", put("/parameters", [])),
    Scenario("RI1-absent", "the run is not named", "RI1 /run_id", drop("/run_id")),
    Scenario("RI1-climbs", "the run's name leads up", "RI1 /run_id", put("/run_id", "../run")),
    Scenario("RI1-hidden", "the run's name is hidden", "RI1 /run_id", put("/run_id", ".run")),
    Scenario("RI1-line", "the run's name ends its line", "RI1 /run_id", put("/run_id", "run\n")),
    Scenario("RI1-long", "the run's name is too long", "RI1 /run_id", put("/run_id", "r" * 129)),
    Scenario("RI1-project", "the project is not named", "RI1 /project_id", put("/project_id", "")),
)

VALID = (Scenario("valid-no-context", "without context", "valid", drop("/context")),)


def main() -> None:
    write_scenarios("run_input", EXAMPLE, (*VALID, *SCENARIOS))

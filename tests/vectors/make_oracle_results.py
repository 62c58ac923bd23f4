"""Vectors of the oracle results (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.oracle_results import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-stage", "no stage", "SCHEMA /results/0/stage", drop("/results/0/stage")),
    Scenario("OR1-version", "another document", "OR1 /schema_version", put("/schema_version", "x")),
    Scenario(
        "OR2-twice",
        "an expectation stands twice",
        "OR2 /results/1/expectation_id",
        put("/results/-", EXAMPLE["results"][0]),
    ),
)

VALID = (Scenario("valid-unsettled", "the profile does not settle it", "valid", put("/results/0/decision", None)),)


def main() -> None:
    write_scenarios("oracle_results", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the baseline results (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.baseline_results import EXAMPLE
from tests.support.vectors import Scenario, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-status", "the status is no decision", "SCHEMA /results/0/status", put("/results/0/status", "ok")),
    Scenario("BR1-version", "another document", "BR1 /schema_version", put("/schema_version", "x")),
    Scenario("BR2-name", "named for another", "BR2 /results/0/name", put("/results/0/name", "baseline:strict:other")),
    Scenario("BR3-twice", "a probe stands twice", "BR3 /results/1/name", put("/results/-", EXAMPLE["results"][0])),
)

VALID = (
    Scenario(
        "valid-unseen",
        "nothing was reached",
        "valid",
        put("/results/0/status", None),
        put("/results/0/error", "no report"),
    ),
)


def main() -> None:
    write_scenarios("baseline_results", EXAMPLE, (*VALID, *SCENARIOS))

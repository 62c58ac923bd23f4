"""Vectors of the expected matrix (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.expected_matrix import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-world", "the world is not named", "SCHEMA /world_id", drop("/world_id")),
    Scenario("EM1-mode", "the mode is unknown", "EM1 /profiles/strict/mode", put("/profiles/strict/mode", "jail")),
    Scenario(
        "EM2-twice",
        "an expectation stands twice",
        "EM2 /profiles/strict/probes/1/expectation_id",
        put("/profiles/strict/probes/-", EXAMPLE["profiles"]["strict"]["probes"][0]),
    ),
)

VALID = (Scenario("valid-empty", "nothing is expected", "valid", put("/profiles/strict/probes", [])),)


def main() -> None:
    write_scenarios("expected_matrix", EXAMPLE, (*VALID, *SCENARIOS))

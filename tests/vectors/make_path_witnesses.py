"""Vectors of the path witnesses (contracts 4.8)."""

from __future__ import annotations

from affidavit.contracts.path_witnesses import EXAMPLE
from tests.support.vectors import Scenario, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-lane", "the lane is unknown", "SCHEMA /records/0/lane", put("/records/0/lane", "dream")),
    Scenario("PW1-version", "another document", "PW1 /schema_version", put("/schema_version", "x")),
    Scenario(
        "PW2-requested",
        "the requested path in place of the observed",
        "PW2 /records/0/normalized_path",
        put("/records/0/normalized_path", "/workspace/link/a.txt"),
    ),
    Scenario(
        "PW2-source",
        "another source",
        "PW2 /records/0/normalized_path_source",
        put("/records/0/normalized_path_source", "requested_path"),
    ),
)

MORE = (
    Scenario(
        "PW3-alias",
        "two spellings that are the same",
        "PW3 /records/0/canonicalization/alias_pair",
        put("/records/0/canonicalization/alias_pair", False),
    ),
)

VALID = (
    Scenario(
        "valid-missing",
        "no path at all",
        "valid",
        put("/records/0/requested_path", None),
        put("/records/0/observed_path", None),
        put("/records/0/normalized_path", None),
        put("/records/0/normalized_path_source", "missing"),
        put("/records/0/canonicalization/alias_pair", None),
    ),
)


def main() -> None:
    write_scenarios("path_witnesses", EXAMPLE, (*VALID, *SCENARIOS, *MORE))

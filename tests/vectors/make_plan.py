"""Vectors of the plan (contracts 4.8)."""

from __future__ import annotations

from affidavit.contracts.plan import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-profiles", "profiles are an object", "SCHEMA /profiles", put("/profiles", {})),
    Scenario("SCHEMA-controls", "a control is a number", "SCHEMA /controls/0", put("/controls/0", 1)),
    Scenario(
        "PN1-version", "another version", "PN1 /schema_version", put("/schema_version", "runtime-tools.plan.v0.2")
    ),
    Scenario("PN2-empty", "the registry is not named", "PN2 /registry_id", put("/registry_id", "")),
    Scenario(
        "PN3-none", "no profile is named", ("PN3 /profiles", "PN5 /apply_preflight_profile"), put("/profiles", [])
    ),
    Scenario("PN3-twice", "a profile stands twice", "PN3 /profiles/1", put("/profiles/1", "strict")),
    Scenario("PN4-misspelt", "a lane is misspelt", "PN4 /lanes/basline", put("/lanes/basline", False)),
    Scenario("PN4-word", "a lane is a word", "PN4 /lanes/oracle", put("/lanes/oracle", "off")),
    Scenario(
        "PN5-unplanned",
        "the preflight's profile is not planned",
        "PN5 /apply_preflight_profile",
        put("/apply_preflight_profile", "other"),
    ),
)

VALID = (
    Scenario(
        "valid-short",
        "the four members are enough",
        "valid",
        *(drop(f"/{name}") for name in ("lanes", "controls", "apply_preflight_profile", "world_id", "notes")),
    ),
)


def main() -> None:
    write_scenarios("plan", EXAMPLE, (*VALID, *SCENARIOS))

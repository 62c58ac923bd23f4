"""Vectors of the artifact index of a sealed run (seed 002; contracts 3)."""

from __future__ import annotations

from affidavit.contracts.run_artifacts import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-item", "an item is a word", "SCHEMA /0", put("/0", "COUPLING_RULES.json")),
    Scenario("AI1-order", "files out of order", "AI1 /1", put("/0", EXAMPLE[1]), put("/1", EXAMPLE[0])),
    Scenario("AI1-twice", "a file stands twice", "AI1 /1", put("/1", EXAMPLE[0])),
    Scenario("AI1-up", "a path leads up", "AI1 /0/relative_path", put("/0/relative_path", "../x")),
    Scenario(
        "AI1-itself", "the index lists itself", "AI1 /0/relative_path", put("/0/relative_path", "ARTIFACT_INDEX.json")
    ),
    Scenario("AI2-name", "a file has another name", "AI2 /0/artifact_name", put("/0/artifact_name", "x")),
    Scenario("AI3-role", "an input is an output", "AI3 /0/role", put("/0/role", "OUTPUT")),
    Scenario("AI3-unknown", "a role is unknown", "AI3 /0/role", put("/0/role", "SECRET")),
    Scenario("AI3-type", "JSON is plain text", "AI3 /0/content_type", put("/0/content_type", "text/plain")),
    Scenario("AI4-absent", "a file has no digest", "AI4 /0/sha256", drop("/0/sha256")),
    Scenario("AI4-prefix", "a digest has a prefix", "AI4 /0/sha256", put("/0/sha256", "sha256:" + "0" * 64)),
)

VALID = (
    Scenario(
        "valid-compat-order",
        "an older writer's order",
        "valid",
        put("/0", EXAMPLE[1]),
        put("/1", EXAMPLE[0]),
        level="compat",
    ),
)


def main() -> None:
    write_scenarios("run_artifacts", EXAMPLE, (*VALID, *SCENARIOS))

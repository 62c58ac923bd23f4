"""Vectors of the repair log (seed 003, section 4; contracts 4.7)."""

from __future__ import annotations

from affidavit.contracts.repair_log import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

H = "/history/0"

SCENARIOS = (
    Scenario("SCHEMA-history", "there is no history", "SCHEMA /history", drop("/history")),
    Scenario("SCHEMA-compat-history", "an older writer's log", "valid", drop("/history"), level="compat"),
    Scenario("SCHEMA-before", "nothing is told of before", "SCHEMA /before", drop("/before")),
    Scenario("SCHEMA-missing", "missing is a text", "SCHEMA /after/missing", put("/after/missing", "none")),
    Scenario("SCHEMA-time", "the time is negative", "SCHEMA /repaired_at_unix", put("/repaired_at_unix", -1)),
    Scenario("RL1-unknown", "an unknown schema", "RL1 /schema_version", put("/schema_version", "repair_log.v0.1")),
    Scenario("RL2-absolute", "the directory is absolute", "RL2 /bundle_dir", put("/bundle_dir", "/srv/out/x")),
    Scenario("RL2-climbs", "a path climbs", f"RL2 {H}/path", put(f"{H}/path", "out/../../x")),
    Scenario(
        "RL2-compat-place",
        "an older writer's absolute directory",
        "valid",
        put("/bundle_dir", "/srv/x"),
        level="compat",
    ),
    Scenario("RL3-prefixed", "a digest with its algorithm", f"RL3 {H}/new", put(f"{H}/new", "sha256:" + "0" * 64)),
    Scenario("RL3-same", "a change that is none", f"RL3 {H}/new", put(f"{H}/old", "0" * 64), put(f"{H}/new", "0" * 64)),
    Scenario("RL4-form", "a time of another form", f"RL4 {H}/at", put(f"{H}/at", "2026-01-06 12:00:00")),
    Scenario(
        "RL4-order",
        "a later change stands above",
        "RL4 /history/1/at",
        put("/history/-", {**EXAMPLE["history"][0], "at": "2000-01-01T00:00:00Z"}),
    ),
)


def main() -> None:
    write_scenarios("repair_log", EXAMPLE, SCENARIOS)

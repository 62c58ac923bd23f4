"""Vectors of the profile registry (contracts 4.8)."""

from __future__ import annotations

from affidavit.contracts.profile_registry import EXAMPLE
from tests.support.vectors import Scenario, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-notes", "notes are a list", "SCHEMA /profiles/strict/notes", put("/profiles/strict/notes", [])),
    Scenario(
        "PF1-version", "another registry", "PF1 /schema_version", put("/schema_version", "runtime-tools.profiles")
    ),
    Scenario(
        "PF2-other",
        "a profile under another's id",
        "PF2 /profiles/strict/profile_id",
        put("/profiles/strict/profile_id", "x"),
    ),
    Scenario(
        "PF3-climbs",
        "the path climbs",
        "PF3 /profiles/strict/profile_path",
        put("/profiles/strict/profile_path", "../x"),
    ),
    Scenario("PF4-mode", "the mode is unknown", "PF4 /profiles/strict/mode", put("/profiles/strict/mode", "jail")),
    Scenario(
        "PF5-twice",
        "a probe stands twice",
        "PF5 /profiles/strict/probe_refs/1",
        put("/profiles/strict/probe_refs/1", "read_host_file"),
    ),
)

VALID = (Scenario("valid-sbpl", "a profile of macOS", "valid", put("/profiles/strict/mode", "sbpl")),)


def main() -> None:
    write_scenarios("profile_registry", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the apply result (contracts 2.10)."""

from __future__ import annotations

from affidavit.contracts.apply import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

R = "/operation_results"

SCENARIOS = (
    Scenario("SCHEMA-results", "there are no results", "SCHEMA /operation_results", drop(R)),
    Scenario("SCHEMA-outcome", "an unknown outcome", "SCHEMA /outcome", put("/outcome", "OK")),
    Scenario("SCHEMA-dry-run", "dry_run is a number", "SCHEMA /dry_run", put("/dry_run", 0)),
    Scenario("SCHEMA-source", "no source is named", "SCHEMA /patch_source", drop("/patch_source")),
    Scenario("SCHEMA-sum", "a sum that is none", "SCHEMA /summary/succeeded", put("/summary/succeeded", 3)),
    Scenario(
        "SCHEMA-bytes",
        "other bytes than were written",
        "SCHEMA /summary/total_bytes_written",
        put("/summary/total_bytes_written", 7),
    ),
    Scenario(
        "SCHEMA-earned",
        "a success with a failure",
        "SCHEMA /outcome",
        put(f"{R}/0/status", "error"),
        put("/summary/succeeded", 1),
        put("/summary/failed", 1),
    ),
    Scenario("AS1-absent", "there is no version", "AS1 /apply_schema_version", drop("/apply_schema_version")),
    Scenario("AS1-major", "another major version", "AS1 /apply_schema_version", put("/apply_schema_version", "2.0.0")),
    Scenario(
        "AS2-order",
        "results out of order",
        f"AS2 {R}/1/path",
        put(f"{R}/1/path", "out/an-earlier.txt"),
    ),
    Scenario("AS2-twice", "a path twice", f"AS2 {R}/1/path", put(f"{R}/1/path", "out/greeting.txt")),
    Scenario(
        "AS2-violations",
        "violations out of order",
        "AS2 /violations/1",
        put("/violations", [{"rule_id": "PS2", "message": "b"}, {"rule_id": "PS1", "message": "a"}]),
    ),
    Scenario(
        "valid-violations",
        "violations in their order",
        "valid",
        put("/violations", [{"rule_id": "PS1", "message": "a"}, {"rule_id": "PS1", "message": "a", "path": "/x"}]),
    ),
    Scenario("AS7-bare", "a hash without prefix", f"AS7 {R}/0/after_hash", put(f"{R}/0/after_hash", "0" * 64)),
    Scenario("AS7-absent", "a hash is absent", f"AS7 {R}/0/before_hash", drop(f"{R}/0/before_hash")),
    Scenario(
        "AS7-strict-created",
        "a created file had a hash before",
        f"AS7 {R}/0/before_hash",
        put(f"{R}/0/before_hash", "sha256:" + "0" * 64),
        level="strict",
    ),
    Scenario(
        "AS7-strict-deleted",
        "a deleted file had no hash",
        f"AS7 {R}/1/before_hash",
        put(f"{R}/1/before_hash", None),
        level="strict",
    ),
    Scenario(
        "SCHEMA-strict-proposal",
        "a success of no proposal",
        "SCHEMA /patch_source/proposal_id",
        put("/patch_source/proposal_id", None),
        level="strict",
    ),
    Scenario("AS9-failed", "a failure without a reason", "AS9 /error", put("/outcome", "FAILED")),
    Scenario("AS9-refused", "a refusal without a reason", "AS9 /error", put("/outcome", "REFUSED")),
    Scenario(
        "AS9-empty", "a refusal with an empty reason", "AS9 /error", put("/outcome", "REFUSED"), put("/error", "")
    ),
    Scenario(
        "valid-failed", "a failure with its reason", "valid", put("/outcome", "FAILED"), put("/error", "disk full")
    ),
    Scenario("AS12-root", "the target is absolute", "AS12 /target_root", put("/target_root", "/home/a/project")),
    Scenario("AS12-drive", "the target is on a drive", "AS12 /target_root", put("/target_root", "C:\\project")),
    Scenario("AS12-path", "a path is absolute", f"AS12 {R}/1/path", put(f"{R}/1/path", "/out/old.txt")),
    Scenario("AS12-climbs", "a path climbs", f"AS12 {R}/1/path", put(f"{R}/1/path", "out/../../old.txt")),
)


def main() -> None:
    write_scenarios("apply", EXAMPLE, SCENARIOS)

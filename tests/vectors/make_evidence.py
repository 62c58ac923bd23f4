"""Vectors of the evidence (contracts 2.5)."""

from __future__ import annotations

from affidavit.contracts.evidence import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-actions", "there are no action results", "SCHEMA /action_results", drop("/action_results")),
    Scenario("SCHEMA-tests", "test results are an object", "SCHEMA /test_results", put("/test_results", {})),
    Scenario("SCHEMA-place", "working_dir is absolute", "SCHEMA /working_dir", put("/working_dir", "/tmp/x")),
    Scenario("SCHEMA-time", "a time is no time", "SCHEMA /started_at", put("/started_at", "2026-01-06 12:00:00Z")),
    Scenario("EV1-absent", "the proposal is not named", "EV1 /proposal_id", drop("/proposal_id")),
    Scenario("EV1-empty", "the proposal's id is empty", "EV1 /proposal_id", put("/proposal_id", "")),
    Scenario("EV1-bare", "the proposal's hash is bare", "EV1 /proposal_hash", put("/proposal_hash", "0" * 64)),
    Scenario(
        "EV1-word", "a word in place of the hash", "EV1 /proposal_hash", put("/proposal_hash", "harness_execution")
    ),
    Scenario(
        "EV2-action", "an action is unknown", "EV2 /action_results/0/action", put("/action_results/0/action", "move")
    ),
    Scenario("EV2-hash", "an action has no hash", "EV2 /action_results/0/sha256", drop("/action_results/0/sha256")),
    Scenario(
        "EV2-strict-twice",
        "a path stands twice",
        "EV2 /action_results/1/path",
        put("/action_results/1/path", EXAMPLE["action_results"][0]["path"]),
        level="strict",
    ),
    Scenario("EV3-passed", "passed is a number", "EV3 /test_results/0/passed", put("/test_results/0/passed", 1)),
    Scenario(
        "EV3-digest",
        "a digest is bare",
        "EV3 /test_results/0/stdout_sha256",
        put("/test_results/0/stdout_sha256", "0" * 64),
    ),
    Scenario(
        "EV3-strict-twice",
        "a test stands twice",
        "EV3 /test_results/1/test_id",
        put("/test_results/1/test_id", EXAMPLE["test_results"][0]["test_id"]),
        level="strict",
    ),
    Scenario("EV4-status", "the status is unknown", "EV4 /status", put("/status", "ok")),
    Scenario("EV4-absent", "there is no status", "EV4 /status", drop("/status")),
    Scenario(
        "EV4-action",
        "complete, and an action failed",
        "EV4 /action_results/0/exit_code",
        put("/action_results/0/exit_code", 1),
    ),
    Scenario(
        "EV4-exit",
        "complete, and a command failed",
        "EV4 /test_results/0/exit_code",
        put("/test_results/0/exit_code", 2),
    ),
    Scenario(
        "EV4-test",
        "complete, and a test did not pass",
        "EV4 /test_results/1/passed",
        put("/test_results/1/passed", False),
    ),
    Scenario("EV4-failed", "failed, and nothing did", "EV4 /status", put("/status", "failed")),
)

VALID = (
    Scenario(
        "valid-partial", "an optional failure", "valid", put("/status", "partial"), put("/test_results/1/passed", False)
    ),
    Scenario(
        "valid-core",
        "the five members are enough",
        "valid",
        *(
            drop(f"/{name}")
            for name in ("started_at", "completed_at", "total_duration_ms", "executor_id", "working_dir")
        ),
    ),
    Scenario(
        "valid-compat-bare", "an older writer's bare hash", "valid", put("/proposal_hash", "0" * 64), level="compat"
    ),
    Scenario(
        "valid-compat-word",
        "an older writer's word",
        "valid",
        put("/proposal_hash", "harness_execution"),
        level="compat",
    ),
    Scenario(
        "valid-compat-place", "an older writer's directory", "valid", put("/working_dir", "/tmp/x"), level="compat"
    ),
    Scenario(
        "valid-compat-test",
        "an older writer judges by exit codes",
        "valid",
        put("/test_results/1/passed", False),
        level="compat",
    ),
)


def main() -> None:
    write_scenarios("evidence", EXAMPLE, (*VALID, *SCENARIOS))

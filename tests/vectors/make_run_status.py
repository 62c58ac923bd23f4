"""Vectors of the run status (seed 003, section 1.2; contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.run_status import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write, write_scenarios

SCENARIOS = (
    Scenario("ST1-unknown", "an unknown schema", "ST1 /schema_version", put("/schema_version", "run_status.v0.1")),
    Scenario("ST1-absent", "no schema", "ST1 /schema_version", drop("/schema_version")),
    Scenario("ST2-run", "no run is named", "ST2 /run_id", put("/run_id", "")),
    Scenario(
        "ST2-digest", "the plan's digest has a prefix", "ST2 /plan_digest", put("/plan_digest", "sha256:" + "0" * 64)
    ),
    Scenario("ST2-compat-digest", "an older writer's digest", "valid", put("/plan_digest", "none"), level="compat"),
    Scenario("ST2-pid", "the writer is no process", "ST2 /writer_pid", put("/writer_pid", 0)),
    Scenario("ST2-time", "the time is a text", "ST2 /updated_at_unix", put("/updated_at_unix", "2026-01-06")),
    Scenario("ST2-stage", "an unknown stage", "ST2 /failure_stage", put("/failure_stage", "apply")),
    Scenario("ST2-error", "the error's member is absent", "ST2 /error", drop("/error")),
    Scenario("ST2-ticks", "negative ticks", "ST2 /writer_start_ticks", put("/writer_start_ticks", -1)),
    Scenario(
        "valid-older",
        "an older writer names its pid alone",
        "valid",
        drop("/writer_start_ticks"),
        drop("/writer_boot_id"),
    ),
    Scenario("ST3-unknown", "an unknown state", "ST3 /state", put("/state", "done")),
    Scenario("ST4-error", "a complete run with an error", "ST4 /error", put("/error", "no space left")),
    Scenario(
        "ST4-stage",
        "a run in progress that failed",
        "ST4 /failure_stage",
        put("/state", "in_progress"),
        put("/failure_stage", "exception"),
    ),
    Scenario(
        "valid-failed",
        "a failed run",
        "valid",
        put("/state", "failed"),
        put("/error", "no space left"),
        put("/failure_stage", "exception"),
    ),
    Scenario(
        "ST4-strict-reason", "a failed run does not say why", "ST4 /error", put("/state", "failed"), level="strict"
    ),
)


def main() -> None:
    write_scenarios("run_status", EXAMPLE, SCENARIOS)
    write("run_status", "SCHEMA-array", "the document is an array", ["SCHEMA"], b"[]\n")

"""Vectors of the apply preflight (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.apply_preflight import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-command", "the command is a line", "SCHEMA /command", put("/command", "true")),
    Scenario("AP1-version", "another document", "AP1 /schema_version", put("/schema_version", "x")),
    Scenario("AP2-api", "the report names no call", "AP2 /apply_report/api", drop("/apply_report/api")),
    Scenario("AP3-status", "ok, and not applied", "AP3 /apply_ok", put("/apply_ok", False)),
    Scenario("AP3-word", "the status is unknown", "AP3 /status", put("/status", "fine")),
    Scenario("AP4-stage", "applied, and failed to be", "AP4 /failure_stage", put("/failure_stage", "apply")),
    Scenario(
        "AP5-silent", "the self-check says nothing", "AP5 /sandbox_check_self", drop("/sandbox_check_self/sandboxed")
    ),
)

VALID = (
    Scenario(
        "valid-failed",
        "the profile could not be applied",
        "valid",
        put("/status", "error"),
        put("/apply_ok", False),
        put("/failure_stage", "apply"),
        put("/exit_code", 1),
        put("/error", "no such profile"),
    ),
    Scenario("valid-compat-runner", "an older runner is a path", "valid", put("/runner", "tools/run"), level="compat"),
    Scenario(
        "valid-compat-silent", "an older self-check", "valid", drop("/sandbox_check_self/sandboxed"), level="compat"
    ),
)


def main() -> None:
    write_scenarios("apply_preflight", EXAMPLE, (*VALID, *SCENARIOS))

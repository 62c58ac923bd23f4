"""Vectors of the runtime results (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.runtime_results import EXAMPLE
from tests.support.vectors import Scenario, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-probes", "probes are an object", "SCHEMA /strict/probes", put("/strict/probes", {})),
    Scenario("RR1-version", "another document", "RR1 /strict/schema_version", put("/strict/schema_version", "x")),
    Scenario("RR2-status", "not all were seen", "RR2 /strict/status", put("/strict/status", "ok")),
    Scenario("RR3-match", "a match that is none", "RR3 /strict/probes/0/match", put("/strict/probes/0/match", False)),
    Scenario("RR3-unseen", "a match of nothing", "RR3 /strict/probes/1/match", put("/strict/probes/1/match", True)),
    Scenario(
        "RR4-answer",
        "blocked, and seen",
        "RR4 /strict/probes/0/runtime_result/status",
        put("/strict/probes/0/runtime_result/status", "blocked"),
    ),
    Scenario(
        "RR4-errno",
        "which error",
        "RR4 /strict/probes/0/runtime_result/errno",
        put("/strict/probes/0/runtime_result/errno", None),
    ),
)

VALID = (Scenario("valid-compat-status", "an older status", "valid", put("/strict/status", "ok"), level="compat"),)


def main() -> None:
    write_scenarios("runtime_results", EXAMPLE, (*VALID, *SCENARIOS))

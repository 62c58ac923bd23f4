"""Vectors of the run meta (seed 002; contracts 3)."""

from __future__ import annotations

from affidavit.contracts.run_meta import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-hashes", "there are no hashes", "SCHEMA /contracts_hashes", drop("/contracts_hashes")),
    Scenario("ER1-run", "the run is not named", "ER1 /run_id", drop("/run_id")),
    Scenario("ER2-code", "the engine is not named", "ER2 /engine_code", put("/engine_code", "")),
    Scenario("ER3-local", "a local time", "ER3 /sealed_at", put("/sealed_at", "2026-01-06T12:00:00+01:00")),
    Scenario("ER3-offset", "UTC as an offset", "ER3 /sealed_at", put("/sealed_at", "2026-01-06T12:00:00+00:00")),
    Scenario("ER4-hash", "another hash", "ER4 /hash_algo", put("/hash_algo", "sha512")),
    Scenario("ER4-form", "another canonical form", "ER4 /canonicalization", put("/canonicalization", "JCS")),
    Scenario("ER5-who", "who sealed is not told", "ER5 /core_orchestrator_version", drop("/core_orchestrator_version")),
    Scenario(
        "ER6-absent",
        "a contract has no hash",
        "ER6 /contracts_hashes/SEALING_SPEC.md",
        drop("/contracts_hashes/SEALING_SPEC.md"),
    ),
    Scenario(
        "ER6-more", "a hash of another file", "ER6 /contracts_hashes/X.json", put("/contracts_hashes/X.json", "0" * 64)
    ),
    Scenario("ER7-rule", "another rule", "ER7 /outputs_hash_rule", put("/outputs_hash_rule", "ALL")),
    Scenario(
        "ER8-place", "a place elsewhere", "ER8 /stripped_context_paths/0", put("/stripped_context_paths/0", "/inputs/x")
    ),
    Scenario(
        "ER8-order",
        "places out of order",
        "ER8 /stripped_context_paths/0",
        put("/stripped_context_paths", ["/context/b", "/context/a"]),
    ),
    Scenario(
        "ER8-twice",
        "a place stands twice",
        "ER8 /stripped_context_paths/1",
        put("/stripped_context_paths", ["/context/a", "/context/a"]),
    ),
    Scenario("ER9-word", "an argument is a number", "ER9 /entrypoint/1", put("/entrypoint/1", 1)),
    Scenario("ER10-form", "another form of hash", "ER10 /engine_files_sha256", put("/engine_files_sha256", "0")),
    Scenario(
        "ER11-version", "the interpreter has no version", "ER11 /interpreter/version", drop("/interpreter/version")
    ),
    Scenario(
        "ER12-secret", "a variable may carry a secret", "ER12 /environment/AWS_KEY", put("/environment/AWS_KEY", "x")
    ),
    Scenario("ER12-name", "a variable has no name", "ER12 /environment/", put("/environment/", "x")),
    Scenario("ER13-network", "the network was not enforced", "ER13 /degraded/0", put("/degraded", ["network"])),
    Scenario("ER13-order", "out of order", "ER13 /degraded/0", put("/degraded", ["seccomp", "pids"])),
    Scenario("ER12-number", "a variable is a number", "ER12 /environment/TZ", put("/environment/TZ", 0)),
)

VALID = (
    Scenario("valid-degraded", "a sandbox without a seccomp filter", "valid", put("/degraded", ["pids", "seccomp"])),
    Scenario("valid-elsewhere", "an output that was made elsewhere", "valid", put("/entrypoint", None)),
    Scenario(
        "valid-compat-offset",
        "an older writer's instant",
        "valid",
        put("/sealed_at", "2026-01-06T12:00:00.123456+00:00"),
        level="compat",
    ),
    Scenario(
        "valid-seed",
        "the seed's members alone",
        "valid",
        drop("/outputs_hash_rule"),
        drop("/stripped_context_paths"),
        drop("/entrypoint"),
        drop("/engine_files_sha256"),
        drop("/interpreter"),
        drop("/environment"),
    ),
)


def main() -> None:
    write_scenarios("run_meta", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the engine manifest (contracts 3)."""

from __future__ import annotations

from affidavit.contracts.engine_manifest import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-io", "there are no paths", "SCHEMA /io", drop("/io")),
    Scenario("SCHEMA-entrypoint", "the entrypoint is one word", "SCHEMA /entrypoint", put("/entrypoint", "python3")),
    Scenario("EM1-absent", "the manifest has no version", "EM1 /manifest_version", drop("/manifest_version")),
    Scenario("EM2-code", "the engine has no code", "EM2 /engine_code", put("/engine_code", "")),
    Scenario("EM2-domain", "the domain is a list", "EM2 /domain", put("/domain", ["x"])),
    Scenario("EM2-detail", "the domain lacks its class", "EM2 /domain", put("/domain", {"domain_detail": "x"})),
    Scenario("EM3-role", "the role is unknown", "EM3 /engine_role", put("/engine_role", "ORACLE")),
    Scenario(
        "EM4-random",
        "the engine is not deterministic",
        "EM4 /invariants/deterministic",
        put("/invariants/deterministic", value=False),
    ),
    Scenario(
        "EM4-network",
        "the engine takes the network",
        "EM4 /invariants/network_access",
        put("/invariants/network_access", value=True),
    ),
    Scenario("EM4-absent", "an invariant is not told", "EM4 /invariants/headless", drop("/invariants/headless")),
    Scenario(
        "EM5-up", "a schema lies outside", "EM5 /io/input_schema_file", put("/io/input_schema_file", "../INPUT.json")
    ),
    Scenario(
        "EM5-root",
        "the sealing specification lies at the root",
        "EM5 /sealing/sealing_spec_file",
        put("/sealing/sealing_spec_file", "/etc/passwd"),
    ),
    Scenario(
        "EM6-canonicalization",
        "another canonical form",
        "EM6 /sealing/hash_canonicalization",
        put("/sealing/hash_canonicalization", "RAW"),
    ),
    Scenario("EM6-hash", "another hash", "EM6 /sealing/hash_algo", put("/sealing/hash_algo", "sha1")),
    Scenario(
        "EM6-not", "no canonical JSON", "EM6 /sealing/canonical_json", put("/sealing/canonical_json", value=False)
    ),
    Scenario("EM7-empty", "the entrypoint has no command", "EM7 /entrypoint", put("/entrypoint", [])),
    Scenario("EM7-word", "the command is an empty word", "EM7 /entrypoint/0", put("/entrypoint/0", "")),
    Scenario("EM7-number", "an argument is a number", "EM7 /entrypoint/1", put("/entrypoint/1", 3)),
)

VALID = (
    Scenario("valid-elsewhere", "an engine that runs elsewhere", "valid", drop("/entrypoint")),
    Scenario(
        "valid-domain", "a domain in two parts", "valid", put("/domain", {"domain_class": "x", "domain_detail": "y"})
    ),
)


def main() -> None:
    write_scenarios("engine_manifest", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the registry index (contracts 4.8)."""

from __future__ import annotations

from affidavit.contracts.registry_index import EXAMPLE
from tests.support.vectors import Scenario, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-registries", "registries are an object", "SCHEMA /registries", put("/registries", {})),
    Scenario("RX1-version", "another index", "RX1 /schema_version", put("/schema_version", "x")),
    Scenario(
        "RX2-empty", "a registry is not named", "RX2 /registries/0/registry_id", put("/registries/0/registry_id", "")
    ),
    Scenario(
        "RX3-absolute", "a path is absolute", "RX3 /registries/0/probes", put("/registries/0/probes", "/etc/x.json")
    ),
)

VALID = (Scenario("valid-none", "no registry", "valid", put("/registries", [])),)


def main() -> None:
    write_scenarios("registry_index", EXAMPLE, (*VALID, *SCENARIOS))

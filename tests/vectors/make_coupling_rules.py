"""Vectors of the coupling rules (contracts 3)."""

from __future__ import annotations

from affidavit.contracts.coupling_rules import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

_SOURCES = "/allowed_inputs_from_other_engines"

SCENARIOS = (
    Scenario("SCHEMA-sources", "the sources are not told", f"SCHEMA {_SOURCES}", drop(_SOURCES)),
    Scenario("CR1-direct", "another way of delivery", "CR1 /delivery_model", put("/delivery_model", "DIRECT")),
    Scenario("CR2-core", "not by CORE", "CR2 /core_mediated_coupling", put("/core_mediated_coupling", value=False)),
    Scenario(
        "CR2-calls",
        "engines call each other",
        "CR2 /direct_engine_to_engine_calls",
        put("/direct_engine_to_engine_calls", value=True),
    ),
    Scenario("CR3-via", "a source by another way", f"CR3 {_SOURCES}/0/via", put(f"{_SOURCES}/0/via", "FILE")),
    Scenario("CR3-code", "a source without code", f"CR3 {_SOURCES}/0/engine_code", drop(f"{_SOURCES}/0/engine_code")),
    Scenario(
        "CR3-twice",
        "a source stands twice",
        f"CR3 {_SOURCES}/1/engine_code",
        put(f"{_SOURCES}/-", EXAMPLE["allowed_inputs_from_other_engines"][0]),
    ),
)

VALID = (Scenario("valid-none", "results of nobody", "valid", put(_SOURCES, [])),)


def main() -> None:
    write_scenarios("coupling_rules", EXAMPLE, (*VALID, *SCENARIOS))

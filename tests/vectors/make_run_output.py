"""Vectors of the run output (seed 002; contracts 3)."""

from __future__ import annotations

from affidavit.contracts.run_output import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-engine", "the engine is a word", "SCHEMA /engine", put("/engine", "SPECTRA")),
    Scenario("SCHEMA-metrics", "there are no metrics", "SCHEMA /metrics", drop("/metrics")),
    Scenario("RO1-run", "the run's name leads up", "RO1 /run_id", put("/run_id", "..")),
    Scenario("RO1-version", "the engine has no version", "RO1 /engine/engine_version", drop("/engine/engine_version")),
    Scenario(
        "RO2-form", "the input's hash has a prefix", "RO2 /inputs_hash", put("/inputs_hash", "sha256:" + "0" * 64)
    ),
    Scenario("RO3-absent", "the output's hash is absent", "RO3 /outputs_hash", drop("/outputs_hash")),
    Scenario("RO3-wrong", "the output's hash is another", "RO3 /outputs_hash", put("/outputs_hash", "0" * 64)),
    Scenario("RO3-changed", "the output was changed", "RO3 /outputs_hash", put("/outputs/peak/value", 12)),
    Scenario("RO4-unknown", "the semantics are unknown", "RO4 /semantics", put("/semantics", "TRUTH")),
    Scenario(
        "RO5-hash",
        "a result has no hash",
        "RO5 /input_artifact_index/0/sha256",
        put("/input_artifact_index", [{"engine_code": "SPECTRA", "artifact_name": "RUN_OUTPUT.json"}]),
    ),
)


def main() -> None:
    write_scenarios("run_output", EXAMPLE, SCENARIOS)

"""Vectors of the mismatch packets (contracts 4.8)."""

from __future__ import annotations

from affidavit.contracts.mismatch_packets import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-run", "the run is not told", "SCHEMA /run_context", drop("/run_context")),
    Scenario("MP1-version", "another packet", "MP1 /schema_version", put("/schema_version", "x")),
    Scenario("MP2-reason", "the reason is unknown", "MP2 /mismatch_reason", put("/mismatch_reason", "odd")),
    Scenario(
        "MP3-match",
        "a mismatch that is none",
        "MP3 /decision_event/actual",
        put("/expected", "deny"),
    ),
    Scenario(
        "MP4-later",
        "a reason before it holds",
        "MP4 /mismatch_reason",
        put("/mismatch_reason", "expectation_too_strong"),
    ),
)

VALID = (
    Scenario(
        "valid-unseen",
        "nothing was seen",
        "valid",
        put("/decision_event/actual", None),
        put("/mismatch_reason", "op_not_witnessed"),
    ),
    Scenario(
        "valid-alias",
        "another spelling",
        "valid",
        put("/canonicalization/alias_pair", True),
        put("/mismatch_reason", "canonicalization_boundary"),
    ),
    Scenario(
        "valid-oracle",
        "the oracle says otherwise",
        "valid",
        put("/baseline/status", "allow"),
        put("/mismatch_reason", "capture_pipeline_disagreement"),
    ),
    Scenario(
        "valid-strong",
        "the expectation was too strong",
        "valid",
        put("/baseline", None),
        put("/oracle_check", None),
        put("/mismatch_reason", "expectation_too_strong"),
    ),
)


def main() -> None:
    write_scenarios("mismatch_packets", EXAMPLE, (*VALID, *SCENARIOS))

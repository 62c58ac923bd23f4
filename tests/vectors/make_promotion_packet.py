"""Vectors of the promotion packet (contracts 4.5)."""

from __future__ import annotations

from affidavit.contracts.promotion_packet import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-gating", "no inputs", "SCHEMA /promotability/gating_inputs", drop("/promotability/gating_inputs")),
    Scenario("PP1-version", "another packet", "PP1 /schema_version", put("/schema_version", "x")),
    Scenario("PP2-climbs", "a pointer climbs", "PP2 /summary", put("/summary", "../summary.json")),
    Scenario("PP2-absent", "a pointer is absent", "PP2 /oracle_results", drop("/oracle_results")),
    Scenario(
        "PP2-strict-other",
        "a pointer leads to another run",
        "PP2 /summary",
        put("/summary", "out/other/summary.json"),
        level="strict",
    ),
    Scenario(
        "PP3-unknown", "a reason is unknown", "PP3 /promotability/reasons/0", put("/promotability/reasons/0", "odd")
    ),
    Scenario(
        "PP3-order",
        "reasons are not sorted",
        "PP3 /promotability/reasons/0",
        put("/promotability/reasons", ["not_clean_channel", "dry_run"]),
        put("/promotability/accepted/reasons", ["dry_run"]),
        put("/promotability/accepted/promotable", False),
    ),
    Scenario(
        "PP4-verdict",
        "promotable, with a reason",
        "PP4 /promotability/promotable_decision_stage",
        put("/promotability/promotable_decision_stage", True),
    ),
    Scenario(
        "PP5-verdict",
        "accepted, with a reason",
        "PP5 /promotability/accepted/promotable",
        put("/promotability/accepted/promotable", False),
    ),
    Scenario(
        "PP5-absent", "what is accepted is not told", "SCHEMA /promotability/accepted", drop("/promotability/accepted")
    ),
)

MORE = (
    Scenario(
        "PP6-failed",
        "not applied, and no reason says so",
        "PP6 /promotability/reasons",
        put("/promotability/gating_inputs/apply_ok", False),
    ),
    Scenario(
        "PP6-no-index",
        "no index was judged, and no reason says so",
        "PP6 /promotability/reasons",
        put("/promotability/gating_inputs/artifact_index_sha256", None),
    ),
    Scenario(
        "PP6-clean",
        "a clean channel that counts as none",
        ("PP5 /promotability/accepted/reasons", "PP6 /promotability/reasons/0"),
        put("/promotability/gating_inputs/channel", "launchd_clean"),
    ),
)

VALID = (
    Scenario(
        "valid-promotable",
        "nothing speaks against it",
        "valid",
        put("/promotability/promotable_decision_stage", True),
        put("/promotability/reasons", []),
        put("/promotability/gating_inputs/channel", "launchd_clean"),
    ),
    Scenario("valid-compat-old", "an older packet", "valid", drop("/promotability/accepted"), level="compat"),
)


def main() -> None:
    write_scenarios("promotion_packet", EXAMPLE, (*VALID, *SCENARIOS, *MORE))

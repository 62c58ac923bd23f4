"""Vectors of the mismatch summary (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.mismatch_summary import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-path", "no path", "SCHEMA /mismatches/0/path", drop("/mismatches/0/path")),
    Scenario(
        "MM1-type", "the type is unknown", "MM1 /mismatches/0/mismatch_type", put("/mismatches/0/mismatch_type", "odd")
    ),
    Scenario("MM2-more", "one more is counted", "MM2 /counts/op_not_witnessed", put("/counts/op_not_witnessed", 2)),
    Scenario("MM2-other", "another is counted", "MM2 /counts/filter_diff", put("/counts/filter_diff", 1)),
)

VALID = (Scenario("valid-none", "no mismatch", "valid", put("/mismatches", []), put("/counts", {})),)


def main() -> None:
    write_scenarios("mismatch_summary", EXAMPLE, (*VALID, *SCENARIOS))

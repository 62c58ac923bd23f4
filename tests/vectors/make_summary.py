"""Vectors of the summary (contracts 4.2)."""

from __future__ import annotations

from affidavit.contracts.summary import EXAMPLE
from tests.support.vectors import Scenario, put, write_scenarios

SCENARIOS = (
    Scenario(
        "SCHEMA-digest", "the digest has a prefix", "SCHEMA /plan_digest", put("/plan_digest", "sha256:" + "0" * 64)
    ),
    Scenario("SM1-version", "another document", "SM1 /schema_version", put("/schema_version", "x")),
    Scenario("SM2-word", "the status is unknown", "SM2 /status", put("/status", "fine")),
    Scenario("SM2-dry", "dry, and another status", "SM2 /dry_run", put("/status", "ok")),
    Scenario("SM3-lane", "dry, with a lane", "SM3 /lanes/oracle", put("/lanes/oracle", True)),
)

VALID = (Scenario("valid-wet", "a run that was none", "valid", put("/status", "partial"), put("/dry_run", False)),)


def main() -> None:
    write_scenarios("summary", EXAMPLE, (*VALID, *SCENARIOS))

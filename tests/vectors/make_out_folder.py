"""Vectors of the out folder: its runs, which of them have results, the run ids in the ledger, what LATEST holds."""

from __future__ import annotations

from tests.support.vectors import Scenario, put, write_scenarios

EXAMPLE = {"runs": ["run-1", "run-2"], "results": ["run-1"], "listed": ["run-0", "run-1"], "latest": "run-2\n"}

SCENARIOS = (
    Scenario("OF1-gone", "LATEST names a run that is gone", "OF1 LATEST", put("/latest", "run-0\n")),
    Scenario("OF1-climbs", "LATEST leads out", "OF1 LATEST", put("/latest", "../run-1\n")),
    Scenario("OF2-unlisted", "a result has no line in the ledger", "OF2 run-1", put("/listed", ["run-0"])),
)
VALID = (Scenario("valid-no-latest", "there is no LATEST", "valid", put("/latest", None)),)


def main() -> None:
    write_scenarios("out_folder", EXAMPLE, (*VALID, *SCENARIOS))

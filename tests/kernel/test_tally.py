"""A plan run, counted by operation and profile."""

from __future__ import annotations

from typing import Any

from affidavit.kernel.tally import tally


def probe(operation: str, actual: str | None, match: bool | None) -> dict[str, Any]:
    return {"operation": operation, "actual": actual, "match": match}


def test_each_operation_is_counted_for_each_profile() -> None:
    results = {
        "strict": {"probes": [probe("mount", "deny", True), probe("mount", "deny", True), probe("signal", None, None)]},
        "dev": {"probes": [probe("mount", "allow", False), probe("file-read-data", "allow", True)]},
    }
    told = {operation: [count.told() for count in counts] for operation, counts in tally(results)}
    assert told == {
        "file-read-data": ["-", "1 allow"],
        "mount": ["2 deny", "1 allow, 1 NOT EXPECTED"],
        "signal": ["1 not seen", "-"],
    }


def test_nothing_tried_is_nothing_counted() -> None:
    assert tally({}) == []

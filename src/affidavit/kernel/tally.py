"""What came of a plan run, counted: a row for each operation, a column for each profile."""

from __future__ import annotations

from ..canon.order import in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Count:
    """How the probes of one operation ended under one profile."""

    __slots__ = ("allow", "deny", "unseen", "wrong")

    def __init__(self) -> None:
        self.allow = 0
        self.deny = 0
        #: Not reached: neither of both.
        self.unseen = 0
        #: Not as expected; of the others.
        self.wrong = 0

    def add(self, probe: dict[str, Any]) -> None:
        if probe["actual"] == "allow":
            self.allow += 1
        elif probe["actual"] == "deny":
            self.deny += 1
        else:
            self.unseen += 1
        self.wrong += probe["match"] is False

    def told(self) -> str:
        """`3 allow, 14 deny`; what is none is left out."""
        parts = ((self.allow, "allow"), (self.deny, "deny"), (self.unseen, "not seen"), (self.wrong, "NOT EXPECTED"))
        return ", ".join(f"{count} {word}" for count, word in parts if count) or "-"


def tally(results: dict[str, Any]) -> list[tuple[str, list[Count]]]:
    """Of runtime_results.json: each operation, with a count for each of the profiles in their order."""
    operations = in_order({probe["operation"] for profile in results.values() for probe in profile["probes"]})
    rows = {operation: [Count() for _ in results] for operation in operations}
    for column, profile in enumerate(results.values()):
        for probe in profile["probes"]:
            rows[probe["operation"]][column].add(probe)
    return list(rows.items())

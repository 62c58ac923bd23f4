"""What may be changed in a valid document without any rule objecting, and why. The property tests read it.

Places are member names joined by `/`, with `*` for the items of an array, as they stand in the contract's EXAMPLE.
"""

from __future__ import annotations


class Free:
    """The places whose deletion, change of type or reordering is legitimately no finding."""

    def __init__(
        self,
        *,
        deleted: frozenset[str] = frozenset(),
        retyped: frozenset[str] = frozenset(),
        reordered: frozenset[str] = frozenset(),
    ) -> None:
        self.deleted = deleted
        self.retyped = retyped
        self.reordered = reordered


FREE = {
    "runner": Free(
        # items of sorted lists: fewer allowed commands, write roots or variables make another valid record
        deleted=frozenset({"commands/allowlist/*", "write_roots/*", "context/env_allowlist/*"}),
        reordered=frozenset(),
    ),
}

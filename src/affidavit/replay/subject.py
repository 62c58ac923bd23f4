"""What a replay asks of the thing that is run again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from .conditions import Conditions, Source, Variation

    class Subject(Protocol):
        """Something that was run, with what it made then."""

        sealed: dict[str, bytes]
        #: When it was sealed, if that is known.
        sealed_at: str | None

        def run(self, conditions: Conditions) -> dict[str, bytes] | Failed: ...
        def cannot(self, condition: Variation | Source) -> str:
            """Why this host cannot make a condition; empty when it can."""
            ...


class Failed:
    """Why a run made nothing that could be compared."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why

"""What the kernel can answer: a bundle, questions, or a refusal. All three are values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    Outcome: TypeAlias = "Bundle | Clarify | Refuse"


class Bundle:
    """The intent is clear: `bundle` holds what it comes to."""

    __slots__ = ("bundle",)
    kind: Literal["BUNDLE"] = "BUNDLE"

    def __init__(self, bundle: dict[str, Any]) -> None:
        self.bundle = bundle


class Clarify:
    """Something is open: `bundle` is incomplete and holds the questions."""

    __slots__ = ("bundle",)
    kind: Literal["CLARIFY"] = "CLARIFY"

    def __init__(self, bundle: dict[str, Any]) -> None:
        self.bundle = bundle

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The most pressing first."""
        questions: list[dict[str, Any]] = self.bundle["unresolved_questions"]
        return questions


class Refuse:
    """The intent is sound and cannot be honoured."""

    __slots__ = ("reasons",)
    kind: Literal["REFUSE"] = "REFUSE"

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons

    @property
    def reason(self) -> str:
        """All of it, in one text."""
        return "; ".join(self.reasons)

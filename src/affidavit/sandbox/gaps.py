"""What a host cannot enforce of what a policy asks: a refusal, and so a value, until somebody cannot go on."""

from __future__ import annotations

from ..errors import AffidavitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..errors import Kind
    from .abilities import AbilityName


class SandboxUnavailable(AffidavitError):
    """The sandbox that the policy asks for cannot be had here (RUN_E005)."""

    kind: Kind = "refused"


class Gap:
    """One thing that cannot be enforced here, what was seen, and what to do about it."""

    __slots__ = ("found", "name", "remedy")

    def __init__(self, name: AbilityName, found: str, remedy: str) -> None:
        self.name = name
        self.found = found
        self.remedy = remedy

    def __repr__(self) -> str:
        return f"Gap({self.name!r}, {self.found!r})"


class Gaps:
    """Why a sandbox is refused."""

    __slots__ = ("gaps",)

    def __init__(self, gaps: Sequence[Gap]) -> None:
        self.gaps = tuple(gaps)

    def error(self) -> SandboxUnavailable:
        """The same as an error, each gap named in its details."""
        names: list[str] = [gap.name for gap in self.gaps]
        told = "; ".join(f"{gap.name}: {gap.found} ({gap.remedy})" for gap in self.gaps)
        return SandboxUnavailable(
            "RUN_E005",
            f"this host cannot enforce what the policy asks for: {told}",
            gaps=names,
            remedies=[gap.remedy for gap in self.gaps],
        )

    def __repr__(self) -> str:
        return f"Gaps({self.gaps!r})"

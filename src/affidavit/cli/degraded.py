"""`--allow-degraded GAP[,GAP]`: what a run may go on without, when the host lacks it (contracts 2.9)."""

from __future__ import annotations

from ..errors import UsageError
from ..sandbox.abilities import DEGRADABLE
from ..shown import plain
from .args import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..sandbox.abilities import AbilityName
    from .args import Args

ALLOW_DEGRADED = Option("--allow-degraded", "go on without these, when the host lacks them", value="GAP[,GAP]")


def degraded_of(args: Args) -> tuple[AbilityName, ...]:
    names = [name for name in (args.text("--allow-degraded") or "").split(",") if name]
    for name in names:
        if name not in DEGRADABLE:
            raise UsageError("USAGE", f"--allow-degraded takes {', '.join(DEGRADABLE)}; found {plain(name)!r}")
    return tuple(name for name in DEGRADABLE if name in names)

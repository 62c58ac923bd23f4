"""The options of every verb that takes the lock of an out folder (seed 003, section 3)."""

from __future__ import annotations

from ..errors import UsageError
from ..shown import plain
from ..store.lock import TIMEOUT
from .args import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .args import Args

LOCKING = (
    Option("--lock", "when another process has the lock", value="MODE", choices=("wait", "fail"), default="wait"),
    Option("--lock-timeout", "how long to wait for it", value="SECONDS", default=f"{TIMEOUT:g}"),
)

#: What every verb that changes an out folder ends with.
STATUSES = ((0, "done"), (1, "refused, mismatch"), (2, "error, locked by another process"), (3, "wrong usage"))
EXITS = {"io": 2, "parse": 2, "usage": 3, "refused": 1, "internal": 2}
_LONGEST = 86_400.0


def locking(args: Args) -> dict[str, Any]:
    """What the store is to be told."""
    told = args.text("--lock-timeout") or ""
    try:
        seconds = float(told)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= _LONGEST:
        raise UsageError("USAGE", f"--lock-timeout: expected seconds, at most {_LONGEST:g}, found {plain(told)!r}")
    return {"lock": args.text("--lock"), "lock_timeout": seconds}

"""What evidence can be made here, and what an out folder holds (`runtime-tools.status.v0.1`, contracts 4.1)."""

from __future__ import annotations

from ..contracts.probing import CHANNELS
from ..sandbox.host import probe_host
from ..sandbox.world import world_id
from ..store.listing import OutListing
from . import channels
from .self_check import self_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SCHEMA_VERSION = "runtime-tools.status.v0.1"


def status(out: str | None = None) -> dict[str, Any]:
    """The document; with `out`, what that folder holds. Nothing of it is verified."""
    host = probe_host()
    told: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "world_id": world_id(host.bwrap),
        "sandbox_check_self": self_check(),
        "gaps": [gap.name for gap in host.gaps()],
        "channels": {channel: _channel(channel) for channel in CHANNELS},
    }
    return told if out is None else {**told, "out": {"path": out, **OutListing(out).as_json()}}


def _channel(channel: str) -> dict[str, Any]:
    why = channels.why_not(channel)
    return {"available": not why, "reason": why or None}

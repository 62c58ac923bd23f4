"""The channels that a run may come through (contracts 4.9): how the worker is started, and what proves it.

`direct` runs the lanes in this process and claims nothing. A clean channel has the system's own manager start the
worker, so that nothing of our caller's confinement comes along, and is proven by what worker and manager say of each
other. Where no manager can be had, the channel is refused before anything is written.
"""

from __future__ import annotations

import sys

from ..contracts.probing import CHANNELS
from ..contracts.run_manifest import proof_faults
from ..errors import UsageError
from ..shown import plain
from . import systemd, worker
from .refused import ChannelRefused, WorkerFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .job import Job
    from .lanes import Each
    from .recording import Recorded


def why_not(channel: str) -> str:
    """Why the channel cannot be had here; empty where it can."""
    if channel == "direct":
        return ""
    if channel == "launchd_clean":
        if sys.platform != "darwin":
            return "launchd is the manager of macOS, and this is another system"
        return "the job's property list and commands are made and tested; starting it has not been verified on macOS"
    return systemd.why_not()


def require(channel: str) -> None:
    """Raises ChannelRefused, or UsageError for a channel that nobody knows."""
    if channel not in CHANNELS:
        raise UsageError("USAGE", f"expected one of the channels {', '.join(CHANNELS)}, found {plain(channel)!r}")
    why = why_not(channel)
    if why:
        raise ChannelRefused(channel, why)


def record(channel: str, run_id: str, job: Job, each: Each) -> tuple[Recorded, dict[str, Any] | None]:
    """What the worker saw, and the proof of the channel."""
    require(channel)
    if channel == systemd.CHANNEL:
        recorded, manager = systemd.work(run_id, job)
        proof: dict[str, Any] | None = {"worker": recorded.worker, "manager": manager}
    else:
        recorded, proof = worker.work(job, each), None
    recorded.require_of(job)
    fault = next(proof_faults(channel, run_id, proof), None)
    if fault is not None:
        raise WorkerFailed(f"channel {channel} is not proven: expected {fault.expected}, found {fault.found}")
    return recorded, proof

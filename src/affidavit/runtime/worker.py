"""Runs the lanes of a job and tells what they saw. In a clean channel it is a process of its own, started by the
system's manager: `python -m affidavit.runtime.worker` reads a job and writes a recording. It writes no bundle; whoever
began the run does (contracts 4.9).
"""

from __future__ import annotations

import os
import sys

from ..sandbox.fixtures import Fixtures
from . import lanes
from .job import Job
from .recording import Recorded
from .refused import WorkerFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .lanes import Each

_MOST_BYTES = 256 * 1024 * 1024
_MOST_STATUS = 65_536


def work(job: Job, each: Each = lanes.nobody) -> Recorded:
    """What the lanes of the job saw."""
    recorded = Recorded(worker=myself())
    has_preflight = job.resolved.plan.get("apply_preflight_profile") is not None
    if not (has_preflight or job.lanes["scenario"] or job.lanes["baseline"]):
        return recorded
    try:
        if job.folder is not None:
            os.mkdir(job.folder, 0o700)
        with Fixtures(folder=job.folder) as fixtures:
            if has_preflight:
                recorded.preflight = lanes.preflight(job, fixtures)
            if job.lanes["baseline"]:
                recorded.baseline = lanes.baseline(job, fixtures, each)
            if job.lanes["scenario"]:
                recorded.scenario = lanes.scenario(job, fixtures, each)
    except OSError as error:  # a full disk, no more processes: nothing that a probe was told
        raise WorkerFailed(f"the lanes could not be run: {error}") from error
    return recorded


def myself() -> dict[str, Any]:
    """Who this process is, as it sees itself: what a manager's word is compared with."""
    cgroup = _cgroup()
    return {
        "pid": os.getpid(),
        "parent_pid": os.getppid(),
        "cgroup": cgroup,
        "unit": None if cgroup is None else cgroup.rpartition("/")[2] or None,
        "invocation_id": os.environ.get("INVOCATION_ID"),
    }


def _cgroup() -> str | None:
    """The cgroup that the manager put us in: of its own hierarchy, which is named for systemd or has no controllers."""
    try:
        with open("/proc/self/cgroup", encoding="utf-8", errors="replace") as file:
            lines = file.read(_MOST_STATUS).splitlines()
    except OSError:
        return None
    found = {line.split(":", 2)[1]: line.split(":", 2)[2] for line in lines if line.count(":") >= 2}
    return found.get("name=systemd", found.get(""))


def main() -> int:
    """One job from standard input, its recording to standard output."""
    job = Job.from_bytes(sys.stdin.buffer.read(_MOST_BYTES))
    sys.stdout.buffer.write(work(job).to_bytes())
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

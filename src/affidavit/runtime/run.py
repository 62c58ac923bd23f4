"""Runs a plan and commits what it saw (seed 003, sections 1 and 3; contracts 4).

The run directory appears before anything is tried and is filled when everything was: a process that is killed between
leaves a run that is visibly unfinished, which `affidavit abandon` closes. The lock is held for both ends, never while
something runs.
"""

from __future__ import annotations

import os
import time

from ..canon.reader import read
from ..contracts.plan import lanes_of, plan_digest
from ..contracts.run_members import SUMMARY
from ..sandbox.host import probe_host
from ..sandbox.world import world_id
from ..store.index import prefix_for
from ..store.lock import TIMEOUT
from ..store.scratch import Scratch
from ..store.writer import begin
from ..values import timed_id
from . import built_in, channels
from .documents import MISMATCHES, RESULTS, Identity, documents, expected_files
from .job import Job
from .lanes import nobody
from .plans import read_plan, require_runnable, resolve
from .recording import Recorded
from .registry import Directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..sandbox.abilities import AbilityName
    from ..store.lock import LockMode
    from .lanes import Each


class PlanRun:
    """A committed run: where it is, and what it came to."""

    __slots__ = ("mismatches", "path", "results", "run_id", "summary")

    def __init__(
        self,
        run_id: str,
        path: str,
        summary: dict[str, Any],
        mismatches: dict[str, Any],
        results: dict[str, Any],
    ) -> None:
        self.run_id = run_id
        self.path = path
        #: `summary.json`
        self.summary = summary
        #: `mismatch_summary.json`
        self.mismatches = mismatches
        #: `runtime_results.json`; empty where nothing was tried.
        self.results = results

    @property
    def status(self) -> str:
        """`ok`, `partial` or `dry`."""
        told: str = self.summary["status"]
        return told


def run_plan(
    plan: str | os.PathLike[str] | dict[str, Any],
    out: str | os.PathLike[str],
    channel: str = "direct",
    lock_mode: LockMode = "fail",
    dry_run: bool = False,
    *,
    lock_timeout: float = TIMEOUT,
    registries: str | os.PathLike[str] | None = None,
    allow_degraded: Iterable[AbilityName] = (),
    each: Each = nobody,
) -> PlanRun:
    """Runs a plan, a document, its file or the name of a built-in one, into a new run of the out folder.

    `registries` is a directory with an index of registries; without it those of this package are used. Raises before
    anything is written for a plan that is not sound, a profile or a channel that cannot be had here, and Locked.
    """
    document = plan if isinstance(plan, dict) else read_plan(os.fspath(plan))
    source = built_in.source() if registries is None else Directory(os.fspath(registries))
    planned = resolve(document, source)
    if not dry_run:
        require_runnable(planned)
        channels.require(channel)
    out = os.fspath(out)
    run_id = timed_id("pr", time.time_ns() // 1_000_000, os.urandom(4))
    identity = Identity(
        run_id=run_id,
        world_id=planned.plan.get("world_id") or world_id(probe_host().bwrap),
        channel=channel,
        dry_run=dry_run,
        lanes=lanes_of(planned.plan, dry_run=dry_run),
        prefix=prefix_for(out, run_id),
    )
    job = Job.of(planned, identity.lanes, degraded=allow_degraded)
    with begin(
        out,
        run_id,
        plan_id=planned.plan["plan_id"],
        plan_digest=plan_digest(planned.plan),
        world_id=identity.world_id,
        channel=channel,
        lock=lock_mode,
        lock_timeout=lock_timeout,
    ) as writer:
        recorded, proof = Recorded(), None
        if not dry_run:
            with Scratch(out) as scratch:
                job.folder = os.path.join(scratch.path, "fixtures")
                recorded, proof = channels.record(channel, run_id, job, each)
        told: dict[str, Any] = {}
        for name, data in documents(planned, identity, recorded, proof):
            writer.put(name, data)
            if name in (SUMMARY, MISMATCHES, RESULTS):
                told[name] = read(data)
        writer.commit(expected=expected_files(planned.plan, identity))
    return PlanRun(run_id, writer.directory, told[SUMMARY], told[MISMATCHES], told.get(RESULTS, {}))

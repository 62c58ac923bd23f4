"""The lanes that touch the host (contracts 4.8): each probe in a sandbox of its own, and once more without one.

The baseline runs only what can neither change nor exhaust the host, under limits, against fixtures of our own. What a
host lacks for a probe to show anything is told as such, and is neither allowed nor denied.
"""

from __future__ import annotations

import os

from ..kernel.bare import may_be_bare
from ..kernel.compare import Seen
from ..kernel.probes import probe_of
from ..sandbox.bare import try_bare
from ..sandbox.escape import try_inside
from ..sandbox.fixtures import Fixtures, first_root
from ..sandbox.gaps import Gaps, SandboxUnavailable
from ..sandbox.host import probe_host
from ..sandbox.prepare import prepare
from ..sandbox.request import SandboxRequest
from ..sandbox.runner import run
from .self_check import self_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..kernel.probes import Probe
    from ..sandbox.observation import Observation
    from .job import Job
    from .recording import Key

    #: Hears of each probe that was tried: the lane, how many were, and of how many.
    Each = Callable[[str, int, int], None]

#: Why a probe that a registry calls harmless is not tried without a sandbox.
NOT_BARE = "not tried without a sandbox: it does not aim at fixtures alone"

_NOTHING = ("-I", "-S", "-c", "pass")


def nobody(_lane: str, _done: int, _of: int) -> None:
    """Who wants to hear of nothing."""


def scenario(job: Job, fixtures: Fixtures, each: Each = nobody) -> dict[Key, Seen]:
    """Each probe under each profile."""
    return _lane(job, fixtures, "scenario", each)


def baseline(job: Job, fixtures: Fixtures, each: Each = nobody) -> dict[Key, Seen]:
    """Each probe that supports it, without a sandbox; aimed as it would be under the profile. No profile is in force,
    so those that make a probe aim at the same place share what was seen."""
    return _lane(job, fixtures, "baseline", each)


def _lane(job: Job, fixtures: Fixtures, lane: str, each: Each) -> dict[Key, Seen]:
    pairs = [*job.resolved.pairs(lane)]
    seen: dict[Key, Seen] = {}
    bare: dict[tuple[str, str], Seen] = {}
    for done, (profile, row) in enumerate(pairs, 1):
        policy = job.policies[profile["profile_id"]]
        probe = probe_of(row)
        missing = fixtures.missing(probe, policy)
        if missing is not None:
            found = Seen(reached=False, stage="preflight", kind=f"needs: {missing}")
        elif lane == "scenario":
            found = _inside(job, fixtures, probe, policy)
        elif may_be_bare(probe):
            aim = probe.driver, first_root(policy)
            found = bare[aim] = bare.get(aim) or try_bare(fixtures, probe, policy)
        else:
            found = Seen(reached=False, stage="preflight", kind=NOT_BARE)
        seen[profile["profile_id"], row["probe_id"]] = found
        each(lane, done, len(pairs))
    return seen


def _inside(job: Job, fixtures: Fixtures, probe: Probe, policy: dict[str, Any]) -> Seen:
    try:
        return try_inside(fixtures, probe, policy, degraded=job.degraded)[0]
    except SandboxUnavailable as error:
        return Seen(reached=False, stage="preflight", kind=_gaps(error))


def preflight(job: Job, fixtures: Fixtures) -> dict[str, Any]:
    """Whether the sandbox of the plan's preflight profile can be applied at all, and what already confines us: all of
    `apply_preflight.json` but what says which run it is of."""
    profile = job.resolved.profiles[job.resolved.plan["apply_preflight_profile"]]
    host = probe_host()
    version = ".".join(str(part) for part in host.bwrap_version) or "unknown"
    command = [fixtures.interpreter, *_NOTHING]
    told: dict[str, Any] = {
        "profile": profile["profile_path"],
        "runner": {"tool": "bubblewrap", "version": version if host.bwrap else "none"},
        "sandbox_check_self": self_check(),
        "command": command,
    }
    workspace = os.path.join(fixtures.folder, "preflight")
    os.mkdir(workspace)
    request = SandboxRequest(
        job.policies[profile["profile_id"]],
        command,
        workspace,
        also_commands=(fixtures.interpreter,),
        degraded=job.degraded,
    )
    spec = prepare(request)
    if isinstance(spec, Gaps):
        return {**told, **_not_applied(None, _gaps(spec.error())), "error": spec.error().message}
    with open(os.devnull, "wb") as nowhere:
        observed = run(spec, stdout=nowhere.fileno(), stderr=nowhere.fileno())
    if observed.outcome == "exited" and observed.status == 0:
        report = {"api": "bwrap", "rc": 0, "errno": None, "err_class": "success"}
        applied = {"status": "ok", "apply_ok": True, "apply_report": report, "exit_code": 0, "failure_stage": None}
        return {**told, **applied}
    return {**told, **_not_applied(observed, observed.outcome), "error": observed.why or observed.outcome}


def _not_applied(observed: Observation | None, why: str) -> dict[str, Any]:
    status = observed.status if observed is not None else None
    return {
        "status": "error",
        "apply_ok": False,
        "apply_report": {"api": "bwrap", "rc": status, "errno": None, "err_class": why},
        "exit_code": status,
        "failure_stage": "apply",
    }


def _gaps(error: SandboxUnavailable) -> str:
    names = error.details.get("gaps")
    return "this host lacks: " + ", ".join(names if isinstance(names, list) else [])

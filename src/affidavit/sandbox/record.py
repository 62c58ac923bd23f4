"""runner.json (seed 001; contracts 2.8): what was applied and what was observed, never what was asked for."""

from __future__ import annotations

import os
import signal
import sys

from .. import __version__
from ..canon.order import in_order
from ..contracts.runner import new_runner_id
from ..errors import UsageError
from ..values import timestamp
from .claims import NOT_CLAIMED
from .request import SEARCH
from .tools import find_tools
from .world import architecture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .observation import Observation
    from .spec import SandboxSpec
    from .tools import Tools


def runner_record(
    spec: SandboxSpec,
    observations: Sequence[Observation],
    *,
    started_at: int | None = None,
    duration_ms: int | None = None,
    warnings: Sequence[str] = (),
    tools: Tools | None = None,
) -> dict[str, Any]:
    """The record of one run of one or more commands. The exit status is the first that was not 0, else the last one's.
    `started_at` (milliseconds since the epoch) and `duration_ms` (of a clock that nobody sets) are the whole run's;
    a single command has its own."""
    if not observations:
        raise ValueError("a record of a run in which nothing was run")
    if started_at is None or duration_ms is None:
        (only,) = observations
        started_at, duration_ms = only.started_at, only.duration_ms
    telling = next((one for one in observations if one.status != 0), observations[-1])
    tools = tools or find_tools(SEARCH)
    machine = os.uname().machine
    arch = architecture(machine)
    if arch is None:
        raise UsageError("RUN_E005", f"a runner record names the processors x64, arm64 and ia32, found {machine}")
    told = {*spec.warnings, *tools.warnings, *warnings, *(word for one in observations for word in one.warnings)}
    record: dict[str, Any] = {
        "runner_schema_version": "1.0.0",
        "runner_id": new_runner_id(started_at // 1000, os.urandom(8)),
        "runner_version": __version__,
        "platform": {
            "os": "linux",
            "arch": arch,
            "node_version": tools.node_version,
            "npm_version": tools.npm_version,
            "python_version": sys.version.partition(" ")[0],
        },
        "sandbox": {
            "backend": "container" if spec.sandboxed else "none",
            "isolation_level": spec.isolation_level,
            "network_blocked": not spec.network,
            "filesystem_readonly": spec.sandboxed,
            "enforced": dict(spec.enforced),
            "not_claimed": list(NOT_CLAIMED),
        },
        "limits": {
            "timeout_ms": spec.limits.timeout_ms,
            "max_output_files": spec.limits.max_output_files,
            "max_total_output_bytes": spec.limits.max_output_bytes,
            "max_memory_bytes": spec.limits.max_memory_bytes,
            "max_cpu_seconds": spec.limits.max_cpu_seconds,
            "max_pids": spec.limits.max_pids,
        },
        "commands": {
            "allowlist": in_order(set(spec.allowlist)),
            "blocklist": [],
            "shell": spec.shell,
            "companions": in_order(spec.companions),
        },
        "write_roots": in_order(spec.write_roots),
        "context": {
            "working_dir": ".",
            "env_allowlist": in_order(spec.environment),
            "locale": spec.environment["LANG"],
            "timezone": spec.environment["TZ"],
        },
        "timing": {
            "started_at": timestamp(started_at),
            "completed_at": timestamp(started_at + duration_ms),
            "duration_ms": duration_ms,
        },
        "exit": {
            "code": telling.status,
            "oom_killed": any(one.oom_killed for one in observations),
            "timeout_killed": any(one.timed_out for one in observations),
        },
    }
    if telling.signal is not None:
        record["exit"]["signal"] = signal_name(telling.signal)
    if told:
        record["warnings"] = in_order(told)
    return record


def signal_name(number: int) -> str:
    """SIGTERM, SIGRTMIN+1."""
    if signal.SIGRTMIN < number < signal.SIGRTMAX:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"

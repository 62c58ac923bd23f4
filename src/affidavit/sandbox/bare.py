"""Tries a probe without a sandbox: what the host itself would answer (contracts 4.8).

Only those that can neither change the host nor exhaust it, in a private directory, against listeners and children of
our own, under limits of time, processes and memory.
"""

from __future__ import annotations

import os

from ..kernel.probes import Ended, Said, judged
from .attempt import attempt
from .cage import Cage
from .fixtures import DESCRIPTOR
from .host import probe_host
from .spec import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..kernel.compare import Seen
    from ..kernel.probes import Probe
    from .attempt import Attempt
    from .fixtures import Fixtures

#: It waits until it is held, and becomes the program.
_HELD = 'read go && exec "$@"'
_SECONDS = 10.0
_MEMORY, _FILE, _PIDS = 1 << 30, 64 << 20, 64
#: Without a cgroup the kernel counts all processes of the user, of whatever program.
_PIDS_OF_USER = 16_384


class _Bare:
    """What a bare trial is held to, in the form that a cage takes."""

    __slots__ = ("cpu_cgroup", "enforced", "limits", "memory_cgroup", "pids_cgroup")

    def __init__(self) -> None:
        host = probe_host()
        self.memory_cgroup, self.pids_cgroup = host.memory_cgroup, host.pids_cgroup
        self.cpu_cgroup = None
        self.enforced = {"memory": "rlimit", "pids": "rlimit"}
        self.limits = Limits(
            timeout_ms=round(_SECONDS * 1000),
            max_memory_bytes=_MEMORY,
            max_cpu_seconds=round(_SECONDS),
            max_pids=_PIDS if host.pids_cgroup else _PIDS_OF_USER,
            max_output_files=1,
            max_output_bytes=_FILE,
        )


def try_bare(fixtures: Fixtures, probe: Probe, policy: Mapping[str, Any]) -> Seen:
    """What was observed. `policy` says where the probe would aim under it, and is not enforced."""
    assert probe.bare
    with fixtures.trying(probe, policy, inside=False) as trying:
        ended = _held(["/bin/sh", "-c", _HELD, "sh", *trying.argv])
        said = Said(ended.out.encode())
        witnessed = trying.witnessed(said)
        if ended.status is None:
            told = Ended("timed_out")
        elif ended.status < 0:
            told = Ended("signalled", signal=-ended.status)
        else:
            told = Ended("exited", status=ended.status)
        return judged(probe, said, told, witnessed=bool(witnessed), command=trying.argv)


def _held(argv: list[str]) -> Attempt:
    cage = Cage(_Bare())
    reading, writing = os.pipe()

    def started(pid: int) -> None:
        cage.enter(pid)
        os.write(writing, b"\n")

    try:
        cage.make()
        # the leaking descriptor must be handed over: the host's own trials inherit nothing
        return attempt(argv, descriptors={0: reading, DESCRIPTOR: DESCRIPTOR}, started=started, seconds=_SECONDS)
    finally:
        os.close(reading)
        os.close(writing)
        cage.remove()

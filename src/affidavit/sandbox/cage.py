"""The cgroups and rlimits that hold one run. Only what runs inside is put in: bubblewrap itself must live to tell."""

from __future__ import annotations

import os
import resource
from itertools import count

from .cgroups import read_file, remove, write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from .abilities import CgroupPlace
    from .spec import Limits

    class Held(Protocol):
        """What is held: a sandbox's description, or what a bare trial may use."""

        @property
        def limits(self) -> Limits: ...
        @property
        def memory_cgroup(self) -> CgroupPlace | None: ...
        @property
        def pids_cgroup(self) -> CgroupPlace | None: ...
        @property
        def enforced(self) -> Mapping[str, str]: ...


#: Descriptors a process may have; a run that leaks them fails by itself and not with the host.
MAX_OPEN_FILES = 4096

_numbers = count()


class Cage:
    """Made before the run, entered by its first process while that waits, removed when all is over."""

    __slots__ = ("_memory", "_pids", "_spec")

    def __init__(self, spec: Held) -> None:
        self._spec = spec
        self._memory: str | None = None
        self._pids: str | None = None

    def make(self) -> None:
        limits = self._spec.limits
        name = f"affidavit-{os.getpid()}-{next(_numbers)}-{os.urandom(4).hex()}"
        memory, pids = self._spec.memory_cgroup, self._spec.pids_cgroup
        if memory is not None:
            self._memory = f"{memory.directory}/{name}"
            os.mkdir(self._memory, 0o755)
            if memory.version == 2:
                write_file(f"{self._memory}/memory.max", str(limits.max_memory_bytes))
                _write_if_there(f"{self._memory}/memory.swap.max", "0")
            else:
                write_file(f"{self._memory}/memory.limit_in_bytes", str(limits.max_memory_bytes))
                _write_if_there(f"{self._memory}/memory.memsw.limit_in_bytes", str(limits.max_memory_bytes))
        if pids is not None:
            self._pids = f"{pids.directory}/{name}"
            if self._pids != self._memory:  # both controllers may be of one tree
                os.mkdir(self._pids, 0o755)
            # bubblewrap's own first process inside counts too
            write_file(f"{self._pids}/pids.max", str(limits.max_pids + 1))

    def enter(self, pid: int) -> None:
        """Puts the waiting process in. Whatever it starts is born there."""
        for place in {self._memory, self._pids} - {None}:
            write_file(f"{place}/cgroup.procs", str(pid))
        limits = self._spec.limits
        _bound(pid, resource.RLIMIT_CPU, limits.max_cpu_seconds, limits.max_cpu_seconds + 1)
        # one more than the cap: a file that was cut off at it could not be told from one that is as large as it may be
        _bound(pid, resource.RLIMIT_FSIZE, limits.max_output_bytes + 1)
        _bound(pid, resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
        _bound(pid, resource.RLIMIT_CORE, 0)
        if self._memory is None and self._spec.enforced["memory"] == "rlimit":
            # not RLIMIT_AS: node reserves far more address space than it ever uses
            _bound(pid, resource.RLIMIT_DATA, limits.max_memory_bytes)
        if self._pids is None and self._spec.enforced["pids"] == "rlimit":
            _bound(pid, resource.RLIMIT_NPROC, limits.max_pids)

    def oom_kills(self) -> int:
        """How many processes the kernel killed in it for want of memory."""
        if self._memory is None:
            return 0
        version_2 = self._spec.memory_cgroup is not None and self._spec.memory_cgroup.version == 2
        return _count(f"{self._memory}/{'memory.events' if version_2 else 'memory.oom_control'}", "oom_kill")

    def refused_forks(self) -> int:
        return 0 if self._pids is None else _count(f"{self._pids}/pids.events", "max")

    def peak_memory(self) -> int | None:
        """The most that all of it together had at once, where the kernel counts it."""
        if self._memory is None or self._spec.memory_cgroup is None:
            return None
        name = "memory.peak" if self._spec.memory_cgroup.version == 2 else "memory.max_usage_in_bytes"
        try:
            return int(read_file(f"{self._memory}/{name}"))
        except FileNotFoundError:  # memory.peak is of Linux 5.19
            return None

    def remove(self) -> None:
        for place in {self._memory, self._pids} - {None}:
            assert place is not None
            remove(place)
        self._memory = self._pids = None


def _write_if_there(path: str, text: str) -> None:
    """Swap is not accounted for on every host; without swap accounting there is nothing to forbid."""
    try:
        write_file(path, text)
    except FileNotFoundError:
        pass


def _count(path: str, member: str) -> int:
    for line in read_file(path).splitlines():
        name, _, value = line.partition(" ")
        if name == member:
            return int(value)
    return 0


def _bound(pid: int, what: int, soft: int, hard: int | None = None) -> None:
    """Lowers, never raises: raising is not ours to do."""
    _, now = resource.prlimit(pid, what)
    most = soft if hard is None else hard
    if now != resource.RLIM_INFINITY:
        most = min(most, now)
    resource.prlimit(pid, what, (min(soft, most), most))

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
        def cpu_cgroup(self) -> CgroupPlace | None: ...
        @property
        def enforced(self) -> Mapping[str, str]: ...


#: Descriptors a process may have; a run that leaks them fails by itself and not with the host.
MAX_OPEN_FILES = 4096

_numbers = count()


class Cage:
    """Made before the run, entered by its first process while that waits, removed when all is over."""

    __slots__ = ("_cpu", "_memory", "_own", "_pids", "_spec")

    def __init__(self, spec: Held) -> None:
        self._spec = spec
        #: What was made, each once: controllers may share a tree.
        self._own: list[str] = []
        self._memory: _Group | None = None
        self._pids: _Group | None = None
        self._cpu: _Group | None = None

    def make(self) -> None:
        limits = self._spec.limits
        name = f"affidavit-{os.getpid()}-{next(_numbers)}-{os.urandom(4).hex()}"
        self._memory = self._group(self._spec.memory_cgroup, name)
        self._pids = self._group(self._spec.pids_cgroup, name)
        self._cpu = self._group(self._spec.cpu_cgroup, name)
        if self._memory is not None:
            most = str(limits.max_memory_bytes)
            # and no swap; where the kernel does not account for it there is nothing to forbid
            if self._memory.is_v2:
                self._memory.write("memory.max", most)
                self._memory.write_if_there("memory.swap.max", "0")
            else:
                self._memory.write("memory.limit_in_bytes", most)
                self._memory.write_if_there("memory.memsw.limit_in_bytes", most)
        if self._pids is not None:
            # bubblewrap's own first process inside counts too
            self._pids.write("pids.max", str(limits.max_pids + 1))

    def _group(self, place: CgroupPlace | None, name: str) -> _Group | None:
        if place is None:
            return None
        path = f"{place.directory}/{name}"
        if path not in self._own:
            os.mkdir(path, 0o755)
            self._own.append(path)
        return _Group(path, is_v2=place.version == 2)

    def enter(self, pid: int) -> None:
        """Puts the waiting process in. Whatever it starts is born there."""
        for path in self._own:
            write_file(f"{path}/cgroup.procs", str(pid))
        limits = self._spec.limits
        _bound(pid, resource.RLIMIT_CPU, limits.max_cpu_seconds, limits.max_cpu_seconds + 1)
        # one more than the cap: a file that was cut off at it could not be told from one that is as large as it may be
        _bound(pid, resource.RLIMIT_FSIZE, limits.max_output_bytes + 1)
        _bound(pid, resource.RLIMIT_NOFILE, MAX_OPEN_FILES)
        _no_core(pid)
        if self._memory is None and self._spec.enforced["memory"] == "rlimit":
            # not RLIMIT_AS: node reserves far more address space than it ever uses
            _bound(pid, resource.RLIMIT_DATA, limits.max_memory_bytes)
        if self._pids is None and self._spec.enforced["pids"] == "rlimit":
            _bound(pid, resource.RLIMIT_NPROC, limits.max_pids)

    def oom_kills(self) -> int:
        """How many processes the kernel killed in it for want of memory."""
        if self._memory is None:
            return 0
        return self._memory.member("memory.events" if self._memory.is_v2 else "memory.oom_control", "oom_kill")

    def refused_forks(self) -> int:
        return 0 if self._pids is None else self._pids.member("pids.events", "max")

    def peak_memory(self) -> int | None:
        """The most that all of it together had at once, where the kernel counts it."""
        if self._memory is None:
            return None
        try:
            return int(self._memory.read("memory.peak" if self._memory.is_v2 else "memory.max_usage_in_bytes"))
        except FileNotFoundError:  # memory.peak is of Linux 5.19
            return None

    def cpu_ms(self) -> int | None:
        """The processor time of all of it together, where a cgroup counts it."""
        if self._cpu is None:
            return None
        if self._cpu.is_v2:
            return self._cpu.member("cpu.stat", "usage_usec") // 1000
        return int(self._cpu.read("cpuacct.usage")) // 1_000_000

    def is_over_cpu(self) -> bool:
        used = self.cpu_ms()
        return used is not None and used > self._spec.limits.max_cpu_seconds * 1000

    def remove(self) -> None:
        while self._own:
            remove(self._own.pop())


class _Group:
    """A cgroup of ours, by one of its controllers."""

    __slots__ = ("_path", "is_v2")

    def __init__(self, path: str, *, is_v2: bool) -> None:
        self._path = path
        self.is_v2 = is_v2

    def read(self, name: str) -> str:
        return read_file(f"{self._path}/{name}")

    def write(self, name: str, text: str) -> None:
        write_file(f"{self._path}/{name}", text)

    def write_if_there(self, name: str, text: str) -> None:
        try:
            self.write(name, text)
        except FileNotFoundError:
            pass

    def member(self, name: str, member: str) -> int:
        """Of a file of `member value` lines."""
        for line in self.read(name).splitlines():
            key, _, value = line.partition(" ")
            if key == member:
                return int(value)
        return 0


def _no_core(pid: int) -> None:
    """A crash must not have a program of the host's, which runs as root, take what crashed: the kernel starts it with a
    limit of 0 too, and not with one of 1, which is also too little for a file (core(5))."""
    try:
        resource.prlimit(pid, resource.RLIMIT_CORE, (1, 1))
    except PermissionError:  # we are held to 0 ourselves, and to raise that is not ours
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))


def _bound(pid: int, what: int, soft: int, hard: int | None = None) -> None:
    """Lowers, never raises: raising is not ours to do."""
    _, now = resource.prlimit(pid, what)
    most = soft if hard is None else hard
    if now != resource.RLIM_INFINITY:
        most = min(most, now)
    resource.prlimit(pid, what, (min(soft, most), most))

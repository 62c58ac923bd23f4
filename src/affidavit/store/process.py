"""Which process writes a run, and whether it is still there (contracts 4.6).

A pid alone says little, it is used again: the ticks at which the process started and the id of the boot make it one.
Where the system does not tell these (no /proc), a process counts as alive as long as its pid is in use.
"""

from __future__ import annotations

import os

_MOST_PID = 2**31 - 1
_STAT = 4096


class Process:
    """A process of this system, now or before."""

    __slots__ = ("boot_id", "pid", "start_ticks")

    def __init__(self, pid: int, start_ticks: int | None, boot_id: str | None) -> None:
        self.pid = pid
        self.start_ticks = start_ticks
        self.boot_id = boot_id

    def __repr__(self) -> str:
        return f"Process({self.pid!r}, {self.start_ticks!r}, {self.boot_id!r})"


def this_process() -> Process:
    pid = os.getpid()
    stat = _stat_of(pid)
    return Process(pid, stat[1] if stat else None, boot_id())


def boot_id() -> str | None:
    """The id of this boot of the system; another one means that every process of before is gone."""
    found = _read("/proc/sys/kernel/random/boot_id")
    return found.decode("ascii", "replace").strip() or None if found else None


def is_alive(process: Process) -> bool:
    """False only where it is certain: another boot, a pid that nobody has, or that somebody else has now."""
    if process.boot_id is not None:
        now = boot_id()
        if now is not None and now != process.boot_id:
            return False
    if not 0 < process.pid <= _MOST_PID:
        return False
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # somebody else's, and there
    stat = _stat_of(process.pid)
    if stat is None:
        return True
    state, ticks = stat
    if state in ("Z", "X"):
        return False  # it ended, and only waits to be asked how
    return process.start_ticks is None or ticks == process.start_ticks


def _stat_of(pid: int) -> tuple[str, int] | None:
    """State and start of a process, as /proc has them."""
    found = _read(f"/proc/{pid}/stat")
    if not found:
        return None
    fields = found[found.rfind(b")") + 1 :].split()  # the name before may hold anything
    if len(fields) < 20 or not fields[19].isdigit():
        return None
    return fields[0].decode("ascii", "replace"), int(fields[19])


def _read(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, _STAT)
    except OSError:
        return b""
    finally:
        os.close(descriptor)

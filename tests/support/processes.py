"""What runs on this host and what it holds: for tests that look for what was left."""

from __future__ import annotations

import os
import time


def command_line(pid: str) -> str:
    """Empty for one that is gone, and for one that only waits to be reaped."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def named(sign: str) -> dict[int, str]:
    """The processes that have `sign` in their command line, except those that we are."""
    own = (os.getpid(), os.getppid())
    lines = {int(pid): command_line(pid) for pid in os.listdir("/proc") if pid.isdecimal() and int(pid) not in own}
    return {pid: line for pid, line in lines.items() if sign in line}


def wait_until_none(sign: str, seconds: float = 30) -> list[str]:
    """Those that are left when everything had its time to die: empty as soon as there are none."""
    deadline = time.monotonic() + seconds
    while (left := named(sign)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return list(left.values())


def mounts() -> str:
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        return file.read()


def cgroups_of(pid: int) -> list[str]:
    """The cgroups that this process made for runs and that are still there."""
    return [
        f"{folder}/{name}"
        for folder, folders, _ in os.walk("/sys/fs/cgroup")
        for name in folders
        if name.startswith(f"affidavit-{pid}-")
    ]

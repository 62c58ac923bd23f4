"""A system with a manager of its own: systemd as process 1 of private namespaces, over a host that it cannot change.

It sees this host read-only, with private /etc, /var, /run, /tmp and cgroups below one that is made for it, so what it
does to its system is gone with it. The checkout and `kept` are shown where they are.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CGROUPS = "/sys/fs/cgroup"

#: Process 1 to be. Its arguments are the directories to show. Whatever fails ends it: a half-made machine could write
#: to this one. Units that would set up hardware, or clean what is not theirs, are switched off.
_SETUP = r"""
set -eu
mount --make-rprivate /
mount -o remount,bind,ro /
mount -o remount,bind,ro /sys  # not /proc/sys: where a part of /proc is hidden, nobody below may mount another
mount -t tmpfs -o mode=755 tmpfs /run
for at in /etc /var; do
  mkdir -p /run/private$at/upper /run/private$at/work
  mount -t overlay overlay -o lowerdir=$at,upperdir=/run/private$at/upper,workdir=/run/private$at/work $at
done
number=0
for at in "$@"; do
  number=$((number + 1)); mkdir -p /run/shown/$number
  mount --rbind "$at" /run/shown/$number
done
mount -t tmpfs tmpfs /var/log; mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs -o mode=1777 tmpfs /tmp
number=0
for at in "$@"; do
  number=$((number + 1)); mkdir -p "$at" 2>/dev/null || true
  mount --rbind /run/shown/$number "$at"
done
mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
if [ "$VERSION" = 2 ]; then
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
  for name in $CONTROLLERS; do
    mkdir /sys/fs/cgroup/$name && mount -t cgroup -o $name cgroup /sys/fs/cgroup/$name
  done
  mkdir /sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
  mkdir /sys/fs/cgroup/unified && mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified || rmdir /sys/fs/cgroup/unified
fi
mkdir -p /run/systemd/system
for unit in systemd-tmpfiles-setup.service systemd-tmpfiles-setup-dev.service systemd-tmpfiles-clean.timer \
  systemd-udevd.service systemd-udev-trigger.service systemd-sysctl.service systemd-modules-load.service \
  systemd-random-seed.service systemd-firstboot.service systemd-journal-flush.service \
  dev-hugepages.mount dev-mqueue.mount sys-fs-fuse-connections.mount sys-kernel-debug.mount \
  sys-kernel-tracing.mount sys-kernel-config.mount proc-sys-fs-binfmt_misc.automount; do
  ln -s /dev/null /run/systemd/system/$unit
done
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=affidavit /lib/systemd/systemd --system --unit=basic.target
"""


class Machine:
    """A running one."""

    def __init__(self, pid: int) -> None:
        #: Of its process 1, as this host counts.
        self.pid = pid

    def enter(
        self, *argv: str, timeout: float = 300, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs a program in it, as root, outside every unit."""
        into = ["nsenter", "-t", str(self.pid), "-m", "-p", "-u", "-i", "-C", "--wd=/", "--"]
        return subprocess.run(
            [*into, *argv],
            capture_output=True,
            check=False,
            timeout=timeout,
            env={"PATH": os.environ["PATH"], **(env or {})},
        )


@contextlib.contextmanager
def machine(*kept: str, timeout: float = 120) -> Iterator[Machine]:
    """One for the length of the context. It is ended by killing its process 1, and leaves nothing."""
    hierarchies = _hierarchies()
    places = [_own_cgroup(top, f"affidavit-machine-{os.getpid()}") for top in hierarchies]
    version = "2" if _CGROUPS in hierarchies else "1"
    controllers = " ".join(name for name in map(os.path.basename, hierarchies) if name not in ("systemd", "unified"))
    enter = "".join(f'echo $$ > "{place}/cgroup.procs"; ' for place in places)
    # into the cgroups first: what is made then takes them for the root
    # it dies with whoever runs the tests, also when that one is killed
    unshare = "setpriv --pdeathsig KILL unshare --fork --pid --mount --uts --ipc --cgroup --mount-proc --kill-child"
    script = f'{enter}exec {unshare} sh -c "$0" sh "$@"'
    process = subprocess.Popen(
        ["sh", "-ec", script, _SETUP, ROOT, *kept],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "CONTROLLERS": controllers, "VERSION": version},
        start_new_session=True,
    )
    try:
        yield _wait(process, timeout)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()
        for place in places:
            _remove(place)


def _wait(process: subprocess.Popen[bytes], timeout: float) -> Machine:
    """Until its manager says that it is up."""
    deadline = time.monotonic() + timeout
    said = b""
    while time.monotonic() < deadline and process.poll() is None:
        first = _child(process.pid)
        if first is not None and _name(first) == "systemd":
            there = Machine(first)
            ran = there.enter("systemctl", "is-system-running")
            said = ran.stdout + ran.stderr
            if ran.stdout.strip() in (b"running", b"degraded"):
                return there
        time.sleep(0.1)
    if process.poll() is not None:
        assert process.stdout is not None
        said = process.stdout.read()
    raise AssertionError(f"systemd did not come up: {said.decode(errors='replace')}")


def _child(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
    except OSError:
        return None
    return int(children[0]) if children else None


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def _hierarchies() -> list[str]:
    """Where cgroup file systems are mounted: one at the top with version 2, else one for each controller."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        mounts = [line.split(" ") for line in file]
    return sorted({mount[1] for mount in mounts if mount[2] in ("cgroup", "cgroup2") and mount[1].startswith(_CGROUPS)})


def _own_cgroup(top: str, name: str) -> str:
    place = f"{top}/{name}"
    os.mkdir(place)
    if os.path.basename(top) == "cpuset":
        for member in ("cpuset.cpus", "cpuset.mems"):  # nobody can enter before these are set
            with open(f"{top}/{member}", encoding="ascii") as above, open(f"{place}/{member}", "w") as own:
                own.write(above.read())
    return place


def _below(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]


def _remove(place: str) -> None:
    for below in _below(place):
        _remove(below)
    deadline = time.monotonic() + 30
    while True:
        try:
            os.rmdir(place)
        except OSError:
            assert time.monotonic() < deadline, f"{place} is still in use"
            time.sleep(0.02)
        else:
            return


def state_of_host() -> dict[str, Sequence[str]]:
    """What a machine must leave as it was: sysctl values, mounts, /etc and cgroups."""
    sysctls = []
    for folder, _, names in os.walk("/proc/sys"):
        for name in names:
            path = os.path.join(folder, name)
            if not path.startswith(_MOVING):
                with contextlib.suppress(OSError), open(path, "rb") as file:
                    sysctls.append(f"{path} {file.read(4096)!r}")
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        mounts = sorted(line.split(" ", 3)[3] for line in file)
    etc = [
        f"{path} {os.lstat(path).st_mtime_ns} {os.lstat(path).st_size}"
        for folder, folders, names in os.walk("/etc")
        for path in sorted(os.path.join(folder, name) for name in (*folders, *names))
    ]
    # another test may have a machine just now; that its cgroups are gone each makes sure of for itself
    folders = [folder for folder, _, _ in os.walk(_CGROUPS) if "/affidavit-machine-" not in folder]
    cgroups = [folder for folder in folders if folder.endswith((".slice", ".mount", ".scope", ".service"))]
    return {"sysctl": sorted(sysctls), "mounts": mounts, "etc": sorted(etc), "cgroups": sorted(cgroups)}


#: Counters and random numbers, not settings.
_MOVING = (
    "/proc/sys/fs/aio-nr",
    "/proc/sys/fs/dentry-state",
    "/proc/sys/fs/file-nr",
    "/proc/sys/fs/inode-",
    "/proc/sys/fs/quota",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/kernel/pty/nr",
    "/proc/sys/kernel/random",
    "/proc/sys/net/netfilter/nf_conntrack_count",
)

"""Where this process can make cgroups, found by making one and moving a process into it.

Version 1 has a tree for each controller; version 2 has one tree in which a directory offers the controllers that its
parent passes on, and in which a directory with processes of its own cannot pass any on. So with version 2 the place is
the own cgroup's parent, or the own cgroup where the tree's root is reached.
"""

from __future__ import annotations

import errno
import os
import time

from .abilities import CgroupPlace
from .attempt import attempt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .abilities import Controller

_MOST_BYTES = 1 << 20
_WAITING = "/bin/cat"
#: A run enters its cgroup within its set-up time.
_YOUNG_SECONDS = 60
_made = 0


def find_place(controller: Controller) -> tuple[CgroupPlace | None, str]:
    """A place that was tried, or None and why there is none."""
    try:
        candidates = _candidates(controller)
    except OSError as error:
        return None, f"{error.filename}: {error.strerror}"
    why = f"no cgroup file system with the controller {controller} is mounted"
    for place in candidates:
        refused = _try(place)
        if not refused:
            sweep(place.directory)
            return place, ""
        why = refused
    return None, why


def sweep(folder: str) -> None:
    """Removes the cgroups of runs whose process is gone: killed, it could not. One that is in use cannot be removed;
    one that is being made, perhaps by a process that we do not see, is young."""
    for name in os.listdir(folder):
        parts = name.split("-")
        if parts[0] != "affidavit" or len(parts) < 3 or not parts[1].isdecimal() or os.path.exists(f"/proc/{parts[1]}"):
            continue
        path = f"{folder}/{name}"
        try:
            if time.time() - os.stat(path).st_ctime > _YOUNG_SECONDS:
                os.rmdir(path)
        except OSError:  # in use, or somebody else's, or swept by another
            continue


def _candidates(controller: Controller) -> list[CgroupPlace]:
    mounts = _mounts()
    found: list[CgroupPlace] = []
    for line in read_file("/proc/self/cgroup").splitlines():
        _, controllers, own = line.split(":", 2)
        if controller in controllers.split(","):
            found += [CgroupPlace(1, controller, path) for path in _places(mounts, controller, own)]
        elif not controllers:
            for path in _places(mounts, "", own):
                parent = os.path.dirname(path)
                found += [
                    CgroupPlace(2, controller, place)
                    for place in (parent, path)
                    if controller in _offered(place + "/cgroup.subtree_control")
                ]
    return found


def _places(mounts: list[tuple[str, str, str]], controller: str, own: str) -> list[str]:
    """The directory of the own cgroup below each mount of the tree; a mount may show a part of the tree only."""
    found = []
    for controllers, root, point in mounts:
        if controller in controllers.split(","):
            below = own if root == "/" else own.removeprefix(root) if (own + "/").startswith(root + "/") else None
            if below is not None and os.path.isdir(point + below):
                found.append((point + below).rstrip("/"))
    return found


def _mounts() -> list[tuple[str, str, str]]:
    """(controllers, root, mount point) of each cgroup mount; version 2 has no controllers in its options."""
    found = []
    for line in read_file("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        fields, (kind, _, options) = before.split(" "), after.split(" ", 2)
        if kind == "cgroup":
            found.append((options, fields[3], _unescaped(fields[4])))
        elif kind == "cgroup2":
            found.append(("", fields[3], _unescaped(fields[4])))
    return found


def _unescaped(path: str) -> str:
    """mountinfo writes space, TAB, LF and backslash as three octal digits."""
    for code in ("040", "011", "012", "134"):
        path = path.replace("\\" + code, chr(int(code, 8)))
    return path


def _offered(path: str) -> list[str]:
    try:
        return read_file(path).split()
    except OSError:
        return []


def _try(place: CgroupPlace) -> str:
    """Makes a cgroup with a limit and moves a process into it. Empty when that worked, else what did not."""
    global _made
    _made += 1
    path = f"{place.directory}/affidavit-{os.getpid()}-{_made}-trial"
    of_memory = "memory.max" if place.version == 2 else "memory.limit_in_bytes"
    limits = {"memory": {of_memory: str(64 << 20)}, "pids": {"pids.max": "64"}, "cpuacct": {}}[place.controller]
    try:
        os.mkdir(path, 0o700)
    except OSError as error:
        return f"{place.directory}: {error.strerror}"
    moved = False
    refused = ""
    reading, writing = os.pipe()
    open_now = [reading, writing]

    def started(pid: int) -> None:
        nonlocal moved, refused
        try:
            for limit, value in limits.items():
                write_file(f"{path}/{limit}", value)
            write_file(f"{path}/cgroup.procs", str(pid))
            moved = str(pid) in read_file(f"{path}/cgroup.procs").split()
        except OSError as error:
            refused = f"{error.filename}: {error.strerror}"
        os.close(open_now.pop())

    try:
        # it waits for the end of its input, so it is there to be moved, and ends when it was
        tried = attempt([_WAITING], descriptors={0: reading}, started=started)
    finally:
        for descriptor in open_now:
            os.close(descriptor)
        remove(path)
    return "" if moved else refused or tried.why()


def remove(path: str) -> None:
    """The process that was in it is gone, but the kernel may take a moment to say so."""
    for _ in range(100):
        try:
            os.rmdir(path)
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
            time.sleep(0.001)
        else:
            return


def write_file(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(descriptor)


def read_file(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = []
        size = 0
        while size < _MOST_BYTES and (piece := os.read(descriptor, 65536)):
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces).decode(errors="surrogateescape")
    finally:
        os.close(descriptor)

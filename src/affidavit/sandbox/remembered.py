"""What the trials of this host found, kept for the next process: as long as it is the same boot, the same programs, the
same settings and the same confinement of the asker, trying again finds the same.

Only that everything worked is remembered; what did not is tried again. Nothing is enforced by memory: a sandbox whose
namespaces, mounts or filter cannot be made does not start. A file that somebody else could have written is none.
"""

from __future__ import annotations

import os
import stat

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL
from ..canon.reader import read
from ..errors import ParseError

_MOST_BYTES = 16_384
#: What decides what may be isolated, beyond the kernel and the programs.
_SETTINGS = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/self/attr/current",
    "/proc/self/uid_map",
)
_OF_US = ("NoNewPrivs:", "Seccomp:", "CapEff:", "CapBnd:", "Uid:", "Gid:")


def identity(programs: list[str | None], *more: str) -> str:
    """All that the findings depend on, as one digest; `more` are files of /proc that they depend on besides."""
    told = [os.uname().release, program_identity(*programs, "/bin/sh")]
    told += [_text(path) for path in (*_SETTINGS, *more)]
    told += [line for line in _text("/proc/self/status").splitlines() if line.startswith(_OF_US)]
    told += [os.readlink(f"/proc/self/ns/{kind}") for kind in ("user", "mnt", "pid", "net")]
    return KERNEL.digest(told).hex


def program_identity(*paths: str | None) -> str:
    """What is another one when a program was replaced."""
    told: list[str] = []
    for path in paths:
        try:
            found = os.stat(path or "")
        except OSError:
            told.append("")
        else:
            told.append(f"{path} {found.st_dev} {found.st_ino} {found.st_mtime_ns} {found.st_size}")
    return "\n".join(told)


def recall(folder: str, name: str, key: str) -> dict[str, str] | None:
    """What was remembered under this name, if it was under the same circumstances; nothing without a folder."""
    if not folder:
        return None
    try:
        descriptor = os.open(
            os.path.join(folder, f"{name}.json"),
            os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY,
        )
    except OSError:
        return None
    try:
        found = os.fstat(descriptor)
        is_ours = found.st_uid == os.geteuid() and not found.st_mode & 0o022
        if not stat.S_ISREG(found.st_mode) or not is_ours or found.st_size > _MOST_BYTES:
            return None
        kept = read(os.read(descriptor, _MOST_BYTES))
    except (OSError, ParseError):
        return None
    finally:
        os.close(descriptor)
    match kept:
        case {"key": str() as kept_key, "found": dict() as told} if kept_key == key:
            return {name: text for name, text in told.items() if type(text) is str}
    return None


def remember(folder: str, name: str, key: str, found: dict[str, str]) -> None:
    """Best effort: what cannot be kept is tried again."""
    if not folder:
        return
    aside = os.path.join(folder, f".{name}.json.{os.getpid()}")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, canonical({"found": found, "key": key}))
        finally:
            os.close(descriptor)
        os.rename(aside, os.path.join(folder, f"{name}.json"))
    except OSError:
        pass


def forget(folder: str) -> None:
    """What was remembered turned out not to be so."""
    for name in os.listdir(folder) if folder and os.path.isdir(folder) else ():
        if name.endswith(".json"):
            os.unlink(os.path.join(folder, name))


def _text(path: str) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.read(descriptor, _MOST_BYTES).decode(errors="replace")
    except OSError:
        return ""
    finally:
        os.close(descriptor)

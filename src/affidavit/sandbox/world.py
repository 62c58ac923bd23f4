"""What runs of one host have in common: the world they ran in (contracts 4.2). Never the host's name."""

from __future__ import annotations

import os

from ..contracts.run_status import derive_world_id
from .remembered import program_identity, recall, remember

_ARCHITECTURES = {
    "x86_64": "x64",
    "amd64": "x64",
    "aarch64": "arm64",
    "arm64": "arm64",
    "i386": "ia32",
    "i486": "ia32",
    "i586": "ia32",
    "i686": "ia32",
}
_RELEASE_FILES = ("/etc/os-release", "/usr/lib/os-release")
_MOST_BYTES = 16_384
_UNKNOWN = "unknown"


def architecture(machine: str) -> str | None:
    """The seed's name of a machine (seed 001, RN3); None of one that it has no name for."""
    return _ARCHITECTURES.get(machine.lower())


def world_id(bwrap: str | None, cache: str = "") -> str:
    """Of this host; `bwrap` is the bubblewrap that runs would use, if there is one. `cache` is a folder of the user's
    in which its version is kept as long as it is the same file."""
    system = os.uname()
    facts = {
        "kernel_release": system.release,
        "libc": _libc(),
        "distro": _distribution(),
        "bwrap_version": _version(bwrap, cache),
    }
    return derive_world_id(system.sysname.lower(), architecture(system.machine) or system.machine, facts)


def _libc() -> str:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or _UNKNOWN
    except (OSError, ValueError):  # another C library has no such name
        return _UNKNOWN


def _version(bwrap: str | None, cache: str) -> str:
    if bwrap is None:
        return "none"
    key = program_identity(bwrap)
    known = recall(cache, "bwrap", key)
    if known is not None and "version" in known:
        return known["version"]
    from .attempt import attempt

    words = attempt([bwrap, "--version"]).out.split()
    if not words:
        return _UNKNOWN
    remember(cache, "bwrap", key, {"version": words[-1]})
    return words[-1]


def _distribution() -> str:
    """`ID VERSION_ID` of os-release(5)."""
    for path in _RELEASE_FILES:
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            text = os.read(descriptor, _MOST_BYTES).decode(errors="replace")
        finally:
            os.close(descriptor)
        members = dict(line.split("=", 1) for line in text.splitlines() if "=" in line and not line.startswith("#"))
        return " ".join(members.get(name, "").strip("\"'") or _UNKNOWN for name in ("ID", "VERSION_ID"))
    return _UNKNOWN

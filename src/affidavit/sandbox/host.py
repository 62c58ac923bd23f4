"""What this host can really isolate, found by trying each thing, never by reading a flag.

A flag says what somebody configured; a trial says what a sandbox will get. Each trial makes the thing for a moment,
looks at it from inside and lets it go: namespaces and the filter through one bubblewrap that shows what its child is,
noexec by starting a program that must not start, a cgroup by moving a process into it. Every trial has a time limit,
and all are made once per process, or less often (remembered.py). What fails is told in the words of the program that
failed, the remedy beside it.
"""

from __future__ import annotations

import os

from . import remedies
from .abilities import ABILITIES, Ability, CgroupPlace, HostFacts
from .attempt import attempt
from .cgroups import find_place
from .programs import PROGRAM_FOLDERS, find_program
from .remembered import identity, recall, remember
from .syscalls import ARCHITECTURES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .abilities import AbilityName, Controller

    Places = dict[Controller, tuple[CgroupPlace | None, str]]

#: One instruction that allows every call: what the trial asks is whether the kernel takes a filter at all.
_ALLOW_ALL = b"\x06\x00\x00\x00\x00\x00\xff\x7f"

#: What a program needs at its usual place.
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

_USER = ("--unshare-user",)
_PID = ("--unshare-pid",)
_NET = ("--unshare-net",)
_OTHER = ("--unshare-ipc", "--unshare-uts", "--unshare-cgroup")
_MOUNTS = ("--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev")  # noqa: S108 -- inside
_NO_CAPABILITIES = ("--cap-drop", "ALL")
_NO_NESTED = ("--disable-userns",)

_cached: dict[int, HostFacts] = {}
_REMEMBERED, _PLACES = "host", "cgroups"
_CONTROLLERS: tuple[Controller, ...] = ("memory", "pids", "cpuacct")


def probe_host(cache: str = "") -> HostFacts:
    """The trials' findings, made at the first call and kept for the life of the process, as long as it is the same
    user's. `cache` is a folder of the user's in which they are kept for the next process, too."""
    user = os.geteuid()
    if user not in _cached:
        _cached[user] = _probe(cache)
    return _cached[user]


def system_view() -> list[str]:
    """bubblewrap's words for the host's programs and libraries, read-only, at their usual places; links stay links."""
    words: list[str] = []
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            words += ["--ro-bind", path, path]
    return words


def _probe(cache: str = "") -> HostFacts:
    bwrap, unshare, mount = find_program("bwrap"), find_program("unshare"), find_program("mount")
    version, abilities = _remembered(cache, bwrap, unshare, mount)
    places = _known_places(cache) or _found_places(cache)
    (memory, no_memory), (pids, no_pids), (cpu, _) = places["memory"], places["pids"], places["cpuacct"]
    abilities.append(_limited("memory", memory, no_memory))
    abilities.append(_limited("pids", pids, no_pids))
    return HostFacts(
        abilities=abilities,
        as_root=os.geteuid() == 0,
        bwrap=bwrap,
        bwrap_version=version,
        unshare=unshare,
        mount=mount,
        memory_cgroup=memory,
        pids_cgroup=pids,
        cpu_cgroup=cpu,
    )


def _remembered(
    cache: str, bwrap: str | None, unshare: str | None, mount: str | None
) -> tuple[tuple[int, ...], list[Ability]]:
    """What depends on the boot, the programs and our own confinement alone."""
    key = identity([bwrap, unshare, mount]) if cache else ""
    told = recall(cache, _REMEMBERED, key)
    if told is not None and set(told) == {"version", *ABILITIES[:10]}:
        return _numbers(told["version"]), [Ability(name, True, told[name]) for name in ABILITIES[:10]]
    version, abilities = _tried(bwrap, unshare, mount)
    if all(ability.works for ability in abilities):
        found: dict[str, str] = {ability.name: ability.found for ability in abilities}
        remember(cache, _REMEMBERED, key, {**found, "version": ".".join(str(part) for part in version)})
    return version, abilities


def _known_places(cache: str) -> Places | None:
    """Those that were found for a process in the same cgroups, as long as they are there and ours to write in."""
    told = recall(cache, _PLACES, _key_of_places(cache))
    if told is None or set(told) != {"memory", "pids", "cpuacct"}:
        return None
    places: Places = {}
    for controller in _CONTROLLERS:
        version, _, directory = told[controller].partition(" ")
        if version not in ("1", "2") or not os.path.isdir(directory) or not os.access(directory, os.W_OK | os.X_OK):
            return None
        places[controller] = CgroupPlace(2 if version == "2" else 1, controller, directory), ""
    return places


def _found_places(cache: str) -> Places:
    places: Places = {"memory": find_place("memory"), "pids": find_place("pids")}
    memory, why = places["memory"]
    # where memory is counted in the one tree, so is time
    places["cpuacct"] = (memory, why) if memory is not None and memory.version == 2 else find_place("cpuacct")
    found: dict[str, str] = {}
    for controller, (place, _) in places.items():
        if place is not None:
            found[controller] = f"{place.version} {place.directory}"
    if len(found) == len(_CONTROLLERS):
        remember(cache, _PLACES, _key_of_places(cache), found)
    return places


def _key_of_places(cache: str) -> str:
    return identity([], "/proc/self/cgroup", "/proc/self/mountinfo") if cache else ""


def _tried(bwrap: str | None, unshare: str | None, mount: str | None) -> tuple[tuple[int, ...], list[Ability]]:
    version = _version(bwrap)
    if bwrap is None:
        found = "found in none of " + ", ".join(PROGRAM_FOLDERS)
        abilities = [Ability("bwrap", False, found, remedies.INSTALL_BWRAP)]
    else:
        told = ".".join(str(part) for part in version)
        abilities = [Ability("bwrap", True, f"{bwrap}, version {told or 'unknown'}")]
    abilities += _isolation(bwrap)
    usable = all(ability.works for ability in abilities if not ability.degradable)
    abilities.append(_noexec(bwrap if usable else None, unshare, mount))
    return version, abilities


def _version(bwrap: str | None) -> tuple[int, ...]:
    """Of `bubblewrap 0.8.0`, the numbers."""
    words = attempt([bwrap, "--version"]).out.split() if bwrap else []
    return _numbers(words[-1]) if words else ()


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.split(".") if version else []
    return tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else ()


class _Look:
    """One bubblewrap, and what its child sees of itself: which namespaces it is in, what it may do."""

    __slots__ = ("namespaces", "status", "why", "worked")

    def __init__(self, bwrap: str, words: Sequence[str], *, seccomp: bool = False) -> None:
        proc = () if "/proc" in words else ("--ro-bind", "/proc", "/proc")
        more = ("--seccomp", "3") if seccomp else ()
        script = "cat /proc/self/status && readlink " + " ".join(f"/proc/self/ns/{kind}" for kind in _NAMESPACES)
        argv = [bwrap, *words, *system_view(), *proc, *more, "--die-with-parent", "--", "/bin/sh", "-c", script]
        reading, writing = os.pipe()
        try:
            os.write(writing, _ALLOW_ALL)
            os.close(writing)
            tried = attempt(argv, descriptors={3: reading} if seccomp else None)
        finally:
            os.close(reading)
        self.worked = tried.worked
        self.why = tried.why()
        lines = tried.out.splitlines()
        self.status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        self.namespaces = {line.partition(":")[0]: line for line in lines if ":[" in line}

    def is_apart(self, kinds: Sequence[str]) -> bool:
        """The child is in other namespaces of these kinds than we are."""
        return all(
            kind in self.namespaces and self.namespaces[kind] != os.readlink(f"/proc/self/ns/{kind}") for kind in kinds
        )


#: What the child must show for each ability, beyond having started.
_NAMESPACES = ("user", "pid", "net", "ipc", "uts", "cgroup", "mnt")


def _isolation(bwrap: str | None) -> list[Ability]:
    """The abilities between bwrap and noexec: all in one trial where all work, else each in one of its own."""
    names = ABILITIES[1:9]
    if bwrap is None:
        return [Ability(name, False, "not tried: bubblewrap is missing", remedies.INSTALL_BWRAP) for name in names]
    together = _Look(bwrap, (*_USER, *_PID, *_NET, *_OTHER, *_MOUNTS, *_NO_CAPABILITIES, *_NO_NESTED), seccomp=True)
    if together.worked:
        return [_seen(name, together) for name in names]
    user = _Look(bwrap, _USER)
    if not user.worked:
        remedy = remedies.user_namespaces()
        return [
            Ability("user_namespace", False, user.why, remedy),
            *(Ability(name, False, "not tried: needs a user namespace", remedy) for name in names[1:]),
        ]
    looks = (
        user,
        _Look(bwrap, (*_USER, *_PID)),
        _Look(bwrap, (*_USER, *_NET)),
        _Look(bwrap, (*_USER, *_OTHER)),
        _Look(bwrap, (*_USER, *_PID, *_MOUNTS)),
        _Look(bwrap, (*_USER, *_NO_CAPABILITIES)),
        _Look(bwrap, (*_USER, *_NO_NESTED)),
        _Look(bwrap, _USER, seccomp=True),
    )
    return [_seen(name, look) for name, look in zip(names, looks, strict=True)]


def _seen(name: AbilityName, look: _Look) -> Ability:
    """What the child showed, not only that it started: bubblewrap may go on without what it was asked for."""
    remedy = remedies.user_namespaces() if name == "user_namespace" else remedies.namespaces()
    if name == "user_namespace":
        works, found = look.is_apart(("user",)), "own user namespace"
    elif name == "pid_namespace":
        works, found = look.is_apart(("pid",)), "own process namespace"
    elif name == "network_namespace":
        works, found = look.is_apart(("net",)), "own network namespace"
    elif name == "other_namespaces":
        works, found = look.is_apart(("ipc", "uts", "cgroup")), "own ipc, uts and cgroup namespaces"
    elif name == "mounts":
        works, found = look.is_apart(("mnt",)), "own mount namespace with tmpfs, proc and dev"
        remedy = remedies.mounts()
    elif name == "no_capabilities":
        sets = [look.status.get(member, "") for member in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")]
        works, found = all(text and not text.strip("0") for text in sets), "no capability in any set"
    elif name == "no_nested_namespaces":  # bubblewrap tries to make another before it starts the child
        works, found = look.worked, "no further user namespace"
        remedy = remedies.NEWER_BWRAP
    else:
        works, found = look.status.get("Seccomp") == "2", "filter installed"
        remedy = remedies.NO_SECCOMP
        machine = os.uname().machine
        if machine not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            return Ability(name, False, f"no table of system calls for {machine}", f"use a machine of {known}")
    if look.worked and works:
        return Ability(name, True, found)
    return Ability(name, False, look.why if not look.worked else f"bubblewrap started, but not with: {found}", remedy)


#: A file system that forbids execution, a program on it, and a sandbox that shows it: 126 is what a shell says of a
#: program that is there and may not be executed.
_NOEXEC = """\
"$1" -t tmpfs -o noexec,nosuid,nodev,size=1m,nr_inodes=16,mode=700 tmpfs /tmp || exit 1
cp /bin/true /tmp/program || exit 1
shift
exec "$@" --bind /tmp /tmp -- /bin/sh -c 'test -f /tmp/program && { /tmp/program; echo "status $?"; }'
"""


def _noexec(bwrap: str | None, unshare: str | None, mount: str | None) -> Ability:
    if bwrap is None:
        return Ability("noexec", False, "not tried: no sandbox can be made", remedies.FIRST_THE_OTHERS)
    if unshare is None or mount is None:
        return Ability("noexec", False, "unshare or mount is missing", remedies.INSTALL_UTIL_LINUX)
    inner = [bwrap, *_USER, *_PID, *_NO_CAPABILITIES, *_NO_NESTED, *system_view(), "--die-with-parent"]
    tried = attempt([unshare, "-Urm", "--propagation", "private", "/bin/sh", "-c", _NOEXEC, "sh", mount, *inner])
    if tried.out.strip() == "status 126":
        return Ability("noexec", True, "a mount made before bubblewrap keeps its noexec inside")
    found = tried.why() if "status" not in tried.out else "a program on the noexec mount was started inside"
    return Ability("noexec", False, found, remedies.namespaces())


def _limited(name: AbilityName, place: CgroupPlace | None, why: str) -> Ability:
    if place is not None:
        return Ability(name, True, f"cgroup v{place.version} below {place.directory}")
    remedy = remedies.cgroups()
    if name == "pids" and os.geteuid() == 0:
        # RLIMIT_NPROC does not bind the kernel's root user (kernel/fork.c: copy_process), in no user namespace
        return Ability(name, False, f"{why}; the kernel does not count the processes of root", remedy)
    return Ability(name, True, f"by rlimit, each process for itself ({why})", remedy, weaker=True)

"""From a request and what the host can do to a sandbox's full description, and from that to bubblewrap's words.

Pure: the same request on the same host gives the same words, so they are tested without running anything. Descriptors
have fixed numbers inside; only the supervisor's pid is filled in when it runs.
"""

from __future__ import annotations

from .abilities import DEGRADABLE
from .gaps import Gap, Gaps
from .outer import PAGE, Outer, Room
from .request import FIXED_ENVIRONMENT, WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .abilities import AbilityName, CgroupPlace, HostFacts
    from .request import SandboxRequest
    from .setting import Setting

#: Descriptors of the launched program beyond the standard three.
ARGS, STATUS, BLOCK, TABLE, LIFELINE, READY, ERRORS, SECCOMP, FIRST_FILE = range(3, 12)

#: With a network, what it takes to find and trust the other side. Read-only, where the host has them.
_NETWORK_FILES = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/ssl",
    "/etc/ca-certificates",
    "/etc/pki",
)

#: Needed by every sandbox, whatever the policy says.
_ALWAYS: tuple[AbilityName, ...] = (
    "bwrap",
    "user_namespace",
    "pid_namespace",
    "other_namespaces",
    "mounts",
    "no_capabilities",
    "no_nested_namespaces",
    "seccomp",
    "memory",
    "pids",
)

#: Private /tmp and /dev/shm, each: beyond it, writing fails. Memory they take counts for the memory limit.
TMP_BYTES = 256 * 1024**2
TMP_INODES = 65536

#: Without a sandbox a run begins on any folder, and nobody counts first.
MOST_UNWATCHED = 200_000


class Limits:
    """What the run is held to, whatever holds it."""

    __slots__ = (
        "max_cpu_seconds",
        "max_memory_bytes",
        "max_output_bytes",
        "max_output_files",
        "max_pids",
        "timeout_ms",
    )

    def __init__(
        self,
        *,
        timeout_ms: int,
        max_memory_bytes: int,
        max_cpu_seconds: int,
        max_pids: int,
        max_output_files: int,
        max_output_bytes: int,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.max_memory_bytes = max_memory_bytes
        self.max_cpu_seconds = max_cpu_seconds
        self.max_pids = max_pids
        self.max_output_files = max_output_files
        #: For the files it writes, and once more for standard output and standard error together.
        self.max_output_bytes = max_output_bytes


class SandboxSpec:
    """All there is to know before anything runs."""

    __slots__ = (
        "allowlist",
        "argv",
        "bwrap",
        "companions",
        "cpu_cgroup",
        "enforced",
        "environment",
        "isolation_level",
        "limits",
        "listed",
        "memory_cgroup",
        "most_entries",
        "mounts",
        "network",
        "outer",
        "outer_words",
        "pids_cgroup",
        "rooms",
        "sandboxed",
        "seccomp",
        "setting",
        "shell",
        "stdin",
        "warnings",
        "workspace",
        "write_roots",
    )

    def __init__(
        self,
        *,
        allowlist: tuple[str, ...],
        argv: tuple[str, ...],
        bwrap: str,
        companions: tuple[str, ...],
        cpu_cgroup: CgroupPlace | None,
        enforced: Mapping[str, str],
        environment: Mapping[str, str],
        isolation_level: str,
        limits: Limits,
        listed: bool,
        memory_cgroup: CgroupPlace | None,
        most_entries: int,
        mounts: tuple[str, ...],
        network: bool,
        outer: Outer | None,
        outer_words: tuple[str, ...],
        pids_cgroup: CgroupPlace | None,
        rooms: tuple[int, ...],
        sandboxed: bool,
        seccomp: bool,
        setting: Setting,
        shell: str,
        stdin: bytes,
        warnings: tuple[str, ...],
        workspace: str,
        write_roots: tuple[str, ...],
    ) -> None:
        #: The policy's commands; empty for all.
        self.allowlist = allowlist
        self.argv = argv
        #: bubblewrap's absolute path; empty when there is no sandbox.
        self.bwrap = bwrap
        #: What came along with the listed commands.
        self.companions = companions
        self.cpu_cgroup = cpu_cgroup
        self.enforced = enforced
        self.environment = environment
        self.isolation_level = isolation_level
        self.limits = limits
        #: Only the policy's commands exist inside, and what is written there cannot be executed.
        self.listed = listed
        self.memory_cgroup = memory_cgroup
        #: Files, folders and links below one write root that anybody will look at: beyond it the cap is exceeded.
        self.most_entries = most_entries
        #: bubblewrap's words for everything that is to be seen inside.
        self.mounts = mounts
        self.network = network
        #: What is mounted before bubblewrap starts, and the words that start bubblewrap there.
        self.outer = outer
        self.outer_words = outer_words
        self.pids_cgroup = pids_cgroup
        #: The sizes of the file systems that stand for the write roots, in their order; empty when the write roots are
        #: the workspace's own directories.
        self.rooms = rooms
        self.sandboxed = sandboxed
        self.seccomp = seccomp
        self.setting = setting
        #: "/bin/sh" when it is there inside, else "none".
        self.shell = shell
        self.stdin = stdin
        self.warnings = warnings
        self.workspace = workspace
        #: Sorted, none inside another; ("." ,) when all of the workspace may be written.
        self.write_roots = write_roots


class Ground:
    """What there is already below the write roots, and what may be covered by mounts of our own."""

    __slots__ = ("base", "bytes", "entries", "fits")

    def __init__(self, bytes_: int, entries: int, base: str | None, *, fits: bool) -> None:
        self.bytes = bytes_
        self.entries = entries
        #: A folder of the host that nothing is bound from; None when there is none.
        self.base = base
        #: It is little enough to be copied into memory.
        self.fits = fits


class System:
    """The programs and libraries that exist inside."""

    __slots__ = ("companions", "listed", "shell", "warnings", "words")

    def __init__(
        self,
        words: tuple[str, ...],
        *,
        companions: tuple[str, ...] = (),
        listed: bool = False,
        shell: str = "/bin/sh",
        warnings: tuple[str, ...] = (),
    ) -> None:
        #: bubblewrap's words that show them.
        self.words = words
        self.companions = companions
        #: Nothing but the policy's commands and the companions is there.
        self.listed = listed
        self.shell = shell
        self.warnings = warnings


def plan(request: SandboxRequest, host: HostFacts, system: System, ground: Ground) -> SandboxSpec | Gaps:
    """The sandbox the request describes on this host, or what the host cannot enforce of it."""
    if request.no_sandbox:
        return _no_sandbox(request)
    missing = [host.abilities[name] for name in _wanted(request, system) if not host.works(name)]
    unacceptable = [gap for gap in missing if gap.name not in DEGRADABLE or gap.name not in request.degraded]
    if unacceptable or host.bwrap is None:
        return Gaps([Gap(gap.name, gap.found, gap.remedy) for gap in unacceptable])
    lacking = {gap.name for gap in missing}
    roots = topmost(request.policy["allowed_write_roots"])
    enforced = {
        "commands": "listed" if system.listed else "any",
        "time": "process namespace killed",
        "cpu": f"cgroup v{host.cpu_cgroup.version}" if host.cpu_cgroup else "rlimit",
        "file_size": "rlimit",
    }
    outer, outer_words, rooms = _outer(request, host, system, ground, roots)
    enforced["outputs"] = "tmpfs" if rooms else "polled"
    if system.listed:
        enforced["noexec"] = "mounts" if outer else "nothing"
    for name, place in (("memory", host.memory_cgroup), ("pids", host.pids_cgroup)):
        enforced[name] = f"cgroup v{place.version}" if place else "nothing" if name in lacking else "rlimit"
    enforced["seccomp"] = "nothing" if "seccomp" in lacking else "filter"
    weaker = lacking or any(host.abilities[name].weaker for name in ("memory", "pids"))
    return SandboxSpec(
        allowlist=tuple(request.policy["allowed_commands"]),
        argv=request.argv,
        bwrap=host.bwrap,
        companions=system.companions,
        cpu_cgroup=host.cpu_cgroup,
        enforced=enforced,
        environment={**request.environment, **FIXED_ENVIRONMENT, **request.setting.environment()},
        isolation_level="standard" if weaker else "strict",
        limits=_limits(request),
        listed=system.listed,
        memory_cgroup=host.memory_cgroup,
        most_entries=ground.entries + 4 * request.policy["max_output_files"] + 1000,
        mounts=tuple(_mounts(request, roots, system, outer if rooms else None, outer)),
        network=request.policy["allow_network"],
        outer=outer,
        outer_words=outer_words,
        pids_cgroup=host.pids_cgroup,
        rooms=rooms,
        sandboxed=True,
        seccomp="seccomp" not in lacking,
        setting=request.setting,
        shell=system.shell,
        stdin=request.stdin,
        warnings=tuple(sorted([*system.warnings, *(f"sandbox.degraded.{name}" for name in lacking)])),
        workspace=request.workspace,
        write_roots=roots,
    )


def _no_sandbox(request: SandboxRequest) -> SandboxSpec:
    return SandboxSpec(  # noqa: S604 -- no shell is called: it is said which one there is
        allowlist=(),
        argv=request.argv,
        bwrap="",
        companions=(),
        cpu_cgroup=None,
        enforced={"time": "process group killed", "outputs": "polled"},
        environment={**request.environment, **FIXED_ENVIRONMENT, **request.setting.environment()},
        isolation_level="none",
        limits=_limits(request),
        listed=False,
        memory_cgroup=None,
        most_entries=MOST_UNWATCHED,
        mounts=(),
        network=True,
        outer=None,
        outer_words=(),
        pids_cgroup=None,
        rooms=(),
        sandboxed=False,
        seccomp=False,
        setting=request.setting,
        shell="/bin/sh",
        stdin=request.stdin,
        warnings=("sandbox.none",),
        workspace=request.workspace,
        write_roots=(".",),
    )


def _limits(request: SandboxRequest) -> Limits:
    return Limits(
        timeout_ms=request.timeout_ms,
        max_memory_bytes=request.max_memory_bytes,
        max_cpu_seconds=request.max_cpu_seconds,
        max_pids=request.max_pids,
        max_output_files=request.policy["max_output_files"],
        max_output_bytes=request.policy["max_total_output_bytes"],
    )


def _wanted(request: SandboxRequest, system: System) -> Iterator[AbilityName]:
    yield from _ALWAYS
    if system.listed or request.noexec_workspace:
        yield "noexec"
    if not request.policy["allow_network"]:
        yield "network_namespace"


def topmost(roots: list[str]) -> tuple[str, ...]:
    """The write roots without those inside another; all of the workspace is the one root `.` (contracts 2.8)."""
    parts = sorted({tuple(part for part in root.split("/") if part not in ("", ".")) for root in roots})
    if not parts or () in parts:
        return (".",)
    kept: list[tuple[str, ...]] = []
    for path in parts:
        if not kept or path[: len(kept[-1])] != kept[-1]:
            kept.append(path)
    return tuple("/".join(path) for path in kept)


def _outer(
    request: SandboxRequest, host: HostFacts, system: System, ground: Ground, roots: tuple[str, ...]
) -> tuple[Outer | None, tuple[str, ...], tuple[int, ...]]:
    """What is mounted first, the words that do it, and the sizes of the write roots' rooms."""
    if not host.works("noexec") or ground.base is None or host.unshare is None or host.mount is None:
        return None, (), ()
    rooms = [Room(name, TMP_BYTES, TMP_INODES, noexec=system.listed) for name in ("tmp", "shm")]
    sizes: tuple[int, ...] = ()
    noexec = system.listed or request.noexec_workspace
    watched = [f"{request.workspace}/{root}".removesuffix("/.") for root in roots] if noexec else []
    if ground.fits:
        files = request.policy["max_output_files"]
        # what is there, the cap, and what is lost at the end of each file's last page
        size = ground.bytes + request.policy["max_total_output_bytes"] + PAGE * (ground.entries + files + 1)
        own = [Room(str(at), size, ground.entries + 2 * files + 64, noexec=noexec) for at in range(len(roots))]
        rooms += own
        sizes = tuple(room.bytes for room in own)
        watched = []
    outer = Outer(ground.base, rooms, request.workspace if request.noexec_workspace else None, watched)
    return (
        outer,
        tuple(outer.words(host.unshare, host.mount, table=TABLE, lifeline=LIFELINE, ready=READY, errors=ERRORS)),
        sizes,
    )


def _mounts(
    request: SandboxRequest, roots: tuple[str, ...], system: System, rooms: Outer | None, outer: Outer | None
) -> Iterator[str]:
    yield from system.words
    yield from ("--proc", "/proc", "--dev", "/dev")
    for name, place in (("tmp", "/tmp"), ("shm", "/dev/shm")):  # noqa: S108 -- inside
        if outer is not None:
            yield from ("--bind", outer.place(name), place)
        else:
            yield from ("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", place)
    if request.policy["allow_network"]:
        for path in _NETWORK_FILES:
            yield from ("--ro-bind-try", path, path)
    for at, path in enumerate(request.setting.files()):
        yield from ("--perms", "0444", "--file", str(FIRST_FILE + at), path)
    if roots != (".",):
        noexec = outer is not None and outer.noexec_workspace is not None
        yield from ("--ro-bind", outer.place("workspace") if outer and noexec else request.workspace, WORKSPACE)
    for at, root in enumerate(roots):
        prepared = rooms or (outer if outer is not None and outer.noexec_roots else None)
        source = f"{request.workspace}/{root}" if prepared is None else prepared.place(str(at))
        yield from ("--bind", source.removesuffix("/."), f"{WORKSPACE}/{root}".removesuffix("/."))
    for outside, inside in sorted(request.read_only.items()):
        yield from ("--ro-bind", outside, inside)
    # what bubblewrap made to hang all this on; and /proc, where the kernel lets whoever is root outside write sysctls
    # without any capability, and everybody the memory of a process of the same user
    yield from ("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/")


def bwrap_words(spec: SandboxSpec, supervisor: int) -> list[str]:
    """bubblewrap's options. They go through a descriptor: a command line is for every user of the host to read, and
    the environment may hold secrets."""
    words = ["--unshare-user", "--uid", str(spec.setting.uid), "--gid", str(spec.setting.uid)]
    words.append("--disable-userns")
    words += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup", "--hostname"]
    words.append(spec.setting.hostname)
    if not spec.network:
        words.append("--unshare-net")
    words += ["--cap-drop", "ALL", "--new-session", "--die-with-parent"]
    words += ["--json-status-fd", str(STATUS), "--block-fd", str(BLOCK)]
    if spec.seccomp:
        words += ["--seccomp", str(SECCOMP)]
    if spec.outer is None:
        # If the supervisor is gone by now, this fails and with it the sandbox: --die-with-parent speaks only of a
        # parent that dies later, and a closed --block-fd would let the command go. It is covered by the private /tmp.
        # In a process namespace of its own bubblewrap dies by the lifeline, and sees another /proc than ours.
        words += ["--ro-bind", f"/proc/{supervisor}/task", "/tmp"]  # noqa: S108 -- inside
    words += [*spec.mounts, "--chdir", spec.setting.directory, "--clearenv"]
    for name, value in sorted(spec.environment.items()):
        words += ["--setenv", name, value]
    return words

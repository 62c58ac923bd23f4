"""What a sandbox needs of its host, as values: the findings of host.py, asked by the spec, told by the doctor."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    AbilityName = Literal[
        "bwrap",
        "user_namespace",
        "pid_namespace",
        "network_namespace",
        "other_namespaces",
        "mounts",
        "no_capabilities",
        "no_nested_namespaces",
        "seccomp",
        "noexec",
        "memory",
        "pids",
    ]
    Controller = Literal["memory", "pids", "cpuacct"]

#: In the order in which they build on each other, and in which they are told.
ABILITIES: tuple[AbilityName, ...] = (
    "bwrap",
    "user_namespace",
    "pid_namespace",
    "network_namespace",
    "other_namespaces",
    "mounts",
    "no_capabilities",
    "no_nested_namespaces",
    "seccomp",
    "noexec",
    "memory",
    "pids",
)

#: `--allow-degraded` takes these (contracts 2.9): never the network, never the write roots.
DEGRADABLE: tuple[AbilityName, ...] = ("memory", "pids", "seccomp", "noexec")


class Ability:
    """One thing that a sandbox needs, whether trying it worked, and what to do where it did not."""

    __slots__ = ("found", "name", "remedy", "weaker", "works")

    def __init__(self, name: AbilityName, works: bool, found: str, remedy: str = "", *, weaker: bool = False) -> None:
        self.name = name
        self.works = works
        #: What was seen: the mechanism that works, or why none does.
        self.found = found
        #: What somebody can do about it; empty where nothing needs doing.
        self.remedy = remedy
        #: It works, by a lesser mechanism than the design's: rlimits instead of a cgroup.
        self.weaker = weaker

    @property
    def degradable(self) -> bool:
        return self.name in DEGRADABLE

    def __repr__(self) -> str:
        return f"Ability({self.name!r}, {self.works}, {self.found!r})"


class CgroupPlace:
    """A directory in which we can make cgroups that one controller limits."""

    __slots__ = ("controller", "directory", "version")

    def __init__(self, version: Literal[1, 2], controller: Controller, directory: str) -> None:
        self.version = version
        self.controller = controller
        self.directory = directory

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CgroupPlace) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"CgroupPlace({self.version}, {self.controller!r}, {self.directory!r})"


class HostFacts:
    """What the trials found. `abilities` has one entry for each of ABILITIES, in that order."""

    __slots__ = (
        "abilities",
        "as_root",
        "bwrap",
        "bwrap_version",
        "cpu_cgroup",
        "memory_cgroup",
        "mount",
        "pids_cgroup",
        "unshare",
    )

    def __init__(
        self,
        *,
        abilities: Sequence[Ability],
        as_root: bool = False,
        bwrap: str | None = None,
        bwrap_version: tuple[int, ...] = (),
        unshare: str | None = None,
        mount: str | None = None,
        memory_cgroup: CgroupPlace | None = None,
        pids_cgroup: CgroupPlace | None = None,
        cpu_cgroup: CgroupPlace | None = None,
    ) -> None:
        self.abilities: dict[AbilityName, Ability] = {ability.name: ability for ability in abilities}
        assert tuple(self.abilities) == ABILITIES
        self.as_root = as_root
        #: Absolute paths of the programs, or None where the host has none.
        self.bwrap = bwrap
        #: Empty where it could not be asked.
        self.bwrap_version = bwrap_version
        #: util-linux: an own mount namespace in which a noexec mount is made before bubblewrap starts.
        self.unshare = unshare
        self.mount = mount
        #: None where no cgroup can be had; what stands in, if anything, says the ability of that name.
        self.memory_cgroup = memory_cgroup
        self.pids_cgroup = pids_cgroup
        #: Where processor time is counted for all processes of a run together. With version 2 every cgroup counts it.
        self.cpu_cgroup = cpu_cgroup

    def works(self, name: AbilityName) -> bool:
        return self.abilities[name].works

    def gaps(self) -> list[Ability]:
        """What no mechanism of this host can enforce, in the order of ABILITIES."""
        return [ability for ability in self.abilities.values() if not ability.works]

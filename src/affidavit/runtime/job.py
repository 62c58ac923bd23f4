"""What a worker is asked to do, as a value that can cross to another process (contracts 4.9)."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.reader import read
from ..kernel.matrix import Resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..sandbox.abilities import AbilityName
    from .plans import Planned


class Job:
    """A plan with all that it names, the lanes to run, and where fixtures may lie."""

    __slots__ = ("degraded", "folder", "lanes", "policies", "resolved")

    def __init__(
        self,
        resolved: Resolved,
        policies: dict[str, dict[str, Any]],
        lanes: dict[str, bool],
        *,
        degraded: Iterable[AbilityName] = (),
        folder: str | None = None,
    ) -> None:
        self.resolved = resolved
        self.policies = policies
        self.lanes = lanes
        #: What the caller agrees to do without, should the host not have it.
        self.degraded = tuple(degraded)
        #: A directory for the fixtures, which they make and take away; None: a temporary one of the worker's.
        self.folder = folder

    @classmethod
    def of(
        cls,
        planned: Planned,
        lanes: dict[str, bool],
        *,
        degraded: Iterable[AbilityName] = (),
        folder: str | None = None,
    ) -> Job:
        return cls(planned.resolved, planned.policies, lanes, degraded=degraded, folder=folder)

    def to_bytes(self) -> bytes:
        """For a worker with a view of the file system of its own: it is told no place."""
        told = {
            "plan": self.resolved.plan,
            "profiles": self.resolved.profiles,
            "probes": self.resolved.probes,
            "policies": self.policies,
            "lanes": self.lanes,
            "degraded": list(self.degraded),
        }
        return canonical(told) + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes) -> Job:
        """What `to_bytes` gave: from whoever started this process, who has verified it."""
        told: Any = read(data)
        resolved = Resolved(told["plan"], told["profiles"], told["probes"])
        return cls(resolved, told["policies"], told["lanes"], degraded=told["degraded"])

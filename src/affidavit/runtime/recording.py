"""What the lanes of a run saw, as a value that crosses from the worker to whoever writes the run (contracts 4.9).

A worker in a clean channel is another process, with another view of the system: it sends what it saw as one JSON
document, and everything that follows from it is worked out by whoever began the run.
"""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.apply_preflight import SCHEMA_VERSION, verify_apply_preflight
from ..contracts.probing import FAILURE_STAGES
from ..errors import ParseError
from ..kernel.compare import Seen
from ..rules.engine import structure
from ..rules.model import Contract, Report
from ..rules.shape import Anything, Arr, Bool, Int, Map, Nullable, Obj, OneOf, Text
from .refused import WorkerFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .job import Job

    Key = tuple[str, str]

_LANES = ("scenario", "baseline")
_SEEN = Obj(
    {
        "profile": Text(),
        "probe": Text(),
        "reached": Bool(),
        "errno": Nullable(Int(0, 4095)),
        "requested": Nullable(Text()),
        "observed": Nullable(Text()),
        "observed_errno": Nullable(Int(0, 4095)),
        "stage": Nullable(OneOf(*FAILURE_STAGES)),
        "kind": Nullable(Text()),
        "exit_code": Nullable(Int()),
        "command": Arr(Text()),
    },
    closed="SCHEMA",
)
_FORM = Contract(
    "recording",
    "",
    lambda _level: Obj(
        {**{lane: Arr(_SEEN) for lane in _LANES}, "preflight": Nullable(Map(Anything())), "worker": Map(Anything())},
        closed="SCHEMA",
    ),
    (),
)


class Recorded:
    """What a worker saw: each probe in each lane, the preflight, and who the worker is."""

    __slots__ = ("baseline", "preflight", "scenario", "worker")

    def __init__(
        self,
        *,
        scenario: dict[Key, Seen] | None = None,
        baseline: dict[Key, Seen] | None = None,
        preflight: dict[str, Any] | None = None,
        worker: dict[str, Any] | None = None,
    ) -> None:
        self.scenario = scenario or {}
        self.baseline = baseline or {}
        self.preflight = preflight
        self.worker = worker or {}

    def to_bytes(self) -> bytes:
        lanes = {lane: [_told(key, seen) for key, seen in getattr(self, lane).items()] for lane in _LANES}
        return canonical({**lanes, "preflight": self.preflight, "worker": self.worker}) + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes) -> Recorded:
        """What a worker sent. Raises WorkerFailed for anything that is no recording: the process that sent it ran
        probes, and its word is read like any other document."""
        try:
            value: Any = read(data)
        except ParseError as error:
            raise WorkerFailed(f"the worker sent no recording: {error.message}") from None
        report: Report = structure(_FORM, value)
        if not report.ok:
            first = report.findings[0]
            raise WorkerFailed(f"the worker sent no recording: {first.path}: {first.message}")
        lanes = {lane: {(row["profile"], row["probe"]): _seen(row) for row in value[lane]} for lane in _LANES}
        return cls(**lanes, preflight=value["preflight"], worker=value["worker"])

    def require_of(self, job: Job) -> None:
        """Raises WorkerFailed where this is not what the job asked for: a row too few would be a probe that nobody
        misses, and one too many a result that nobody planned."""
        for lane in _LANES:
            pairs = job.resolved.pairs(lane) if job.lanes[lane] else ()
            wanted = {(profile["profile_id"], probe["probe_id"]) for profile, probe in pairs}
            if getattr(self, lane).keys() != wanted:
                raise WorkerFailed(f"the worker's recording does not have each probe of the lane {lane} once")
        has_preflight = job.resolved.plan.get("apply_preflight_profile") is not None
        if (self.preflight is not None) != has_preflight:
            raise WorkerFailed("the worker's recording does not have the preflight that the plan asks for")
        if self.preflight is not None:
            whole = {"schema_version": SCHEMA_VERSION, "world_id": "w", "run_id": "r", **self.preflight}
            report = verify_apply_preflight(whole)
            if not report.ok:
                first = report.findings[0]
                raise WorkerFailed(f"the worker's preflight: {first.path}: {first.message}")


def _told(key: Key, seen: Seen) -> dict[str, Any]:
    members = {name: getattr(seen, name) for name in Seen.__slots__}
    return {**members, "command": [*seen.command], "profile": key[0], "probe": key[1]}


def _seen(row: dict[str, Any]) -> Seen:
    members = {name: row[name] for name in Seen.__slots__}
    return Seen(**{**members, "command": tuple(row["command"])})

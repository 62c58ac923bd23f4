"""The documents of a plan run, from what was planned and what was recorded (contracts 4.2). Pure."""

from __future__ import annotations

from .. import __version__
from ..canon.jcs import canonical
from ..contracts.apply_preflight import SCHEMA_VERSION as PREFLIGHT_VERSION
from ..contracts.plan import plan_digest
from ..contracts.run_manifest import NAME as MANIFEST
from ..contracts.run_manifest import SCHEMA_VERSION as MANIFEST_VERSION
from ..contracts.run_members import SUMMARY, members_of_plan_run
from ..kernel import compare
from ..kernel.compare import Recording
from ..kernel.matrix import expected_matrix
from ..kernel.oracle import predict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .plans import Planned
    from .recording import Key, Recorded

GENERATED_BY = f"affidavit {__version__}"

MISMATCHES = "mismatch_summary.json"
RESULTS = "runtime_results.json"
PREFLIGHT = "apply_preflight.json"


class Identity:
    """What a run is called, and where it is from its repo."""

    __slots__ = ("channel", "dry_run", "lanes", "prefix", "run_id", "world_id")

    def __init__(
        self, *, run_id: str, world_id: str, channel: str, dry_run: bool, lanes: dict[str, bool], prefix: str
    ) -> None:
        self.run_id = run_id
        self.world_id = world_id
        self.channel = channel
        self.dry_run = dry_run
        self.lanes = lanes
        #: The run directory from the root of its repo, with its slash.
        self.prefix = prefix

    def frame(self) -> dict[str, str]:
        return {"world_id": self.world_id, "run_id": self.run_id}


def expected_files(plan: dict[str, Any], identity: Identity) -> list[str]:
    """The set behind `missing[]` (contracts 4.2)."""
    found = members_of_plan_run(identity.lanes)
    if plan.get("apply_preflight_profile") and not identity.dry_run:
        found.append(PREFLIGHT)
    return found


def oracle(planned: Planned) -> dict[Key, tuple[str | None, str]]:
    """What each profile should decide. A profile of another system is no policy that could be read here."""
    return {
        (profile["profile_id"], probe["probe_id"]): predict(planned.policies[profile["profile_id"]], probe)
        for profile, probe in planned.resolved.pairs("oracle")
        if profile["profile_id"] in planned.policies
    }


def documents(
    planned: Planned, identity: Identity, recorded: Recorded, proof: dict[str, Any] | None
) -> Iterator[tuple[str, bytes]]:
    """Each file of the run and its bytes. What a lane that was off would have written is not there."""
    lanes = identity.lanes
    recording = Recording(
        planned.resolved,
        world_id=identity.world_id,
        run_id=identity.run_id,
        channel=identity.channel,
        scenario=recorded.scenario if lanes["scenario"] else {},
        baseline=recorded.baseline if lanes["baseline"] else {},
        oracle=oracle(planned) if lanes["oracle"] else {},
    )
    preflight = None
    if recorded.preflight is not None:
        preflight = {"schema_version": PREFLIGHT_VERSION, **identity.frame(), **recorded.preflight}
        yield PREFLIGHT, _json(preflight)
    yield MANIFEST, _json(manifest(planned, identity, preflight, proof))
    matrix = _json(expected_matrix(planned.resolved, identity.world_id))
    yield "expected_matrix.generated.json", matrix
    yield "expected_matrix.json", matrix
    if lanes["baseline"]:
        yield "baseline_results.json", _json(compare.baseline_results(recording))
    if lanes["scenario"]:
        yield RESULTS, _json(compare.runtime_results(recording))
        yield "runtime_events.normalized.json", _json(compare.normalized_events(recording))
    if lanes["baseline"] or lanes["scenario"]:
        yield "path_witnesses.json", _json(compare.path_witnesses(recording))
    if lanes["oracle"]:
        yield "oracle_results.json", _json(compare.oracle_results(recording))
    mismatches = compare.mismatch_summary(recording, GENERATED_BY)
    yield MISMATCHES, _json(mismatches)
    packets = compare.mismatch_packets(recording, identity.prefix + MANIFEST)
    yield "mismatch_packets.jsonl", b"".join(_json(packet) for packet in packets)
    told = compare.summary(
        recording,
        plan_digest=plan_digest(planned.plan),
        lanes=lanes,
        counts=mismatches["counts"],
        dry_run=identity.dry_run,
        failed=False,
    )
    yield SUMMARY, _json(told)
    yield "summary.md", compare.summary_text(told, mismatches["mismatches"]).encode()


def manifest(
    planned: Planned, identity: Identity, preflight: dict[str, Any] | None, proof: dict[str, Any] | None
) -> dict[str, Any]:
    """`run_manifest.json`. Paths are from the repo: the manifest tells no place of a host."""
    return {
        "schema_version": MANIFEST_VERSION,
        **identity.frame(),
        "channel": identity.channel,
        "plan_id": planned.plan["plan_id"],
        "plan_digest": plan_digest(planned.plan),
        "registry_digest": planned.resolved.digest(),
        "dry_run": identity.dry_run,
        "stage_used": False,
        "stage_root": None,
        "repo_root_context": ".",
        "staged_output_root": None,
        "output_root": identity.prefix.rstrip("/"),
        "apply_preflight": None if preflight is None else {"path": identity.prefix + PREFLIGHT, "record": preflight},
        "channel_proof": proof,
    }


def _json(value: object) -> bytes:
    return canonical(value) + b"\n"

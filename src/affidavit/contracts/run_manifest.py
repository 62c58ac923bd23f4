"""run_manifest.json: which plan a run followed, by which channel, what the preflight said (contracts 4.2, 4.9)."""

from __future__ import annotations

from ..rules.checks import stays_below
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Bool, Int, Map, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_hex
from .probing import CHANNELS, schema, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

NAME = "run_manifest.json"
SCHEMA_VERSION = "runtime-tools.run_manifest.v0.1"

_SPEC: tuple[Level, ...] = ("spec", "strict")


def _shape(level: Level) -> Shape:
    is_old = level == "compat"
    digest = Text(lambda text: is_hex(text, 64), "64 lowercase hex digits", rule="RM2")
    preflight = Obj({"path": Nullable(Text(stays_below, "a repo-relative path")), "record": Map(Anything())})
    if is_old:
        preflight = Obj({}, {"path": Anything(), "record": Nullable(Map(Anything()))})
    seen = {"pid": Int(1), "unit": text_or_null(), "cgroup": text_or_null(), "invocation_id": text_or_null()}
    proof = Obj(
        {"worker": Obj({**seen, "parent_pid": Int(0)}), "manager": Obj({**seen, "manager_pid": Int(1)})},
        rule="RM6",
    )
    told: dict[str, Shape] = {
        "world_id": non_empty("RM2"),
        "plan_id": non_empty("RM2"),
        "plan_digest": Nullable(non_empty()) if is_old else digest,
        "dry_run": Bool(),
        "stage_used": Bool(rule="RM5"),
        "stage_root": text_or_null(),
        "repo_root_context": Anything() if is_old else text_or_null(),
        "staged_output_root": text_or_null(),
        "output_root": text_or_null(),
        "apply_preflight": Nullable(preflight, rule="RM4"),
    }
    ours: dict[str, Shape] = {
        "registry_digest": Nullable(digest),
        "channel_proof": Nullable(proof, rule="RM6"),
    }
    first: dict[str, Shape] = {
        "schema_version": schema("run_manifest.v0.1", "RM1"),
        "run_id": non_empty("RM2"),
        "channel": non_empty("RM3") if is_old else OneOf(*CHANNELS, rule="RM3"),
    }
    return Obj(first, {**told, **ours}) if is_old else Obj({**first, **told}, ours)


def _stage_fits(used: bool, root: str | None, output: str | None) -> Iterator[Fault]:
    if used and root is None:
        yield Fault("where the run was staged", "null", field=1)
    for field, path in ((1, root), (2, output)):
        if not used and path is not None:
            yield Fault("null, as nothing was staged", shown(path), field=field)


def _dry_runs_apply_nothing(dry_run: bool, preflight: dict[str, Any] | None) -> Iterator[Fault]:
    if dry_run and preflight is not None:
        yield Fault("null, as the run was dry", "one", field=1)


def unit_of(channel: str, run_id: str) -> str:
    """What the manager of a clean channel calls the unit of a run."""
    return f"affidavit.{run_id}" if channel == "launchd_clean" else f"affidavit-{run_id}.service"


def proof_faults(channel: str, run_id: str, proof: dict[str, Any] | None) -> Iterator[Fault]:
    """What keeps a clean channel from being proven: nothing where the worker's view of itself and the manager's of its
    unit are the same. The worker's alone proves nothing, anybody can name a unit (contracts 4.9)."""
    if not CHANNELS.get(channel, True):
        return
    if proof is None:
        yield Fault(f"what worker and manager say of each other, as the channel is {channel}", "no proof")
        return
    worker, manager = proof["worker"], proof["manager"]
    unit = unit_of(channel, run_id)
    for who, told in (("worker", worker), ("manager", manager)):
        if told["unit"] != unit:
            yield Fault(f"the unit of this run, {shown(unit)}", shown(told["unit"]), who, "unit")
    for member in ("pid", "cgroup", "invocation_id"):
        if worker[member] != manager[member]:
            yield Fault(f"{shown(manager[member])}, as the manager says", shown(worker[member]), "worker", member)
    if worker["parent_pid"] != manager["manager_pid"]:
        told = f"{manager['manager_pid']}, the manager"
        yield Fault(told, shown(worker["parent_pid"]), "worker", "parent_pid")
    if channel != "systemd_clean":
        return
    if not is_hex(worker["invocation_id"] or "", 32):
        yield Fault("32 lowercase hex digits", shown(worker["invocation_id"]), "worker", "invocation_id")
    if not (worker["cgroup"] or "").endswith("/" + unit):
        yield Fault(f"the cgroup of {shown(unit)}", shown(worker["cgroup"]), "worker", "cgroup")


def _channel_is_proven(channel: str, run_id: str, proof: dict[str, Any] | None) -> Iterator[Fault]:
    for fault in proof_faults(channel, run_id, proof):
        yield Fault(fault.expected, fault.found, *fault.steps, field=2)


RUN_MANIFEST = Contract(
    "run manifest",
    "run-manifest",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RM1", "the schema is this manifest's"),
        Rule("RM2", "run, world and plan are named"),
        Rule("RM3", "the channel is a known one"),
        Rule("RM4", "the preflight has a path and its record"),
        Rule(
            "RM4",
            "a dry run has no preflight",
            _dry_runs_apply_nothing,
            needs=("dry_run", "apply_preflight"),
            levels=_SPEC,
        ),
        Rule(
            "RM5",
            "a staged run says where",
            _stage_fits,
            needs=("stage_used", "stage_root", "staged_output_root"),
            levels=_SPEC,
        ),
        Rule(
            "RM6",
            "worker and manager of a clean channel say the same",
            _channel_is_proven,
            needs=("channel", "run_id", "?channel_proof"),
            levels=("strict",),
        ),
    ),
)


def verify_run_manifest(value: object, *, level: Level = "spec") -> Report:
    """RM1-RM6."""
    return survives_writing(examine(RUN_MANIFEST, value, level), value, SCHEMA)


_RUN = "pr_mjz4k1s0_9f86d081"
_UNIT = {
    "pid": 4711,
    "unit": unit_of("systemd_clean", _RUN),
    "cgroup": f"/system.slice/{unit_of('systemd_clean', _RUN)}",
    "invocation_id": "0f8fad5bd9cb469fa165708677289511",
}

EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "run_id": _RUN,
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "channel": "systemd_clean",
    "plan_id": "host-check",
    "plan_digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "registry_digest": "1b412bf748730e63ef63915c70358bd188744cebc70d334d2a9f7f7031af7d78",
    "dry_run": False,
    "stage_used": False,
    "stage_root": None,
    "repo_root_context": ".",
    "staged_output_root": None,
    "output_root": f"out/{_RUN}",
    "apply_preflight": {"path": f"out/{_RUN}/apply_preflight.json", "record": {"apply_ok": True}},
    "channel_proof": {"worker": {**_UNIT, "parent_pid": 1}, "manager": {**_UNIT, "manager_pid": 1}},
}

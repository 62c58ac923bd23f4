"""runtime_events.normalized.json: what was observed, one row an expectation, ready to be joined (contracts 4.2)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Bool, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from .path_witnesses import normalized_path
from .probing import (
    DECISIONS,
    answer_fits,
    decision,
    errno_or_null,
    flag_or_null,
    seen_fits,
    stage_or_null,
    text_or_null,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level


def _shape(_level: Level) -> Shape:
    event = Obj(
        {
            "world_id": non_empty(),
            "run_id": non_empty(),
            "profile_id": non_empty(),
            "scenario_id": non_empty(),
            "expectation_id": non_empty(),
            "operation": non_empty(),
            "target": text_or_null(),
            "expected": decision(),
            "actual": Nullable(OneOf(*DECISIONS)),
            "match": flag_or_null(),
            "intended_op_witnessed": Bool(),
            "runtime_status": OneOf("success", "errno", "blocked"),
            "errno": errno_or_null(),
            "failure_stage": stage_or_null(),
            "failure_kind": text_or_null(),
            "policy_layers": Arr(Text()),
        },
        {"requested_path": text_or_null(), "observed_path": text_or_null(), "normalized_path": text_or_null()},
    )
    return Arr(event)


def _matches_fit(events: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, event in enumerate(events):
        for fault in seen_fits(event["expected"], event["actual"], event["match"]):
            yield Fault(fault.expected, fault.found, index, "match")


def _witnessed_fits(events: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, event in enumerate(events):
        if event["intended_op_witnessed"] != (event["actual"] is not None):
            told = "true" if event["actual"] is not None else "false"
            found = shown(event["intended_op_witnessed"])
            yield Fault(f"{told}, as actual says", found, index, "intended_op_witnessed")


def _answers_fit(events: list[dict[str, Any]]) -> Iterator[Fault]:
    members = ("runtime_status", "errno", "failure_stage")
    for index, event in enumerate(events):
        for fault in answer_fits(event["actual"], *(event[member] for member in members)):
            yield Fault(fault.expected, fault.found, index, members[fault.field - 1])


def _paths_are_normalized(events: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, event in enumerate(events):
        wanted, _ = normalized_path(event.get("requested_path"), event.get("observed_path"))
        if event.get("normalized_path") != wanted:
            yield Fault(shown(wanted), shown(event.get("normalized_path")), index, "normalized_path")


def _one_run(events: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, event in enumerate(events):
        for member in ("run_id", "world_id"):
            if event[member] != events[0][member]:
                yield Fault(f"{shown(events[0][member])}, as in the first event", shown(event[member]), index, member)


RUNTIME_EVENTS = Contract(
    "normalized events",
    "runtime-events",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RE1", "match says whether it was as expected", _matches_fit, needs=("",)),
        Rule(
            "RE2",
            "an operation was witnessed or has no outcome",
            _witnessed_fits,
            needs=("",),
            levels=("spec", "strict"),
        ),
        Rule("RE3", "all events are of one run", _one_run, needs=("",)),
        Rule("RE4", "the answer fits what was seen", _answers_fit, needs=("",), levels=("spec", "strict")),
        Rule(
            "RE5", "the normalized path is the observed one, else the requested one", _paths_are_normalized, needs=("",)
        ),
    ),
)


def verify_runtime_events(value: object, *, level: Level = "spec") -> Report:
    """RE1-RE5."""
    return survives_writing(examine(RUNTIME_EVENTS, value, level), value, SCHEMA)


EXAMPLE: Any = [
    {
        "world_id": "linux-x86_64-9f86d081884c7d65",
        "run_id": "pr_mjz4k1s0_9f86d081",
        "profile_id": "strict",
        "scenario_id": "strict:read_host_file",
        "expectation_id": "strict:read_host_file",
        "operation": "file-read-data",
        "target": "{outside}/secret.txt",
        "requested_path": "/outside/secret.txt",
        "observed_path": None,
        "normalized_path": "/outside/secret.txt",
        "expected": "deny",
        "actual": "deny",
        "match": True,
        "intended_op_witnessed": True,
        "runtime_status": "errno",
        "errno": 2,
        "failure_stage": "probe",
        "failure_kind": "ENOENT",
        "policy_layers": ["bwrap"],
    },
    {
        "world_id": "linux-x86_64-9f86d081884c7d65",
        "run_id": "pr_mjz4k1s0_9f86d081",
        "profile_id": "strict",
        "scenario_id": "strict:mount_tmpfs",
        "expectation_id": "strict:mount_tmpfs",
        "operation": "mount",
        "target": "{workspace}/out",
        "expected": "deny",
        "actual": None,
        "match": None,
        "intended_op_witnessed": False,
        "runtime_status": "blocked",
        "errno": None,
        "failure_stage": "bootstrap",
        "failure_kind": "no report",
        "policy_layers": ["bwrap"],
    },
]

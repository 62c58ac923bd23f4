"""runtime_results.json: what each probe gave under its profile (contracts 4.2)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Int, Map, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from .probing import (
    DECISIONS,
    answer_fits,
    decision,
    errno_or_null,
    flag_or_null,
    schema,
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

SCHEMA_VERSION = "runtime-tools.runtime_results.v0.1"


def _shape(level: Level) -> Shape:
    answer = Obj(
        {
            "status": OneOf("success", "errno", "blocked", rule="RR4"),
            "errno": errno_or_null(),
            "failure_stage": stage_or_null(),
            "failure_kind": text_or_null(),
        }
    )
    probe = Obj(
        {
            "name": non_empty(),
            "expectation_id": non_empty(),
            "operation": non_empty(),
            "path": text_or_null(),
            "expected": decision(),
            "actual": Nullable(OneOf(*DECISIONS)),
            "match": flag_or_null(),
            "runtime_result": answer,
            "exit_code": Nullable(Int()),
            "command": Arr(Text()),
        }
    )
    return Map(
        Obj(
            {
                "schema_version": schema("runtime_results.v0.1", "RR1"),
                **({} if level == "compat" else {"run_id": non_empty()}),
                "status": OneOf("ok", "partial", "blocked", rule="RR2"),
                "profile_path": Text(),
                "probes": Arr(probe),
            }
        )
    )


def _status_fits(profiles: dict[str, dict[str, Any]]) -> Iterator[Fault]:
    for key, profile in profiles.items():
        seen = [probe["actual"] is not None for probe in profile["probes"]]
        wanted = "ok" if all(seen) else "partial" if any(seen) else "blocked"
        if profile["status"] != wanted:
            yield Fault(
                f"{shown(wanted)}, as {sum(seen)} of {len(seen)} probes were seen",
                shown(profile["status"]),
                key,
                "status",
            )


def _matches_fit(profiles: dict[str, dict[str, Any]]) -> Iterator[Fault]:
    for key, profile in profiles.items():
        for index, probe in enumerate(profile["probes"]):
            for fault in seen_fits(probe["expected"], probe["actual"], probe["match"]):
                yield Fault(fault.expected, fault.found, key, "probes", index, "match")


def _answers_fit(profiles: dict[str, dict[str, Any]]) -> Iterator[Fault]:
    members = ("status", "errno", "failure_stage")
    for key, profile in profiles.items():
        for index, probe in enumerate(profile["probes"]):
            answer = probe["runtime_result"]
            for fault in answer_fits(probe["actual"], *(answer[member] for member in members)):
                place = (key, "probes", index, "runtime_result", members[fault.field - 1])
                yield Fault(fault.expected, fault.found, *place)


RUNTIME_RESULTS = Contract(
    "runtime results",
    "runtime-results",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RR1", "the schema is this document's, in each profile"),
        Rule(
            "RR2",
            "a profile's status says how many of its probes were seen",
            _status_fits,
            needs=("",),
            levels=("spec", "strict"),
        ),
        Rule("RR3", "match says whether it was as expected", _matches_fit, needs=("",)),
        Rule("RR4", "the answer fits what was seen", _answers_fit, needs=("",), levels=("spec", "strict")),
    ),
)


def verify_runtime_results(value: object, *, level: Level = "spec") -> Report:
    """RR1-RR4."""
    return survives_writing(examine(RUNTIME_RESULTS, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "strict": {
        "schema_version": SCHEMA_VERSION,
        "run_id": "pr_mjz4k1s0_9f86d081",
        "status": "partial",
        "profile_path": "profiles/strict.json",
        "probes": [
            {
                "name": "read a file of the host",
                "expectation_id": "strict:read_host_file",
                "operation": "file-read-data",
                "path": "/outside/secret.txt",
                "expected": "deny",
                "actual": "deny",
                "match": True,
                "runtime_result": {"status": "errno", "errno": 2, "failure_stage": "probe", "failure_kind": "ENOENT"},
                "exit_code": 0,
                "command": ["probe", "file-read-data"],
            },
            {
                "name": "mount a tmpfs",
                "expectation_id": "strict:mount_tmpfs",
                "operation": "mount",
                "path": "/workspace/out",
                "expected": "deny",
                "actual": None,
                "match": None,
                "runtime_result": {
                    "status": "blocked",
                    "errno": None,
                    "failure_stage": "bootstrap",
                    "failure_kind": "no report",
                },
                "exit_code": 125,
                "command": ["probe", "mount"],
            },
        ],
    }
}

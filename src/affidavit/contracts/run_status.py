"""run_status.json: what a run directory is, who writes it and how far it is (seed 003, section 1.2; contracts 4.2)."""

from __future__ import annotations

from ..canon.profiles import KERNEL
from ..rules.engine import examine
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import Int, Nullable, Obj, OneOf, Shape, Text, non_empty
from ..shown import shown
from ..values import is_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from ..values import Level

    State = Literal["in_progress", "complete", "failed"]

NAME = "run_status.json"
SCHEMA_VERSION = "runtime-tools.run_status.v0.1"
STATES = ("in_progress", "complete", "failed")
EXCEPTION = "exception"
#: The plan of a run that follows an intent.
HARNESS = "harness"

_SPEC: tuple[Level, ...] = ("spec", "strict")
_STRICT: tuple[Level, ...] = ("strict",)


def is_plan_digest(text: str) -> bool:
    return is_hex(text, 64)


def _is_time(value: Any) -> bool:
    kind = type(value)
    return (kind is int or kind is float) and value >= 0


def _shape(level: Level) -> Shape:
    plan_digest = non_empty() if level == "compat" else Text(is_plan_digest, "64 lowercase hex digits")
    return Obj(
        {
            "schema_version": OneOf(SCHEMA_VERSION, rule="ST1"),
            "run_id": non_empty(),
            "world_id": non_empty(),
            "channel": non_empty(),
            "plan_id": non_empty(),
            "plan_digest": plan_digest,
            "state": OneOf(*STATES, rule="ST3"),
            "writer_pid": Int(1),
            "updated_at_unix": Shape("seconds since 1970", _is_time, ""),
            "error": Nullable(Text()),
            "failure_stage": Nullable(OneOf(EXCEPTION)),
        },
        {"writer_start_ticks": Nullable(Int(0)), "writer_boot_id": Nullable(non_empty())},
        rule="ST2",
    )


def _fails_with_a_reason(state: str, error: str | None, stage: str | None) -> Iterator[Fault]:
    if state != "failed":
        if error is not None:
            yield Fault(f'null, as state is "{state}"', shown(error), field=1)
        if stage is not None:
            yield Fault(f'null, as state is "{state}"', shown(stage), field=2)


def _tells_the_reason(state: str, error: str | None) -> Iterator[Fault]:
    if state == "failed" and not error:
        yield Fault('what went wrong, as state is "failed"', shown(error), field=1)


RUN_STATUS = Contract(
    "run status",
    "run-status",
    _shape,
    (
        Rule("SCHEMA", "the document is an object"),
        Rule("ST1", "the schema version is the one that is specified"),
        Rule("ST2", "run, world, plan and writer are named"),
        Rule("ST3", "the state is in_progress, complete or failed"),
        Rule(
            "ST4",
            "only a failed run has an error",
            _fails_with_a_reason,
            needs=("state", "?error", "?failure_stage"),
            levels=_SPEC,
        ),
        Rule("ST4", "a failed run says why", _tells_the_reason, needs=("state", "?error"), levels=_STRICT),
    ),
)


def verify_run_status(value: object, *, level: Level = "spec") -> Report:
    return examine(RUN_STATUS, value, level)


def derive_world_id(system: str, arch: str, facts: dict[str, str]) -> str:
    """The world of a run whose plan names none: the system, and what its kernel, C library, distribution and sandbox
    are; never a host's name (contracts 4.2)."""
    return f"{system}-{arch}-{KERNEL.digest(facts).hex[:16]}"


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "run_id": "hr_mk2h8w00_1f2e3d4c",
    "world_id": "linux-x64-5c18878a0016ae19",
    "channel": "direct",
    "plan_id": "harness",
    "plan_digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "state": "complete",
    "writer_pid": 4711,
    "updated_at_unix": 1767700805.25,
    "error": None,
    "failure_stage": None,
    "writer_start_ticks": 123456,
    "writer_boot_id": "6a1f2c1e-8d4b-4a52-9a5e-0b7f6d3c2e10",
}

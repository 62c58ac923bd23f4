"""apply_preflight.json: whether the profile could be applied at all, and what was already in force (contracts 4.2)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Bool, Int, Map, Nullable, Obj, OneOf, Text
from ..shown import shown
from .probing import errno_or_null, frame, schema, self_check, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.apply_preflight.v0.1"


def _shape(level: Level) -> Shape:
    report = Obj(
        {"api": Text(), "rc": Nullable(Int()), "errno": errno_or_null(), "err_class": text_or_null()}, rule="AP2"
    )
    return Obj(
        {
            "schema_version": schema("apply_preflight.v0.1", "AP1"),
            **frame(level),
            "profile": text_or_null(),
            # older writers name it by a path
            "runner": Anything() if level == "compat" else Nullable(Map(Text())),
            "sandbox_check_self": Nullable(self_check()),
            "status": OneOf("ok", "error", rule="AP3"),
            "apply_ok": Nullable(Bool(), rule="AP3"),
            "apply_report": Nullable(report, rule="AP2"),
            "exit_code": Nullable(Int()),
            "failure_stage": Nullable(OneOf("apply"), rule="AP4"),
            "command": Arr(Text()),
        },
        {"error": Anything()},
    )


def _status_fits(status: str, apply_ok: bool | None) -> Iterator[Fault]:
    if (status == "ok") != (apply_ok is True):
        yield Fault(f"{'true' if status == 'ok' else 'false'}, as status is {status}", shown(apply_ok), field=1)


def _stage_fits(apply_ok: bool | None, failure_stage: str | None) -> Iterator[Fault]:
    if apply_ok is True and failure_stage is not None:
        yield Fault("null, as the profile was applied", shown(failure_stage), field=1)


def _self_check_says(check: dict[str, Any] | None) -> Iterator[Fault]:
    if check is not None and "sandboxed" not in check and "error" not in check:
        yield Fault("sandboxed, or an error that says why it is not known", "neither")


APPLY_PREFLIGHT = Contract(
    "apply preflight",
    "apply-preflight",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("AP1", "the schema is this document's"),
        Rule("AP2", "the report names the call and its answer"),
        Rule("AP3", "status says whether the profile was applied", _status_fits, needs=("status", "apply_ok")),
        Rule("AP4", "what was applied failed at no stage", _stage_fits, needs=("apply_ok", "failure_stage")),
        Rule(
            "AP5",
            "the self-check knows or says why not",
            _self_check_says,
            needs=("sandbox_check_self",),
            levels=("spec", "strict"),
        ),
    ),
)


def verify_apply_preflight(value: object, *, level: Level = "spec") -> Report:
    """AP1-AP5."""
    return survives_writing(examine(APPLY_PREFLIGHT, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "run_id": "pr_mjz4k1s0_9f86d081",
    "profile": "profiles/strict.json",
    "runner": {"tool": "bubblewrap", "version": "0.8.0"},
    "sandbox_check_self": {
        "source": "linux_self_check",
        "no_new_privs": False,
        "seccomp": 0,
        "seccomp_filters": 0,
        "cap_bnd": "000001ffffffffff",
        "user_ns_initial": True,
        "lsm_label": "unconfined",
        "landlock": "not_observable",
        "sandboxed": False,
    },
    "status": "ok",
    "apply_ok": True,
    "apply_report": {"api": "bwrap", "rc": 0, "errno": None, "err_class": "success"},
    "exit_code": 0,
    "failure_stage": None,
    "command": ["true"],
}

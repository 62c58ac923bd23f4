"""mismatch_packets.jsonl: all that is known of a mismatch, one on each line (contracts 4.2, 4.8)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from .probing import DECISIONS, MISMATCH_REASONS, decision, flag_or_null, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.mismatch_packet.v0.1"


def _shape(_level: Level) -> Shape:
    seen = Nullable(OneOf(*DECISIONS))
    run = Obj(
        {"run_id": non_empty(), "channel": non_empty(), "world_id": non_empty(), "run_manifest": Nullable(Text())}
    )
    return Obj(
        {
            "schema_version": schema("mismatch_packet.v0.1", "MP1"),
            "expectation_id": non_empty(),
            "run_context": run,
            "decision_event": Obj({"actual": seen}),
            "expected": decision(),
            "baseline": Nullable(Obj({"status": seen})),
            "oracle_check": Nullable(Obj({"decision": seen})),
            "canonicalization": Nullable(Obj({"alias_pair": flag_or_null(), "nofirmlink_differs": flag_or_null()})),
            "mismatch_reason": OneOf(*MISMATCH_REASONS, rule="MP2"),
        }
    )


def _is_one(expected: str, event: dict[str, Any]) -> Iterator[Fault]:
    if event["actual"] == expected:
        yield Fault(f"something else than {expected}", shown(expected), "actual", field=1)


def _reason_holds(
    event: dict[str, Any],
    baseline: dict[str, Any] | None,
    oracle: dict[str, Any] | None,
    canonicalization: dict[str, Any] | None,
    reason: str,
) -> Iterator[Fault]:
    """The reason is the first that holds of what the packet itself states."""
    wanted = reason_of(event["actual"], baseline, oracle, canonicalization)
    if reason != wanted:
        yield Fault(f"{shown(wanted)}, the first that holds", shown(reason), field=4)


def reason_of(
    actual: str | None,
    baseline: dict[str, Any] | None,
    oracle: dict[str, Any] | None,
    canonicalization: dict[str, Any] | None,
) -> str:
    """Why a mismatch is one: the first of the reasons that holds (contracts 4.8)."""
    if actual is None:
        return "op_not_witnessed"
    if canonicalization is not None and True in (
        canonicalization.get("alias_pair"),
        canonicalization.get("nofirmlink_differs"),
    ):
        return "canonicalization_boundary"
    if actual == "deny" and baseline is not None and baseline["status"] == "deny":
        return "ambient_platform_restriction"
    if oracle is not None and oracle["decision"] is not None and oracle["decision"] != actual:
        return "capture_pipeline_disagreement"
    return "expectation_too_strong"


MISMATCH_PACKETS = Contract(
    "mismatch packet",
    "mismatch-packets",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("MP1", "the schema is this packet's"),
        Rule("MP2", "the reason is a known one"),
        Rule("MP3", "what was seen is not what was expected", _is_one, needs=("expected", "decision_event")),
        Rule(
            "MP4",
            "the reason is the first that holds",
            _reason_holds,
            levels=("spec", "strict"),
            needs=("decision_event", "baseline", "oracle_check", "canonicalization", "mismatch_reason"),
        ),
    ),
)


def verify_mismatch_packets(value: object, *, level: Level = "spec") -> Report:
    """MP1-MP4, of one packet: the value that stands on one line."""
    return survives_writing(examine(MISMATCH_PACKETS, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "expectation_id": "strict:bind_low_port",
    "run_context": {
        "run_id": "pr_mjz4k1s0_9f86d081",
        "channel": "direct",
        "world_id": "linux-x86_64-9f86d081884c7d65",
        "run_manifest": "out/pr_mjz4k1s0_9f86d081/run_manifest.json",
    },
    "decision_event": {"actual": "deny"},
    "expected": "allow",
    "baseline": {"status": "deny"},
    "oracle_check": {"decision": "allow"},
    "canonicalization": {"alias_pair": False, "nofirmlink_differs": False},
    "mismatch_reason": "ambient_platform_restriction",
}

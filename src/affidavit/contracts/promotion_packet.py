"""A promotion packet: pointers to a run's evidence, and whether it may be promoted (seed 003, 2; contracts 4.5)."""

from __future__ import annotations

from ..rules.checks import no_text_twice, sorted_texts, stays_below
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Bool, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_hex
from .probing import CHANNELS, schema, self_check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.promotion_packet.v0.2"

#: Each pointer and the file of the run that it leads to. All of these always stand, also to files that are not there.
POINTERS = {
    "run_manifest": "run_manifest.json",
    "expected_matrix": "expected_matrix.json",
    "runtime_results": "runtime_results.json",
    "runtime_events": "runtime_events.normalized.json",
    "baseline_results": "baseline_results.json",
    "oracle_results": "oracle_results.json",
    "mismatch_packets": "mismatch_packets.jsonl",
    "summary": "summary.json",
}
#: These stand where the file does.
MORE_POINTERS = {"path_witnesses": "path_witnesses.json", "impact_map": "impact_map.json"}

#: The seed's reasons and, after them, ours: stricter, and not given under the gate v0.2-compat.
SEED_REASONS = (
    "manifest_missing",
    "run_status_missing",
    "bundle_in_progress",
    "not_clean_channel",
    "apply_preflight_missing",
    "already_sandboxed",
    "apply_failed",
    "bundle_integrity_unverified",
    "bundle_failed",
    "bundle_incomplete",
    "decision_stage_artifacts_missing",
)
OUR_REASONS = ("self_check_unknown", "dry_run", "preflight_mismatch", "channel_unproven", "bundle_repaired")

_NOT_COMPAT: tuple[Level, ...] = ("spec", "strict")


def _shape(level: Level) -> Shape:
    pointer = Text(stays_below, "a repo-relative path", rule="PP2")
    reasons = Arr(OneOf(*SEED_REASONS, *OUR_REASONS), rule="PP3", container_rule="PP3")
    gating = {
        "channel": Nullable(Text()),
        "apply_preflight_present": Bool(),
        "apply_ok": Nullable(Bool()),
        "sandbox_check_self": Nullable(self_check()),
    }
    ours: dict[str, Shape] = {
        "artifact_index_sha256": Nullable(Text(lambda text: is_hex(text, 64), "64 lowercase hex digits")),
        "repaired": Bool(),
        "accepted_channels": Arr(OneOf(*CHANNELS)),
    }
    accepted = Obj({"channels": Arr(OneOf(*CHANNELS)), "promotable": Bool(), "reasons": reasons}, rule="PP5")
    required: dict[str, Shape] = {"promotable_decision_stage": Bool(rule="PP4"), "reasons": reasons}
    if level == "compat":
        promotability = Obj({**required, "gating_inputs": Obj(gating, ours)}, {"accepted": accepted})
    else:
        promotability = Obj(
            {**required, "gating_inputs": Obj({**gating, **ours}), "accepted": accepted}, {"gate": non_empty()}
        )
    return Obj(
        {
            "schema_version": schema("promotion_packet.v0.2", "PP1"),
            **dict.fromkeys(POINTERS, pointer),
            "promotability": promotability,
        },
        {**dict.fromkeys(MORE_POINTERS, pointer), "notes": Anything()},
    )


def _verdict_fits(promotable: bool, reasons: list[str]) -> Iterator[Fault]:
    if promotable == bool(reasons):
        told = "false, as there are reasons" if reasons else "true, as there is no reason"
        yield Fault(told, shown(promotable))


def _accepted_fits(accepted: dict[str, Any] | None, reasons: list[str], gating: dict[str, Any]) -> Iterator[Fault]:
    if accepted is None:
        return
    if accepted["promotable"] == bool(accepted["reasons"]):
        told = "false, as there are reasons" if accepted["reasons"] else "true, as there is no reason"
        yield Fault(told, shown(accepted["promotable"]), "promotable")
    if accepted["channels"] != gating.get("accepted_channels", accepted["channels"]):
        yield Fault("the channels that the gating inputs name", "others", "channels")
    forgiven = ["not_clean_channel"] if gating["channel"] in accepted["channels"] else []
    wanted = [reason for reason in reasons if reason not in forgiven]
    if accepted["reasons"] != wanted:
        yield Fault("the reasons, without the channel where it is accepted", "others", "reasons")


def _reasons_fit(gating: dict[str, Any], reasons: list[str]) -> Iterator[Fault]:
    """What the inputs alone settle: a reason that they call for stands, one that they rule out does not."""
    present, check = gating["apply_preflight_present"], gating["sandbox_check_self"] or {}
    settled = {
        "not_clean_channel": gating["channel"] != "launchd_clean",
        "apply_preflight_missing": not present,
        "apply_failed": present and gating["apply_ok"] is not True,
        "already_sandboxed": present and check.get("sandboxed") is True,
    }
    for reason, holds in settled.items():
        if holds and reason not in reasons:
            yield Fault(f"{shown(reason)}, as the inputs say", "no such reason", field=1)
        elif reason in reasons and not holds:
            yield Fault(f"no {shown(reason)}, as the inputs say", "it", reasons.index(reason), field=1)
    if gating.get("artifact_index_sha256", "") is None and "bundle_integrity_unverified" not in reasons:
        yield Fault('"bundle_integrity_unverified", as no index was judged', "no such reason", field=1)


def _leads_to_one_run(packet: dict[str, Any]) -> Iterator[Fault]:
    """All pointers lead into one directory, each to its own file."""
    base = packet["run_manifest"].rpartition("/")[0]
    for name, file in (*POINTERS.items(), *MORE_POINTERS.items()):
        wanted = f"{base}/{file}" if base else file
        if packet.get(name, wanted) != wanted:
            yield Fault(shown(wanted), shown(packet[name]), name)


PROMOTION_PACKET = Contract(
    "promotion packet",
    "promotion-packet",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("PP1", "the schema is this packet's"),
        Rule("PP2", "pointers are repo-relative paths"),
        Rule("PP2", "pointers lead to the files of one run", _leads_to_one_run, needs=("",), levels=("strict",)),
        Rule("PP3", "reasons are known, sorted and unique", sorted_texts, needs=("promotability.reasons",)),
        Rule("PP3", "no reason twice", no_text_twice, needs=("promotability.reasons",)),
        Rule(
            "PP4",
            "promotable exactly where there is no reason",
            _verdict_fits,
            needs=("promotability.promotable_decision_stage", "promotability.reasons"),
        ),
        Rule(
            "PP6",
            "reasons fit the gating inputs",
            _reasons_fit,
            needs=("promotability.gating_inputs", "promotability.reasons"),
        ),
        Rule(
            "PP5",
            "what is accepted follows from reasons and channels",
            _accepted_fits,
            levels=_NOT_COMPAT,
            needs=("?promotability.accepted", "promotability.reasons", "promotability.gating_inputs"),
        ),
    ),
)


def verify_promotion_packet(value: object, *, level: Level = "spec") -> Report:
    """PP1-PP6: what a packet says of itself. Whether it is true, only the bundle that it points to can tell."""
    return survives_writing(examine(PROMOTION_PACKET, value, level), value, SCHEMA)


_BASE = "out/pr_mjz4k1s0_9f86d081"

EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    **{name: f"{_BASE}/{file}" for name, file in POINTERS.items()},
    "path_witnesses": f"{_BASE}/path_witnesses.json",
    "promotability": {
        "promotable_decision_stage": False,
        "reasons": ["not_clean_channel"],
        "gating_inputs": {
            "channel": "systemd_clean",
            "apply_preflight_present": True,
            "apply_ok": True,
            "sandbox_check_self": {"source": "linux_self_check", "sandboxed": False},
            "artifact_index_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "repaired": False,
            "accepted_channels": ["systemd_clean"],
        },
        "accepted": {"channels": ["systemd_clean"], "promotable": True, "reasons": []},
    },
}

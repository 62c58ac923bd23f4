"""Whether a run's evidence may be promoted (seed 003, 2.2; contracts 4.5). Pure: it judges what was read.

Fails closed: a document that is absent, malformed or contradicts another counts against the run, never for it.
"""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.order import in_order
from ..contracts.probing import CHANNELS
from ..contracts.promotion_packet import MORE_POINTERS, OUR_REASONS, POINTERS, SCHEMA_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    Gate = Literal["v0.2", "v0.2-compat"]

#: A decision rests on these.
DECISION_STAGE = ("runtime_results.json", "runtime_events.normalized.json", "expected_matrix.json")


class Evidence:
    """What was read of a run. A document that is absent or not as its contract says is None. `index` is there only
    when the strict reading succeeded: what did not verify says nothing."""

    __slots__ = ("channel_proven", "index", "index_sha256", "manifest", "preflight", "present", "repaired", "status")

    def __init__(
        self,
        *,
        manifest: dict[str, Any] | None,
        status: dict[str, Any] | None,
        preflight: dict[str, Any] | None,
        index: dict[str, Any] | None,
        index_sha256: str | None,
        present: frozenset[str],
        repaired: bool,
        channel_proven: bool,
    ) -> None:
        self.manifest = manifest
        self.status = status
        self.preflight = preflight
        self.index = index
        self.index_sha256 = index_sha256
        self.present = present
        self.repaired = repaired
        self.channel_proven = channel_proven


def reasons_against(evidence: Evidence, gate: Gate = "v0.2", *, accept_repaired: bool = False) -> list[str]:
    """Every reason that speaks against promotion, sorted. The compatible gate knows the seed's alone."""
    found = set(_reasons(evidence, accept_repaired))
    if gate == "v0.2-compat":
        found -= set(OUR_REASONS)
    return in_order(found)


def _reasons(evidence: Evidence, accept_repaired: bool) -> Iterator[str]:
    yield from _of_manifest(evidence)
    if evidence.status is None:
        yield "run_status_missing"
    elif evidence.status["state"] == "in_progress":
        yield "bundle_in_progress"
        yield "bundle_integrity_unverified"
    if evidence.index is None:
        yield "bundle_integrity_unverified"
    else:
        if evidence.index["status"] == "failed":
            yield "bundle_failed"
        if evidence.index["missing"]:
            yield "bundle_incomplete"
    if not evidence.present.issuperset(DECISION_STAGE):
        yield "decision_stage_artifacts_missing"
    if evidence.repaired and not accept_repaired:
        yield "bundle_repaired"


def _of_manifest(evidence: Evidence) -> Iterator[str]:
    manifest = evidence.manifest
    if manifest is None:
        yield from ("manifest_missing", "not_clean_channel", "apply_preflight_missing")
        yield from ("self_check_unknown", "channel_unproven")
        return
    if manifest["channel"] != "launchd_clean":
        yield "not_clean_channel"
    if manifest.get("dry_run") is not False:
        yield "dry_run"
    # a channel that claims nothing needs no proof
    if CHANNELS.get(manifest["channel"], True) and not evidence.channel_proven:
        yield "channel_unproven"
    record = preflight_record(manifest)
    if record is None:
        yield "apply_preflight_missing"
        yield "self_check_unknown"
        return
    if record.get("apply_ok") is not True:
        yield "apply_failed"
    sandboxed = _sandboxed(record)
    if sandboxed is True:
        yield "already_sandboxed"
    elif sandboxed is not False:
        yield "self_check_unknown"
    if evidence.preflight is None or canonical(evidence.preflight) != canonical(record):
        yield "preflight_mismatch"


def preflight_record(manifest: dict[str, Any] | None) -> dict[str, Any] | None:
    """The manifest's copy of the preflight; None where there is none that could be read."""
    preflight = manifest.get("apply_preflight") if manifest is not None else None
    record = preflight.get("record") if type(preflight) is dict else None
    return record if type(record) is dict else None


def _sandboxed(record: dict[str, Any]) -> object:
    check = record.get("sandbox_check_self")
    return check.get("sandboxed") if type(check) is dict else None


def promotability(
    evidence: Evidence,
    gate: Gate = "v0.2",
    *,
    accepted_channels: tuple[str, ...] = (),
    accept_repaired: bool = False,
) -> dict[str, Any]:
    """The packet's verdict: the seed's, and beside it the one with the channels that the caller named."""
    reasons = reasons_against(evidence, gate, accept_repaired=accept_repaired)
    channel = None if evidence.manifest is None else evidence.manifest["channel"]
    record = preflight_record(evidence.manifest)
    channels = in_order(set(accepted_channels))
    remaining = [reason for reason in reasons if reason != "not_clean_channel" or channel not in channels]
    apply_ok = None if record is None else record.get("apply_ok")
    check = None if record is None else record.get("sandbox_check_self")
    verdict: dict[str, Any] = {
        "promotable_decision_stage": not reasons,
        "reasons": reasons,
        "gating_inputs": {
            "channel": channel,
            "apply_preflight_present": record is not None,
            "apply_ok": apply_ok if type(apply_ok) is bool else None,
            "sandbox_check_self": check if type(check) is dict else None,
            "artifact_index_sha256": evidence.index_sha256,
            "repaired": evidence.repaired,
            "accepted_channels": channels,
        },
        "accepted": {"channels": channels, "promotable": not remaining, "reasons": remaining},
    }
    if gate != "v0.2":
        verdict["gate"] = gate
    return verdict


def packet(prefix: str, evidence: Evidence, verdict: dict[str, Any]) -> dict[str, Any]:
    """The promotion packet of the run that stands at `prefix`, relative to the repository."""
    pointers = {name: f"{prefix}/{file}" for name, file in POINTERS.items()}
    pointers |= {name: f"{prefix}/{file}" for name, file in MORE_POINTERS.items() if file in evidence.present}
    return {"schema_version": SCHEMA_VERSION, **pointers, "promotability": verdict}

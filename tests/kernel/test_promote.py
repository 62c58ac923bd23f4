"""Whether evidence may be promoted: each reason, and that nothing is promotable by accident (contracts 4.5)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.order import in_order
from affidavit.contracts.apply_preflight import EXAMPLE as PREFLIGHT
from affidavit.contracts.promotion_packet import OUR_REASONS, SEED_REASONS, verify_promotion_packet
from affidavit.kernel.promote import DECISION_STAGE, Evidence, packet, promotability, reasons_against

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def evidence(**changes: Any) -> Evidence:
    """What a run that may be promoted left behind, but for `changes`."""
    manifest = {
        "channel": "launchd_clean",
        "dry_run": False,
        "apply_preflight": {"path": "out/r/apply_preflight.json", "record": copy.deepcopy(PREFLIGHT)},
    }
    told: dict[str, Any] = {
        "manifest": manifest,
        "status": {"state": "complete"},
        "preflight": copy.deepcopy(PREFLIGHT),
        "index": {"status": "ok", "missing": []},
        "index_sha256": DIGEST,
        "present": frozenset(DECISION_STAGE),
        "repaired": False,
        "channel_proven": True,
    }
    return Evidence(**{**told, **changes})


def with_manifest(**changes: Any) -> Evidence:
    whole = evidence()
    assert whole.manifest is not None
    whole.manifest.update(changes)
    return whole


def with_record(**changes: Any) -> Evidence:
    whole = evidence()
    assert whole.manifest is not None
    whole.manifest["apply_preflight"]["record"].update(changes)
    whole.preflight = whole.manifest["apply_preflight"]["record"]
    return whole


def test_a_run_that_nothing_speaks_against_is_promotable() -> None:
    assert reasons_against(evidence()) == []
    assert promotability(evidence())["promotable_decision_stage"] is True


#: Each reason alone, or with those that it brings along.
CASES = {
    "manifest_missing": (
        evidence(manifest=None),
        ["apply_preflight_missing", "channel_unproven", "manifest_missing", "not_clean_channel", "self_check_unknown"],
    ),
    "run_status_missing": (evidence(status=None), ["run_status_missing"]),
    "bundle_in_progress": (
        evidence(status={"state": "in_progress"}, index=None, index_sha256=None),
        ["bundle_in_progress", "bundle_integrity_unverified"],
    ),
    "not_clean_channel": (with_manifest(channel="direct"), ["not_clean_channel"]),
    "apply_preflight_missing": (
        with_manifest(apply_preflight=None),
        ["apply_preflight_missing", "self_check_unknown"],
    ),
    "already_sandboxed": (with_record(sandbox_check_self={"sandboxed": True}), ["already_sandboxed"]),
    "apply_failed": (with_record(apply_ok=False), ["apply_failed"]),
    "bundle_integrity_unverified": (evidence(index=None), ["bundle_integrity_unverified"]),
    "bundle_failed": (evidence(index={"status": "failed", "missing": []}), ["bundle_failed"]),
    "bundle_incomplete": (evidence(index={"status": "partial", "missing": ["x"]}), ["bundle_incomplete"]),
    "decision_stage_artifacts_missing": (
        evidence(present=frozenset(DECISION_STAGE[:2])),
        ["decision_stage_artifacts_missing"],
    ),
    "self_check_unknown": (with_record(sandbox_check_self={"error": "no /proc"}), ["self_check_unknown"]),
    "dry_run": (with_manifest(dry_run=True), ["dry_run"]),
    "preflight_mismatch": (evidence(preflight={**PREFLIGHT, "exit_code": 1}), ["preflight_mismatch"]),
    "channel_unproven": (evidence(channel_proven=False), ["channel_unproven"]),
    "bundle_repaired": (evidence(repaired=True), ["bundle_repaired"]),
}


def test_every_reason_has_a_case() -> None:
    assert set(CASES) == set(SEED_REASONS) | set(OUR_REASONS)


@pytest.mark.parametrize("reason", CASES)
def test_each_reason_speaks_against_promotion(reason: str) -> None:
    case, expected = CASES[reason]
    assert reason in expected
    assert reasons_against(case) == expected
    assert promotability(case)["promotable_decision_stage"] is False


@pytest.mark.parametrize("reason", CASES)
def test_the_compatible_gate_gives_the_seeds_reasons_alone(reason: str) -> None:
    case, expected = CASES[reason]
    assert reasons_against(case, "v0.2-compat") == [each for each in expected if each in SEED_REASONS]


@pytest.mark.parametrize("apply_ok", [None, 1, "true", {}, []])
def test_only_true_is_applied(apply_ok: object) -> None:
    assert "apply_failed" in reasons_against(with_record(apply_ok=apply_ok))


@pytest.mark.parametrize("check", [None, "x", {}, {"sandboxed": None}, {"sandboxed": 0}, {"sandboxed": "false"}])
def test_only_false_is_not_sandboxed(check: object) -> None:
    assert "self_check_unknown" in reasons_against(with_record(sandbox_check_self=check))


@pytest.mark.parametrize("dry", [None, 0, "", []])
def test_only_false_is_not_dry(dry: object) -> None:
    assert "dry_run" in reasons_against(with_manifest(dry_run=dry))


def test_a_channel_that_nobody_knows_is_neither_clean_nor_proven() -> None:
    whole = with_manifest(channel="cleanest")
    whole.channel_proven = False
    assert reasons_against(whole) == ["channel_unproven", "not_clean_channel"]


def test_an_accepted_channel_is_accepted_beside_the_seeds_verdict() -> None:
    whole = with_manifest(channel="systemd_clean")
    verdict = promotability(whole, accepted_channels=("systemd_clean",))
    assert verdict["promotable_decision_stage"] is False
    assert verdict["accepted"] == {"channels": ["systemd_clean"], "promotable": True, "reasons": []}
    assert promotability(whole)["accepted"]["promotable"] is False
    whole.channel_proven = False
    assert promotability(whole, accepted_channels=("systemd_clean",))["accepted"]["reasons"] == ["channel_unproven"]


def test_a_repaired_bundle_is_accepted_only_when_that_is_asked_for() -> None:
    assert reasons_against(evidence(repaired=True), accept_repaired=True) == []


@st.composite
def evidences(draw: st.DrawFn) -> Evidence:
    record = draw(
        st.none()
        | st.fixed_dictionaries(
            {"apply_ok": st.sampled_from([True, False, None])},
            optional={
                "sandbox_check_self": st.none() | st.fixed_dictionaries({}, optional={"sandboxed": st.booleans()})
            },
        )
    )
    manifest = draw(
        st.none()
        | st.fixed_dictionaries(
            {
                "channel": st.sampled_from(["direct", "launchd_clean", "systemd_clean"]),
                "dry_run": st.booleans(),
                "apply_preflight": st.just(None if record is None else {"path": "p", "record": record}),
            }
        )
    )
    return Evidence(
        manifest=manifest,
        status=draw(
            st.none() | st.sampled_from([{"state": "complete"}, {"state": "in_progress"}, {"state": "failed"}])
        ),
        preflight=draw(st.sampled_from([None, record])),
        index=(index := draw(st.none() | st.just({"status": "ok", "missing": []}))),
        index_sha256=None if index is None else DIGEST,
        present=frozenset(draw(st.sets(st.sampled_from([*DECISION_STAGE, "path_witnesses.json"])))),
        repaired=draw(st.booleans()),
        channel_proven=draw(st.booleans()),
    )


@given(
    whole=evidences(),
    gate=st.sampled_from(["v0.2", "v0.2-compat"]),
    channels=st.lists(st.sampled_from(["systemd_clean", "direct"])),
)
def test_every_packet_verifies_and_its_reasons_are_sorted(whole: Evidence, gate: Any, channels: list[str]) -> None:
    verdict = promotability(whole, gate, accepted_channels=tuple(channels))
    assert verdict["reasons"] == in_order(set(verdict["reasons"]))
    assert verify_promotion_packet(packet("out/r", whole, verdict), level="strict").findings == ()

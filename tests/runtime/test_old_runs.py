"""Runs of older writers of this family: they load, verify and get the seed's verdict under `v0.2-compat`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.contracts.promotion_packet import OUR_REASONS
from affidavit.runtime.promotion import emit_promotion_packet, verify_promotion
from affidavit.store.reader import load_bundle, open_bundle_unverified
from affidavit.store.refused import BundleRefused
from tests.support import old_runs
from tests.support.old_runs import PREFLIGHT, RUN_ID, documents, write

if TYPE_CHECKING:
    from pathlib import Path


def verdict(out: str, gate: Any = "v0.2-compat") -> Any:
    packet = emit_promotion_packet(out, os.path.join(out, "packet.json"), gate=gate)
    return packet["promotability"]


@pytest.mark.parametrize("schema", ["runtime-tools.artifact_index.v0.1", "hardened-runtime.artifact_index.v0.1"])
def test_an_old_run_loads_by_its_folder_and_by_itself(tmp_path: Path, schema: str) -> None:
    run = write(str(tmp_path / "out"), index_schema=schema)
    for path in (tmp_path / "out", run):
        bundle = load_bundle(path, level="compat")
        assert bundle.run_id == RUN_ID
        assert bundle.document("run_manifest.json") == documents()["run_manifest.json"]
    assert open_bundle_unverified(run).unindexed == ["notes.txt"]


def test_an_old_run_that_was_changed_does_not_load(tmp_path: Path) -> None:
    run = write(str(tmp_path / "out"))
    with open(os.path.join(run, "runtime_results.json"), "ab") as file:
        file.write(b" ")
    with pytest.raises(BundleRefused):
        load_bundle(run, level="compat")
    assert verdict(str(tmp_path / "out"))["reasons"] == ["bundle_integrity_unverified"]


def test_an_old_clean_run_is_promotable_by_the_seeds_rules_and_by_ours_not(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    write(out)
    told = verdict(out)
    assert (told["promotable_decision_stage"], told["reasons"]) == (True, [])
    assert told["gate"] == "v0.2-compat"
    path = os.path.join(out, "packet.json")
    assert verify_promotion(path, gate="v0.2-compat").ok
    # whoever judges by our rules is not bound by the gate that the packet was made under
    judged = verify_promotion(path)
    assert judged.findings == ()
    assert "channel_unproven" in judged.reasons
    assert set(verdict(out, "v0.2")["reasons"]) & set(OUR_REASONS)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({**PREFLIGHT, "sandbox_check_self": {"sandboxed": True}}, "already_sandboxed"),
        ({**PREFLIGHT, "apply_ok": False, "status": "error", "failure_stage": "apply"}, "apply_failed"),
    ],
)
def test_the_seeds_reasons_are_found_in_old_runs(tmp_path: Path, record: Any, reason: str) -> None:
    out = str(tmp_path / "out")
    manifest = documents()["run_manifest.json"]
    manifest["apply_preflight"] = {**manifest["apply_preflight"], "record": record}
    write(out, run_manifest=manifest, apply_preflight=record)
    assert verdict(out)["reasons"] == [reason]


def test_an_old_run_of_another_channel_is_not_clean(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    manifest = {**documents()["run_manifest.json"], "channel": "sandbox_exec"}
    write(out, run_manifest=manifest)
    assert verdict(out)["reasons"] == ["not_clean_channel"]


def test_an_old_self_check_that_says_nothing_passes_the_seeds_gate_alone(tmp_path: Path) -> None:
    """The seed asks that it is not true; we ask that it is false."""
    out = str(tmp_path / "out")
    record = {name: told for name, told in PREFLIGHT.items() if name != "sandbox_check_self"}
    record["sandbox_check_self"] = None
    manifest = documents()["run_manifest.json"]
    manifest["apply_preflight"] = {**manifest["apply_preflight"], "record": record}
    write(out, run_manifest=manifest, apply_preflight=record)
    assert verdict(out)["reasons"] == []
    assert "self_check_unknown" in verdict(out, "v0.2")["reasons"]


def old_packet(out: str) -> dict[str, Any]:
    """As an older writer made it: eight pointers, the verdict, and nothing of ours."""
    packet = emit_promotion_packet(out, os.path.join(out, "packet.json"), gate="v0.2-compat")
    told = packet["promotability"]
    inputs = {name: told["gating_inputs"][name] for name in OLD_INPUTS}
    verdict = {name: told[name] for name in ("promotable_decision_stage", "reasons")}
    return {**packet, "promotability": {**verdict, "gating_inputs": inputs}}


OLD_INPUTS = ("channel", "apply_preflight_present", "apply_ok", "sandbox_check_self")


def test_an_old_packet_is_judged_again_under_the_old_gate_alone(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    run = write(out)
    path = tmp_path / "out" / "packet.json"
    packet = old_packet(out)
    path.write_bytes(canonical(packet))
    assert verify_promotion(path, gate="v0.2-compat").ok
    assert verify_promotion(path).reasons == ("packet.unsound",)
    for wrong in ({"reasons": ["bundle_failed"]}, {"promotable_decision_stage": False}):
        path.write_bytes(canonical({**packet, "promotability": {**packet["promotability"], **wrong}}))
        assert not verify_promotion(path, gate="v0.2-compat").ok
    path.write_bytes(canonical(packet))
    os.unlink(os.path.join(run, "runtime_results.json"))
    judged = verify_promotion(path, gate="v0.2-compat")
    assert set(judged.reasons) == {"bundle_integrity_unverified", "decision_stage_artifacts_missing"}
    assert judged.findings


def test_the_fixture_is_what_it_says() -> None:
    assert not any("writer_boot_id" in str(document) for document in old_runs.documents().values())

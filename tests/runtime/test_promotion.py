"""Promotion of committed runs: every reason from a real directory, fail closed, bound to the index (contracts 4.5)."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.promotion_packet import OUR_REASONS, POINTERS, SEED_REASONS, verify_promotion_packet
from affidavit.contracts.repair_log import EXAMPLE as REPAIR_LOG
from affidavit.errors import AffidavitError, ReadFailed, UsageError, WriteFailed
from affidavit.runtime.promotion import NotPromotable, emit_promotion_packet, verify_promotion
from affidavit.store.locate import NoBundle
from affidavit.store.lock import acquire
from affidavit.store.out import LatestInvalid, OutFolder
from affidavit.store.refused import Locked
from affidavit.store.writer import begin
from tests.support.plan_runs import RUN_ID, TOLD, commit, planned, recorded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def out(tmp_path: Path) -> str:
    (tmp_path / ".git").mkdir()
    return str(tmp_path / "out")


def emitted(run: str, **options: Any) -> Any:
    packet = emit_promotion_packet(run, os.path.join(os.path.dirname(run), "packet.json"), **options)
    assert verify_promotion_packet(packet, level="strict").findings == ()
    return packet["promotability"]


def edited(name: str, edit: Callable[[Any], None]) -> Callable[[str, bytes], bytes]:
    def change(found: str, data: bytes) -> bytes:
        if found != name:
            return data
        value = read(data)
        edit(value)
        return canonical(value) + b"\n"

    return change


def without(*names: str) -> Callable[[str, bytes], bytes | None]:
    return lambda name, data: None if name in names else data


def in_both(**changes: Any) -> Any:
    """A preflight that says something else, in the manifest's copy as well."""
    return recorded(preflight={**TOLD, **changes})


def unfinished(out: str) -> str:
    writer = begin(out, RUN_ID, plan_id="p", plan_digest="0" * 64, world_id="w", channel="direct")
    writer.close()
    return writer.directory


def tampered(out: str) -> str:
    run = commit(out)
    with open(os.path.join(run, "summary.md"), "ab") as file:
        file.write(b"x")
    return run


def without_status(out: str) -> str:
    """As an older writer may have left it: no status, and an index that lists none."""
    run = commit(out)
    os.unlink(os.path.join(run, "run_status.json"))
    return reindexed(run)


def reindexed(run: str) -> str:
    """The index of what stands there now, with everything else as it was."""
    path = os.path.join(run, "artifact_index.json")
    with open(path, "rb") as file:
        index: Any = read(file.read())
    from affidavit.canon.profiles import RAW

    entries = []
    for entry in index["artifacts"]:
        place = os.path.join(run, os.path.basename(entry["path"]))
        if os.path.exists(place):
            with open(place, "rb") as file:
                data = file.read()
            entries.append({**entry, "file_size": len(data), "sha256": RAW.digest(data).hex})
    with open(path, "wb") as file:
        file.write(canonical({**index, "artifacts": entries}) + b"\n")
    return run


FAILED = {"status": "error", "apply_ok": False, "failure_stage": "apply"}

#: A real directory for each reason.
CASES: dict[str, Callable[[str], str]] = {
    "manifest_missing": lambda out: commit(out, change=without("run_manifest.json")),
    "run_status_missing": without_status,
    "bundle_in_progress": unfinished,
    "not_clean_channel": lambda out: commit(out, channel="direct"),
    "apply_preflight_missing": lambda out: commit(out, seen=recorded(preflight=None)),
    "already_sandboxed": lambda out: commit(out, seen=in_both(sandbox_check_self={"sandboxed": True})),
    "apply_failed": lambda out: commit(out, seen=in_both(**FAILED)),
    "bundle_integrity_unverified": tampered,
    "bundle_failed": lambda out: commit(out, fail="something broke"),
    "bundle_incomplete": lambda out: commit(out, change=without("oracle_results.json")),
    "decision_stage_artifacts_missing": lambda out: commit(out, change=without("runtime_results.json")),
    "self_check_unknown": lambda out: commit(out, seen=in_both(sandbox_check_self={"error": "no /proc"})),
    "dry_run": lambda out: commit(out, dry_run=True),
    "preflight_mismatch": lambda out: commit(
        out, change=edited("apply_preflight.json", lambda value: value.update(exit_code=7))
    ),
    "channel_unproven": lambda out: commit(out, proof=False),
    "bundle_repaired": lambda out: commit(out, more={"repair_log.json": canonical(REPAIR_LOG) + b"\n"}),
}


def test_every_reason_has_a_directory() -> None:
    assert set(CASES) == {*SEED_REASONS, *OUR_REASONS}


@pytest.mark.parametrize("reason", CASES)
def test_each_reason_from_a_directory(out: str, reason: str) -> None:
    run = CASES[reason](out)
    verdict = emitted(run)
    assert reason in verdict["reasons"]
    assert verdict["promotable_decision_stage"] is False
    compatible = emitted(run, gate="v0.2-compat")
    assert set(compatible["reasons"]) == set(verdict["reasons"]) & set(SEED_REASONS)
    with pytest.raises(NotPromotable) as refused:
        emit_promotion_packet(run, os.path.join(out, "required.json"), True)
    assert reason in refused.value.reasons
    assert not os.path.exists(os.path.join(out, "required.json"))


def test_a_run_that_nothing_speaks_against_is_promotable(out: str) -> None:
    run = commit(out)
    assert emitted(run)["promotable_decision_stage"] is True
    packet = emit_promotion_packet(out, os.path.join(out, "packet.json"), require_promotable=True)
    assert {packet[name] for name in POINTERS} == {f"out/{RUN_ID}/{file}" for file in POINTERS.values()}
    assert packet["path_witnesses"] == f"out/{RUN_ID}/path_witnesses.json"
    judged = verify_promotion(os.path.join(out, "packet.json"))
    assert judged.ok, (judged.findings, judged.reasons)


def test_each_old_packet_of_the_same_name_is_replaced_whole(out: str) -> None:
    run = commit(out)
    emitted(run)
    emitted(run)
    assert sorted(os.listdir(out)) == [".runtime.lock", "LATEST", "packet.json", RUN_ID]


def test_an_accepted_channel_counts_only_where_it_is_named(out: str) -> None:
    run = commit(out, channel="systemd_clean")
    path = os.path.join(out, "packet.json")
    verdict = emitted(run, accept_channels=("systemd_clean",))
    assert verdict["reasons"] == ["not_clean_channel"]
    assert verdict["accepted"] == {"channels": ["systemd_clean"], "promotable": True, "reasons": []}
    with pytest.raises(NotPromotable):
        emit_promotion_packet(run, path, True)
    assert emit_promotion_packet(run, path, True, accept_channels=("systemd_clean",))
    # and whoever judges it again accepts for himself, not because the packet says so
    assert not verify_promotion(path).ok
    assert verify_promotion(path, accept_channels=("systemd_clean",)).ok
    assert not verify_promotion(path, accept_channels=("direct",)).ok


def test_a_repaired_run_counts_only_where_that_is_asked_for(out: str) -> None:
    run = commit(out, more={"repair_log.json": canonical(REPAIR_LOG) + b"\n"})
    path = os.path.join(out, "packet.json")
    assert emitted(run, accept_repaired=True)["promotable_decision_stage"] is True
    assert verify_promotion(path, accept_repaired=True).ok
    judged = verify_promotion(path)
    assert judged.findings == ()
    assert judged.reasons == ("bundle_repaired",)


def test_what_is_not_the_run_that_was_judged_is_found(out: str) -> None:
    """The packet is bound to the index: another that says all the same is another."""
    run = commit(out)
    path = os.path.join(out, "packet.json")
    emitted(run)
    shutil.rmtree(run)
    os.unlink(os.path.join(out, "LATEST"))
    commit(out, seen=recorded(preflight={**TOLD, "exit_code": None}))
    judged = verify_promotion(path)
    assert [found.path for found in judged.findings] == ["/promotability/gating_inputs"]


def test_a_packet_is_judged_from_the_bundle_that_is_named(out: str, tmp_path: Path) -> None:
    run = commit(out)
    emitted(run)
    moved = tmp_path / "elsewhere"
    shutil.copytree(run, moved / RUN_ID)
    shutil.move(os.path.join(out, "packet.json"), moved / "packet.json")
    shutil.rmtree(out)
    assert verify_promotion(moved / "packet.json", bundle=moved / RUN_ID).ok
    with pytest.raises(ReadFailed):
        verify_promotion(moved / "packet.json")


def test_judging_again_writes_nothing(out: str) -> None:
    run = commit(out)
    emitted(run)

    def state() -> list[tuple[str, int]]:
        folders = [(folder, names) for folder, _, names in os.walk(os.path.dirname(out))]
        paths = [folder for folder, _ in folders] + [
            os.path.join(folder, name) for folder, names in folders for name in names
        ]
        return sorted((path, os.stat(path).st_mtime_ns) for path in paths)

    before = state()
    assert verify_promotion(os.path.join(out, "packet.json")).ok
    assert state() == before


def test_a_packet_without_a_repo_points_from_the_folder_above(tmp_path: Path) -> None:
    out = str(tmp_path / "place" / "out")
    run = commit(out)
    packet = emit_promotion_packet(run, os.path.join(out, "packet.json"))
    assert packet["run_manifest"] == f"out/{RUN_ID}/run_manifest.json"
    assert verify_promotion(os.path.join(out, "packet.json")).ok


@pytest.mark.parametrize("below", ["", "outputs"])
def test_a_packet_is_never_written_into_the_run_it_judges(out: str, below: str) -> None:
    run = commit(out, more={"outputs/a.txt": b"a"})
    with pytest.raises(UsageError, match="outside the run"):
        emit_promotion_packet(out, os.path.join(run, below, "packet.json"))
    assert emitted(run)["promotable_decision_stage"] is True


def test_a_folder_that_is_being_written_to_is_waited_for(out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run = commit(out)
    folder = os.open(out, os.O_RDONLY)
    monkeypatch.setattr(OutFolder.__init__, "__defaults__", ("wait", 0.05))
    with acquire(folder, out, "fail", 0):
        for path in (run, out):
            with pytest.raises(Locked):
                emit_promotion_packet(path, os.path.join(out, "packet.json"))
    os.close(folder)
    assert emitted(run)["promotable_decision_stage"] is True


def test_where_no_packet_can_be_written_nothing_is_judged(out: str) -> None:
    commit(out)
    with pytest.raises(AffidavitError):
        emit_promotion_packet(out, os.path.join(out, "absent", "packet.json"))
    os.mkdir(os.path.join(out, "packet.json"))
    with pytest.raises(WriteFailed):
        emit_promotion_packet(out, os.path.join(out, "packet.json"))


def test_a_packet_takes_the_place_of_a_link_and_not_of_what_it_leads_to(out: str, tmp_path: Path) -> None:
    commit(out)
    precious = tmp_path / "precious.txt"
    precious.write_text("x")
    os.symlink(precious, os.path.join(out, "packet.json"))
    emit_promotion_packet(out, os.path.join(out, "packet.json"))
    assert precious.read_text() == "x"
    assert not os.path.islink(os.path.join(out, "packet.json"))


def test_a_path_that_holds_no_run_is_an_error_either_way(tmp_path: Path) -> None:
    packet = tmp_path / "packet.json"
    with pytest.raises(ReadFailed):
        emit_promotion_packet(tmp_path / "absent", packet)
    with pytest.raises(NoBundle):
        emit_promotion_packet(tmp_path, packet)
    (tmp_path / "LATEST").write_text("../elsewhere\n")
    with pytest.raises(LatestInvalid):
        emit_promotion_packet(tmp_path, packet)
    assert not packet.exists()


def test_a_packet_that_is_none_is_no_promotion(tmp_path: Path) -> None:
    path = tmp_path / "packet.json"
    path.write_text("{}")
    judged = verify_promotion(path)
    assert not judged.ok
    assert judged.findings


def test_status_and_manifest_must_name_one_channel(out: str) -> None:
    run = commit(out, change=edited("run_manifest.json", lambda value: value.update(channel="systemd_clean")))
    assert "channel_unproven" in emitted(run)["reasons"]


def test_the_proof_of_another_run_proves_nothing(out: str) -> None:
    from tests.support.plan_runs import proof_of

    run = commit(out, proof=proof_of("launchd_clean", "pr_other"))
    assert emitted(run)["reasons"] == ["channel_unproven"]


def test_a_plan_without_preflight_profile_is_not_promotable(out: str) -> None:
    plan = planned(apply_preflight_profile=None)
    run = commit(out, plan=plan, seen=recorded(preflight=None))
    assert emitted(run)["reasons"] == ["apply_preflight_missing", "self_check_unknown"]

"""Holding a run against its index, and making the index anew (seed 003, section 4; contracts 4.7)."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.contracts.repair_log import verify_repair_log
from affidavit.store.reader import load_bundle
from affidavit.store.reindex import NotRepairable, reindex_bundle
from tests.support.runs import begin_run, commit_run, crashed_run, uncommitted_run

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "out/run-1/"


def _log(run: Path) -> Any:
    return json.loads((run / "repair_log.json").read_bytes())


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return commit_run(tmp_path / "out", "run-1", {"a": b"1", "b": b"2", "deep/c": b"3"})


def test_strict_tells_and_changes_nothing(run: Path) -> None:
    assert reindex_bundle(run).ok
    (run / "a").write_bytes(b"0")
    before = sorted((path, path.read_bytes()) for path in run.rglob("*") if path.is_file())
    assert [(found.rule_id, found.path) for found in reindex_bundle(run).findings] == [("RD3", "a")]
    assert sorted((path, path.read_bytes()) for path in run.rglob("*") if path.is_file()) == before


def test_repair_makes_the_index_fit_and_tells_what_it_changed(run: Path) -> None:
    (run / "a").write_bytes(b"0")
    os.unlink(run / "b")
    (run / "d").write_bytes(b"4")
    report = reindex_bundle(run, repair=True)
    assert report.ok
    assert report.facts["repaired"] == ["a", "b", "d"]
    assert any("that a repair found" in left.reason for left in report.not_checked)
    bundle = load_bundle(run.parent)
    assert bundle.repaired
    assert bundle.missing == [PREFIX + "b"]
    assert bundle.index["status"] == "partial"
    assert set(bundle.entries) == {"a", "d", "deep/c", "repair_log.json", "run_status.json"}
    log = _log(run)
    assert verify_repair_log(log, level="strict").ok
    assert log["bundle_dir"] == "out/run-1"
    assert log["before"] == {"missing": [], "digest_mismatches": [PREFIX + "a", PREFIX + "b"]}
    assert log["after"] == {"missing": [PREFIX + "b"], "digest_mismatches": []}
    assert [(item["path"], item["old"], item["new"]) for item in log["history"]] == [
        (PREFIX + "a", _sha(b"1"), _sha(b"0")),
        (PREFIX + "b", _sha(b"2"), None),
        (PREFIX + "d", None, _sha(b"4")),
    ]


def test_a_sound_run_is_left_as_it_is(run: Path) -> None:
    report = reindex_bundle(run, repair=True)
    assert report.ok
    assert report.facts["repaired"] == []
    assert not (run / "repair_log.json").exists()
    assert not load_bundle(run).repaired


def test_the_history_only_grows(run: Path) -> None:
    (run / "a").write_bytes(b"0")
    reindex_bundle(run, repair=True)
    first = _log(run)["history"]
    (run / "a").write_bytes(b"9")
    reindex_bundle(run, repair=True)
    second = _log(run)["history"]
    assert second[: len(first)] == first
    assert [(item["old"], item["new"]) for item in second] == [(_sha(b"1"), _sha(b"0")), (_sha(b"0"), _sha(b"9"))]
    assert load_bundle(run, level="spec").repaired


def test_a_log_that_was_changed_or_lost_is_told(run: Path) -> None:
    (run / "a").write_bytes(b"0")
    reindex_bundle(run, repair=True)
    told = _sha((run / "repair_log.json").read_bytes())
    (run / "repair_log.json").write_bytes(b"{")
    reindex_bundle(run, repair=True)
    assert [(item["path"], item["old"], item["new"]) for item in _log(run)["history"]] == [
        (PREFIX + "repair_log.json", told, None)
    ]
    assert load_bundle(run).repaired


def test_what_is_missing_stays_missing_until_it_is_there(run: Path) -> None:
    os.unlink(run / "b")
    reindex_bundle(run, repair=True)
    (run / "a").write_bytes(b"0")
    reindex_bundle(run, repair=True)
    assert load_bundle(run).missing == [PREFIX + "b"]
    (run / "b").write_bytes(b"2")
    assert reindex_bundle(run, repair=True).facts["repaired"] == ["b"]
    bundle = load_bundle(run)
    assert (bundle.missing, bundle.index["status"]) == ([], "ok")


def test_a_failed_run_stays_failed(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put("a", b"1")
        writer.fail("no")
    (tmp_path / "run-1" / "a").write_bytes(b"0")
    assert reindex_bundle(tmp_path, repair=True).ok
    assert load_bundle(tmp_path).index["status"] == "failed"


def test_repair_does_not_move_latest(tmp_path: Path) -> None:
    first = commit_run(tmp_path, "run-1")
    commit_run(tmp_path, "run-2")
    (first / "stdout").write_bytes(b"0")
    reindex_bundle(first, repair=True)
    assert (tmp_path / "LATEST").read_bytes() == b"run-2\n"


def test_what_has_not_ended_or_was_not_committed_is_not_repaired(tmp_path: Path) -> None:
    for run in (crashed_run(tmp_path, "run-1"), uncommitted_run(tmp_path, "run-2")):
        with pytest.raises(NotRepairable):
            reindex_bundle(run, repair=True)
        assert not (run / "repair_log.json").exists()


def test_an_index_that_tells_nothing_is_not_repaired(run: Path) -> None:
    (run / "artifact_index.json").write_bytes(b"{")
    with pytest.raises(NotRepairable, match="not sound"):
        reindex_bundle(run, repair=True)


def test_what_no_repair_mends_is_still_told(run: Path) -> None:
    os.unlink(run / "a")
    os.mkfifo(run / "a")
    report = reindex_bundle(run, repair=True)
    assert {(found.rule_id, found.path) for found in report.findings} == {("RD4", "a"), ("RD8", "a")}


def test_a_repair_that_was_cut_off_is_not_told_twice(run: Path) -> None:
    """The log was written, the index was not: the next repair finds the same and says it once."""
    index = (run / "artifact_index.json").read_bytes()
    (run / "a").write_bytes(b"0")
    reindex_bundle(run, repair=True)
    (run / "artifact_index.json").write_bytes(index)
    (run / ".repair_log.json.new").write_bytes(b"half")
    reindex_bundle(run, repair=True)
    assert [item["path"] for item in _log(run)["history"]] == [PREFIX + "a"]
    assert load_bundle(run).repaired

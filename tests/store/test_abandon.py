"""Closing runs whose writers are gone (contracts 4.6)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from affidavit.store.abandon import NoStatus, NotAbandoned, abandon, abandon_all
from affidavit.store.locate import NoBundle
from affidavit.store.reader import load_bundle
from affidavit.store.refused import Alive
from tests.support.runs import begin_run, commit_run, crashed_run, uncommitted_run

if TYPE_CHECKING:
    from pathlib import Path


def test_a_crashed_run_is_closed_as_failed_and_loads(tmp_path: Path) -> None:
    commit_run(tmp_path, "run-1")
    run = crashed_run(tmp_path, "run-2", {"stdout": b"some", "run.json": b'{"torn":'})
    abandon(str(run))
    bundle = load_bundle(run)
    assert bundle.status is not None
    assert bundle.status["state"] == "failed"
    assert bundle.status["error"] == "abandoned: its writer ended before the run did"
    assert bundle.index["status"] == "failed"
    assert bundle.read("stdout") == b"some"
    assert load_bundle(tmp_path).run_id == "run-1", "LATEST was moved"
    assert not (tmp_path / "ledger.jsonl").exists()


def test_what_should_have_come_is_told_as_missing(tmp_path: Path) -> None:
    run = crashed_run(tmp_path / "out", "run-1")
    abandon(str(run))
    missing = load_bundle(run, level="strict").missing
    assert missing == [f"out/run-1/{name}.json" for name in ("intent", "policy", "run")]


def test_a_run_that_ended_without_an_index_is_closed(tmp_path: Path) -> None:
    run = uncommitted_run(tmp_path, "run-1")
    abandon(str(run))
    bundle = load_bundle(run)
    assert bundle.status is not None
    assert bundle.status["error"] == "abandoned: its writer ended before the run was committed"


def test_a_run_whose_writer_is_there_is_refused(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        with pytest.raises(Alive, match=f"process {os.getpid()}"):
            abandon(writer.directory)
        writer.commit()


def test_a_run_whose_directory_is_held_is_refused(tmp_path: Path) -> None:
    """Whatever its status says: who fills a directory holds it."""
    with begin_run(tmp_path, "run-1") as writer:
        path = tmp_path / "run-1" / "run_status.json"
        kept = path.read_bytes()
        status = json.loads(kept)
        path.write_text(json.dumps({**status, "writer_pid": 2**31 - 1, "writer_boot_id": "another"}))
        with pytest.raises(Alive, match="holds the directory"):
            abandon(writer.directory)
        path.write_bytes(kept)
        writer.commit()


def test_a_pid_that_somebody_else_has_now_is_no_writer(tmp_path: Path) -> None:
    run = crashed_run(tmp_path, "run-1")
    path = run / "run_status.json"
    status = json.loads(path.read_bytes())
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        here = file.read().strip()
    path.write_text(json.dumps({**status, "writer_pid": os.getpid(), "writer_start_ticks": 1, "writer_boot_id": here}))
    abandon(str(run))
    assert load_bundle(run).index["status"] == "failed"


def test_a_committed_run_is_not_abandoned(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1")
    before = (run / "artifact_index.json").read_bytes()
    with pytest.raises(NotAbandoned):
        abandon(str(run))
    assert (run / "artifact_index.json").read_bytes() == before


def test_a_run_without_a_status_that_can_be_read_is_refused(tmp_path: Path) -> None:
    run = crashed_run(tmp_path, "run-1")
    (run / "run_status.json").write_bytes(b"")
    with pytest.raises(NoStatus, match="affidavit rm"):
        abandon(str(run))


def test_what_is_no_run_is_refused_and_no_lock_is_left_there(tmp_path: Path) -> None:
    (tmp_path / "out" / "bare").mkdir(parents=True)
    with pytest.raises(NoBundle):
        abandon(str(tmp_path / "out" / "bare"))
    assert os.listdir(tmp_path / "out") == ["bare"]


def test_what_a_crash_left_of_the_stores_own_documents_is_cleared(tmp_path: Path) -> None:
    run = crashed_run(tmp_path, "run-1")
    (run / ".artifact_index.json.new").write_bytes(b"half")
    (run / ".run_status.json.new").write_bytes(b"half")
    abandon(str(run))
    assert set(load_bundle(run).entries) == {"run_status.json", "stdout"}


def test_all_crashed_runs_of_an_out_folder_are_closed(tmp_path: Path) -> None:
    commit_run(tmp_path, "run-1")
    crashed_run(tmp_path, "run-2")
    uncommitted_run(tmp_path, "run-3")
    with begin_run(tmp_path, "run-4") as writer:
        told = abandon_all(str(tmp_path))
        writer.commit()
    assert [(name, bool(why)) for name, why in told] == [("run-2", False), ("run-3", False), ("run-4", True)]
    assert all(load_bundle(tmp_path / name).index["status"] == "failed" for name in ("run-2", "run-3"))

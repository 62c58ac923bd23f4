"""Removing runs, and looking at what is there (issue of the store: ls, rm, gc)."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from affidavit.canon.jcs import canonical
from affidavit.store.listing import OutListing
from affidavit.store.refused import Alive, RunExists
from affidavit.store.remove import collect, remove
from affidavit.store.verify import verify_out_folder
from tests.support.runs import ENTRY, begin_run, commit_run, crashed_run, result_of, rewrite, uncommitted_run

if TYPE_CHECKING:
    from pathlib import Path


def _at(out: Path, run_id: str, when: int) -> Path:
    """A committed run that ended at that second."""
    run = commit_run(out, run_id, ledger=True)
    status = json.loads((run / "run_status.json").read_bytes())
    rewrite(run, "run_status.json", canonical({**status, "updated_at_unix": when}) + b"\n")
    return run


def test_a_removed_run_is_gone_and_its_line_stays(tmp_path: Path) -> None:
    run = _at(tmp_path, "run-1", 1)
    _at(tmp_path, "run-2", 2)
    ledger = (tmp_path / "ledger.jsonl").read_bytes()
    remove(str(run))
    assert not run.exists()
    assert (tmp_path / "ledger.jsonl").read_bytes() == ledger
    assert (tmp_path / "LATEST").read_bytes() == b"run-2\n"
    assert [name for name in os.listdir(tmp_path) if name.startswith(".removed")] == []
    assert OutListing(str(tmp_path)).removed == ["run-1"]
    with pytest.raises(RunExists):
        begin_run(tmp_path, "run-1")


def test_latest_names_the_newest_of_the_others(tmp_path: Path) -> None:
    _at(tmp_path, "run-1", 5)
    _at(tmp_path, "run-2", 9)
    _at(tmp_path, "run-3", 7)
    assert (tmp_path / "LATEST").read_bytes() == b"run-3\n"
    remove(str(tmp_path / "run-3"))
    assert (tmp_path / "LATEST").read_bytes() == b"run-2\n"
    remove(str(tmp_path / "run-2"))
    remove(str(tmp_path / "run-1"))
    assert not (tmp_path / "LATEST").exists()


def test_a_run_that_is_being_written_is_not_removed(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        with pytest.raises(Alive):
            remove(writer.directory)
        writer.commit()


@pytest.mark.parametrize("make", [crashed_run, uncommitted_run])
def test_an_unfinished_run_can_be_removed(tmp_path: Path, make: object) -> None:
    run: Path = make(tmp_path, "run-1")  # type: ignore[operator]
    remove(str(run))
    assert not run.exists()


def test_removing_follows_no_symlink(tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "file").write_bytes(b"")
    run = commit_run(tmp_path / "out", "run-1")
    (run / "link").symlink_to(tmp_path / "victim")
    remove(str(run))
    assert (tmp_path / "victim" / "file").exists()


def test_collecting_keeps_the_newest_the_latest_and_the_unfinished(tmp_path: Path) -> None:
    for number in range(1, 7):
        _at(tmp_path, f"run-{number}", number)
    crashed_run(tmp_path, "run-7")
    (tmp_path / "LATEST").write_bytes(b"run-1\n")
    tried = collect(str(tmp_path), 2, dry_run=True)
    assert [run.run_id for run in tried.removed] == ["run-4", "run-3", "run-2"]
    assert (tmp_path / "run-4").exists()
    with begin_run(tmp_path, "run-8") as writer:
        done = collect(str(tmp_path), 2)
        writer.commit(move_latest=False)
    assert [run.run_id for run in done.removed] == ["run-4", "run-3", "run-2"]
    assert (done.kept, sorted(done.unfinished)) == (["run-6", "run-5", "run-1"], ["run-7", "run-8"])
    assert sorted(run.run_id for run in OutListing(str(tmp_path)).runs) == ["run-1", "run-5", "run-6", "run-7", "run-8"]


def test_a_listing_tells_state_outcome_size_and_age(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put_json("run.json", result_of("run-1"))
        writer.put("deep/er/file", b"12345")
        writer.commit(ledger={**ENTRY, "run_id": "run-1"})
    crashed_run(tmp_path, "run-2")
    uncommitted_run(tmp_path, "run-3")
    with begin_run(tmp_path, "run-4") as writer:
        writer.fail("no")
    commit_run(tmp_path, "run-5", ledger=True)
    shutil.rmtree(tmp_path / "run-5")
    (tmp_path / "not-a-run").mkdir()
    (tmp_path / "run-6").symlink_to("run-1")
    with begin_run(tmp_path, "run-7") as writer:
        listing = OutListing(str(tmp_path))
        writer.commit()
    states = {run.run_id: (run.state, run.outcome) for run in listing.runs}
    assert states == {
        "run-1": ("complete", "accepted"),
        "run-2": ("crashed", None),
        "run-3": ("uncommitted", None),
        "run-4": ("failed", None),
        "run-7": ("in_progress", None),
    }
    first = next(run for run in listing.runs if run.run_id == "run-1")
    sizes = [path.stat().st_size for path in (tmp_path / "run-1").rglob("*") if path.is_file()]
    assert (first.files, first.size) == (len(sizes), sum(sizes))
    assert (listing.latest, listing.latest_is_invalid, listing.removed) == ("run-5", True, ["run-5"])


def test_verifying_a_folder_tells_of_each_run_of_the_ledger_and_of_latest(tmp_path: Path) -> None:
    result = result_of("run-1")
    with begin_run(tmp_path, "run-1") as writer:
        writer.put_json("run.json", result)
        writer.commit(ledger={**ENTRY, "run_id": "run-1"})
    with begin_run(tmp_path, "run-2") as writer:
        writer.put_json("run.json", result_of("run-2"))
        writer.commit()
    commit_run(tmp_path, "run-3", ledger=True)
    shutil.rmtree(tmp_path / "run-3")
    reports = dict(verify_out_folder(str(tmp_path), "spec", every=True))
    assert list(reports) == [str(tmp_path / name) for name in ("run-1", "run-2", "ledger.jsonl")] + [str(tmp_path)]
    folder = reports[str(tmp_path)]
    assert {(found.rule_id, found.path) for found in folder.findings} == {("OF1", "LATEST"), ("OF2", "run-2")}
    assert [left.reason for left in folder.not_checked] == ["run-3: the ledger lists it, its directory is gone"]
    assert reports[str(tmp_path / "run-1")].ok
    assert reports[str(tmp_path / "ledger.jsonl")].ok

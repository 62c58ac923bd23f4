"""Many writers on one out folder (seed 003, section 3; contracts 2.6, 4.6): whatever is killed, what was said to be
committed is, once, and nobody else's files are in it."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts.ledger import verify_ledger
from affidavit.store.abandon import abandon_all
from affidavit.store.out import OutFolder
from affidavit.store.reader import load_bundle
from tests.support.contracts import ROOT
from tests.support.runs import commit_run, result_run

if TYPE_CHECKING:
    from pathlib import Path

WRITERS = 64
RUNS = int(os.environ.get("CROWD_RUNS", "1"))
SEEDS = int(os.environ.get("CROWD_SEEDS", "2"))


class Crowd:
    """What a crowd noted, and what it left."""

    def __init__(self, path: Path, *, kills: int, seed: int, writers: int = WRITERS, runs: int = RUNS) -> None:
        self.out = str(path / "out")
        log = str(path / "log")
        told = subprocess.run(
            [sys.executable, "-m", "tests.concurrency.crowd", self.out, log]
            + [str(number) for number in (writers, runs, kills, seed)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
            timeout=580,
            check=True,
        ).stdout
        self.killed = set(told.split())
        with open(log, encoding="utf-8") as file:
            lines = [line.split(" ", 1) for line in file.read().splitlines()]
        self.errors = [rest for word, rest in lines if word == "error"]
        self.begun = {rest for word, rest in lines if word == "begun"}
        self.committed = {rest for word, rest in lines if word == "committed"}
        self.held = sorted((int(rest.split()[0]), int(rest.split()[1])) for word, rest in lines if word == "held")
        self.there = {name for name in os.listdir(self.out) if name.startswith("run-")}

    def was_killed(self, run_id: str) -> bool:
        return run_id.split("-")[1] in self.killed

    def has_index(self, run_id: str) -> bool:
        return os.path.exists(os.path.join(self.out, run_id, "artifact_index.json"))


@pytest.mark.parametrize(("kills", "seed"), [(0, 0), *((24, seed) for seed in range(1, SEEDS))])
def test_runs_committed_are_the_runs_reported(tmp_path: Path, kills: int, seed: int) -> None:
    crowd = Crowd(tmp_path, kills=kills, seed=seed)
    assert crowd.errors == []
    on_disk = {name for name in crowd.there if crowd.has_index(name)}
    assert crowd.committed <= on_disk, "a run that was reported is not there"
    assert all(crowd.was_killed(name) for name in on_disk - crowd.committed), "committed, and not reported"
    assert all(crowd.was_killed(name) for name in crowd.there - on_disk), "left unfinished by a living writer"
    if not kills:
        assert len(crowd.committed) == WRITERS * RUNS

    # LATEST, as it was left
    assert load_bundle(crowd.out).run_id in on_disk

    # each index lists exactly its own files
    for name in on_disk:
        bundle = load_bundle(os.path.join(crowd.out, name))
        assert set(bundle.entries) == {"run.json", "run_status.json", *(f"outputs/{number}" for number in range(4))}
        assert all(bundle.read(f"outputs/{number}").startswith(f"{name} {number}\n".encode()) for number in range(4))

    # nobody ever had the lock while somebody else had it
    assert len(crowd.held) >= 2 * len(crowd.committed)
    assert all(this[1] <= following[0] for this, following in zip(crowd.held, crowd.held[1:], strict=False))

    # whoever comes next completes what the killed left undone: the ledger has each committed run once
    with OutFolder(crowd.out) as folder:
        folder.tidy()
    with open(os.path.join(crowd.out, "ledger.jsonl"), "rb") as file:
        data = file.read()
    assert verify_ledger(data, level="strict").ok
    listed = [line.split(b'"run_id":"')[1].split(b'"')[0].decode() for line in data.splitlines()]
    assert sorted(listed) == sorted(on_disk)

    # and what was cut off can be closed
    closed = abandon_all(crowd.out)
    assert {name for name, _ in closed} == crowd.there - on_disk
    assert all(why == "" for _, why in closed)
    assert all(load_bundle(os.path.join(crowd.out, name)).index["status"] == "failed" for name, _ in closed)
    assert [name for name in os.listdir(crowd.out) if name.startswith(".") and name != ".runtime.lock"] == []


def test_the_lock_file_is_one_file_for_ever(tmp_path: Path) -> None:
    """Unlinking it would let two hold it: who opened the old file, and who makes a new one."""
    from affidavit.store.reindex import reindex_bundle
    from affidavit.store.remove import collect, remove

    first = commit_run(tmp_path, "run-1")
    inode = os.stat(tmp_path / ".runtime.lock").st_ino
    result_run(tmp_path, "run-2")
    (first / "stdout").write_bytes(b"")
    reindex_bundle(first, repair=True)
    abandon_all(str(tmp_path))
    remove(str(first))
    collect(str(tmp_path), 0)
    assert os.stat(tmp_path / ".runtime.lock").st_ino == inode

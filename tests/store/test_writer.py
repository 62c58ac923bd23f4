"""Writing a run: begun, filled, committed or failed (seed 003, section 1; contracts 4.2, 2.6)."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.contracts.artifact_index import verify_artifact_index
from affidavit.contracts.ledger import verify_ledger
from affidavit.contracts.run_status import verify_run_status
from affidavit.errors import UsageError, WriteFailed
from affidavit.store.lock import NAME as LOCK
from affidavit.store.refused import Locked, RunExists, Unfit
from tests.support.runs import ENTRY, begin_run, commit_run

if TYPE_CHECKING:
    from pathlib import Path


def _json(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_a_committed_run_is_indexed_listed_and_named_by_latest(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with begin_run(out, "run-1") as writer:
        writer.put_json("run.json", {"b": 1, "a": 2})
        writer.put("stdout", b"hello\n")
        writer.put_stream("outputs/deep/page", (b"x" * 1000 for _ in range(3)))
        writer.commit(expected=("run.json",), ledger={**ENTRY, "run_id": "run-1"})
    assert (out / "run-1" / "run.json").read_bytes() == b'{"a":2,"b":1}\n'
    assert (out / "LATEST").read_bytes() == b"run-1\n"
    index = _json(out / "run-1" / "artifact_index.json")
    assert verify_artifact_index(index, level="strict").ok
    assert index["status"] == "ok"
    assert [entry["path"] for entry in index["artifacts"]] == [
        f"out/run-1/{name}" for name in ("outputs/deep/page", "run.json", "run_status.json", "stdout")
    ]
    for entry in index["artifacts"]:
        data = (tmp_path / entry["path"]).read_bytes()
        assert (entry["file_size"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    status = _json(out / "run-1" / "run_status.json")
    assert verify_run_status(status, level="strict").ok
    assert status["state"] == "complete"
    assert verify_ledger((out / "ledger.jsonl").read_bytes().splitlines(keepends=True), level="strict").ok


def test_the_index_is_written_as_canonical_bytes(tmp_path: Path) -> None:
    commit_run(tmp_path, "run-1")
    data = (tmp_path / "run-1" / "artifact_index.json").read_bytes()
    assert data == canonical(json.loads(data)) + b"\n"


def test_a_run_is_visibly_unfinished_until_it_is_committed(tmp_path: Path) -> None:
    writer = begin_run(tmp_path, "run-1")
    try:
        status = _json(tmp_path / "run-1" / "run_status.json")
        assert (status["state"], status["writer_pid"]) == ("in_progress", os.getpid())
        writer.put("stdout", b"")
        assert not (tmp_path / "run-1" / "artifact_index.json").exists()
        assert not (tmp_path / "LATEST").exists()
    finally:
        writer.close()


def test_the_lock_is_not_held_while_a_run_is_being_filled(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as first:
        with begin_run(tmp_path, "run-2", lock="fail") as second:
            second.commit()
        first.commit()
    assert (tmp_path / "LATEST").read_bytes() == b"run-1\n"


def test_the_lock_fails_at_once_or_after_its_time(tmp_path: Path) -> None:
    commit_run(tmp_path, "run-1")
    with open(tmp_path / LOCK, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(Locked, match=f"process {os.getpid()}"):
            begin_run(tmp_path, "run-2", lock="fail")
        with pytest.raises(Locked) as caught:
            begin_run(tmp_path, "run-2", lock="wait", lock_timeout=0.05)
    assert caught.value.code == "lock.held"
    assert not (tmp_path / "run-2").exists()


def test_a_lock_file_that_was_removed_is_not_locked_twice(tmp_path: Path) -> None:
    """Who holds a file that is gone holds nothing: the next holder locks the file that stands there."""
    commit_run(tmp_path, "run-1")
    with open(tmp_path / LOCK, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        os.unlink(tmp_path / LOCK)
        commit_run(tmp_path, "run-2", lock="fail")
        assert os.stat(tmp_path / LOCK).st_ino != os.fstat(held.fileno()).st_ino


def test_the_lock_file_stays_and_names_its_last_holder(tmp_path: Path) -> None:
    commit_run(tmp_path, "run-1")
    line = json.loads((tmp_path / LOCK).read_bytes())
    assert line["pid"] == os.getpid()
    assert line["doing"] is None
    assert set(line) == {"boot_id", "doing", "pid", "start_ticks"}


@pytest.mark.parametrize("kind", ["symlink", "FIFO"])
def test_a_lock_file_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    if kind == "symlink":
        (tmp_path / LOCK).symlink_to(tmp_path / "elsewhere")
        with pytest.raises(WriteFailed):
            begin_run(tmp_path, "run-1")
        assert not (tmp_path / "elsewhere").exists()
    else:
        os.mkfifo(tmp_path / LOCK)
        with pytest.raises(Unfit, match="a FIFO"):
            begin_run(tmp_path, "run-1")


def test_what_others_wrote_into_the_directory_is_indexed_too(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        with open(os.path.join(writer.directory, "captured.json"), "wb") as file:
            file.write(b'{"schema_version":"x.v1"}')
        writer.commit()
    index = _json(tmp_path / "run-1" / "artifact_index.json")
    found = {entry["path"].rpartition("/")[2]: entry for entry in index["artifacts"]}
    assert found["captured.json"]["schema_version"] == "x.v1"
    assert found["captured.json"]["sha256"] == hashlib.sha256(b'{"schema_version":"x.v1"}').hexdigest()


def test_what_is_no_regular_file_is_not_committed(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        os.symlink("/etc/hostname", os.path.join(writer.directory, "link"))
        with pytest.raises(Unfit, match="a symlink"):
            writer.commit()
        os.unlink(os.path.join(writer.directory, "link"))
        writer.commit()
    assert (tmp_path / "LATEST").read_bytes() == b"run-1\n"


def test_a_file_that_vanished_is_not_committed(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put("stdout", b"x")
        os.unlink(os.path.join(writer.directory, "stdout"))
        with pytest.raises(Unfit, match="no such file"):
            writer.commit()
        writer.fail("the file is gone")
    index = _json(tmp_path / "run-1" / "artifact_index.json")
    assert [entry["path"].rpartition("/")[2] for entry in index["artifacts"]] == ["run_status.json"]


def test_a_run_that_was_let_go_stays_unfinished(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.close()
    assert _json(tmp_path / "run-1" / "run_status.json")["state"] == "in_progress"


def test_missing_artifacts_make_the_index_partial(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put("b", b"")
        writer.commit(expected=("z", "b", "a"))
    index = _json(tmp_path / "run-1" / "artifact_index.json")
    prefix = tmp_path.name + "/run-1/"
    assert (index["status"], index["missing"]) == ("partial", [prefix + "a", prefix + "z"])


def test_a_failed_run_is_indexed_and_named_by_latest_and_in_no_ledger(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put("stdout", b"some")
        writer.fail("the disk said no")
    status, index = (_json(tmp_path / "run-1" / name) for name in ("run_status.json", "artifact_index.json"))
    assert (status["state"], status["error"], status["failure_stage"]) == ("failed", "the disk said no", "exception")
    assert verify_run_status(status, level="strict").ok
    assert index["status"] == "failed"
    assert (tmp_path / "LATEST").read_bytes() == b"run-1\n"
    assert not (tmp_path / "ledger.jsonl").exists()


def test_a_run_that_is_left_by_an_error_has_failed(tmp_path: Path) -> None:
    def interrupted() -> None:
        with begin_run(tmp_path, "run-1") as writer:
            writer.put("stdout", b"")
            raise ZeroDivisionError("by hand")

    with pytest.raises(ZeroDivisionError):
        interrupted()
    status = _json(tmp_path / "run-1" / "run_status.json")
    assert (status["state"], status["error"]) == ("failed", "ZeroDivisionError: by hand")


def test_a_run_that_is_left_without_an_end_has_failed(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1"):
        pass
    assert _json(tmp_path / "run-1" / "run_status.json")["error"] == "ended without a commit"


def test_a_run_ends_once(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.commit()
        for act in (writer.commit, lambda: writer.fail("no"), lambda: writer.put("x", b"")):
            with pytest.raises(UsageError, match="has ended"):
                act()
    assert _json(tmp_path / "run-1" / "run_status.json")["state"] == "complete"


def test_a_run_id_is_used_once_even_where_its_directory_is_gone(tmp_path: Path) -> None:
    commit_run(tmp_path, "run-1", ledger=True)
    with pytest.raises(RunExists):
        begin_run(tmp_path, "run-1")
    os.rename(tmp_path / "run-1", tmp_path / "elsewhere")
    with pytest.raises(RunExists, match="ledger"):
        begin_run(tmp_path, "run-1")


@pytest.mark.parametrize(
    "run_id",
    ["", ".", "..", ".hidden", "a/b", "/a", "../a", "LATEST", "latest", "Ledger.jsonl", "a b", "a\n", "é", "x" * 201],
)
def test_a_run_id_is_one_plain_name(tmp_path: Path, run_id: str) -> None:
    with pytest.raises(UsageError):
        begin_run(tmp_path, run_id)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("path", ["", ".", "..", "../x", "/x", "a//b", "a/./b", "a/..", "x\0", "\udc80", "C:x", "\\x"])
def test_a_file_of_a_run_has_a_plain_relative_path(tmp_path: Path, path: str) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        with pytest.raises(UsageError):
            writer.put(path, b"")
        writer.commit()


@pytest.mark.parametrize("path", ["run_status.json", "artifact_index.json", "Artifact_Index.json"])
def test_the_stores_own_documents_are_written_by_the_store_alone(tmp_path: Path, path: str) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        with pytest.raises(UsageError):
            writer.put(path, b"{}")
        writer.commit()


def test_a_path_is_written_once(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put("x", b"1")
        with pytest.raises(UsageError, match="once"):
            writer.put("x", b"2")
        writer.commit()
    assert (tmp_path / "run-1" / "x").read_bytes() == b"1"


def test_nothing_is_written_through_a_symlinked_directory(tmp_path: Path) -> None:
    (tmp_path / "victim").mkdir()
    with begin_run(tmp_path / "out", "run-1") as writer:
        os.symlink(tmp_path / "victim", os.path.join(writer.directory, "sub"))
        with pytest.raises(Exception, match="a symlink"):
            writer.put("sub/file", b"")
        os.unlink(os.path.join(writer.directory, "sub"))
        writer.commit()
    assert os.listdir(tmp_path / "victim") == []


def test_the_prefix_is_the_way_from_the_nearest_marker(tmp_path: Path) -> None:
    (tmp_path / "affidavit.toml").touch()
    out = tmp_path / "deep" / "down" / "out"
    commit_run(out, "run-1")
    entries = _json(out / "run-1" / "artifact_index.json")["artifacts"]
    assert [entry["path"] for entry in entries] == [
        "deep/down/out/run-1/run_status.json",
        "deep/down/out/run-1/stdout",
    ]


def test_an_out_folder_that_is_its_own_root_has_no_prefix_but_the_run(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    commit_run(tmp_path, "run-1")
    index = _json(tmp_path / "run-1" / "artifact_index.json")
    assert index["artifacts"][0]["path"] == "run-1/run_status.json"
    assert verify_artifact_index(index, level="strict").ok

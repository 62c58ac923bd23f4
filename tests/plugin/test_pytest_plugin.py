"""`pytest --affidavit OUT`, run as its users do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.profiles import RAW
from affidavit.canon.reader import read
from affidavit.store.reader import load_bundle, open_bundle_unverified
from affidavit.store.refused import BundleRefused
from tests.support.cli import environment

if TYPE_CHECKING:
    from pathlib import Path

TESTS = """\
import pytest

def test_passes(): pass

def test_fails(): assert 1 == 2, "one is not two"

@pytest.mark.skip(reason="not today")
def test_skipped(): pass

@pytest.mark.xfail
def test_expected_to_fail(): assert False

@pytest.fixture
def broken(): raise RuntimeError("no fixture")

def test_error(broken): pass
"""


def pytest_in(place: Path, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(place), *words]
    env = environment(HOME=str(place))
    return subprocess.run(command, cwd=place, env=env, capture_output=True, timeout=timeout, check=False)


def session_in(out: Path) -> dict[str, Any]:
    found: Any = read((out / load_bundle(str(out)).run_id / "session.json").read_bytes())
    return found  # type: ignore[no-any-return]


def test_a_session_is_sealed_with_every_outcome(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    ran = pytest_in(tmp_path, "--affidavit", "out", "test_it.py")
    assert ran.returncode == 1
    assert b"affidavit: sealed: out/pt_" in ran.stdout
    session = session_in(tmp_path / "out")
    assert session["exit_status"] == 1
    assert {test["id"].partition("::")[2]: test["outcome"] for test in session["tests"]} == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_skipped": "skipped",
        "test_expected_to_fail": "xfailed",
        "test_error": "error",
    }
    assert session["counts"] == {"passed": 1, "failed": 1, "skipped": 1, "xfailed": 1, "error": 1}
    digest = RAW.digest((tmp_path / "test_it.py").read_bytes()).content_hash
    assert session["files"] == [{"path": "test_it.py", "sha256": digest}]
    failures = (tmp_path / "out" / load_bundle(str(tmp_path / "out")).run_id / "failures.txt").read_text()
    assert "one is not two" in failures
    assert "no fixture" in failures


def test_the_sealed_session_verifies_and_a_changed_one_does_not(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_passes(): pass\n")
    assert pytest_in(tmp_path, "--affidavit", "out").returncode == 0
    session = tmp_path / "out" / load_bundle(str(tmp_path / "out")).run_id / "session.json"
    session.write_bytes(session.read_bytes().replace(b'"passed":1', b'"passed":2'))
    with pytest.raises(BundleRefused) as refused:
        load_bundle(str(tmp_path / "out"))
    assert "session.json" in str(refused.value)


def test_without_the_option_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_passes(): pass\n")
    ran = pytest_in(tmp_path)
    assert ran.returncode == 0
    assert b"affidavit:" not in ran.stdout
    assert sorted(entry for entry in os.listdir(tmp_path) if entry != "__pycache__") == ["test_it.py"]


def test_workers_report_to_the_process_that_seals(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    assert pytest_in(tmp_path, "--affidavit", "out", "-n", "2").returncode == 1
    session = session_in(tmp_path / "out")
    assert len(session["tests"]) == 5
    assert len(os.listdir(tmp_path / "out")) == len({"LATEST", ".runtime.lock", "run"})


def test_a_module_that_cannot_be_imported_is_sealed_as_an_error(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("import no_such_module\n")
    assert pytest_in(tmp_path, "--affidavit", "out").returncode == 2
    session = session_in(tmp_path / "out")
    assert session["exit_status"] == 2
    assert [test["outcome"] for test in session["tests"]] == ["error"]


def test_where_nothing_can_be_written_no_test_runs(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_passes(): open('ran', 'w')\n")
    (tmp_path / "out").write_text("a file\n")
    ran = pytest_in(tmp_path, "--affidavit", "out")
    assert ran.returncode == 4
    assert b"--affidavit out: " in ran.stderr
    assert not (tmp_path / "ran").exists()


def test_a_killed_session_is_there_as_one_that_did_not_finish(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import time\ndef test_waits():\n    open('began', 'w')\n    time.sleep(600)\n"
    )
    command = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), "--affidavit", "out"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment(HOME=str(tmp_path)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "began").exists():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (run_id,) = [name for name in os.listdir(tmp_path / "out") if name.startswith("pt_")]
    status: Any = read((tmp_path / "out" / run_id / "run_status.json").read_bytes())
    assert status["state"] == "in_progress"
    assert open_bundle_unverified(str(tmp_path / "out" / run_id)).integrity == "unverified"


def test_a_test_file_that_became_a_fifo_does_not_hold_the_session(tmp_path: Path) -> None:
    """Opening it would wait for a writer that never comes."""
    (tmp_path / "test_it.py").write_text(
        "import os\ndef test_passes():\n    os.unlink(__file__)\n    os.mkfifo(__file__)\n"
    )
    ran = pytest_in(tmp_path, "--affidavit", "out", timeout=60)
    assert ran.returncode == 0
    assert session_in(tmp_path / "out")["files"] == [{"path": "test_it.py", "sha256": None}]


def test_a_test_file_behind_a_link_has_the_digest_of_what_ran(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.py").write_text("def test_passes(): pass\n")
    (tmp_path / "test_it.py").symlink_to("elsewhere.py")
    assert pytest_in(tmp_path, "--affidavit", "out", "test_it.py").returncode == 0
    digest = RAW.digest((tmp_path / "elsewhere.py").read_bytes()).content_hash
    assert session_in(tmp_path / "out")["files"] == [{"path": "test_it.py", "sha256": digest}]

"""`affidavit runner-verify` (seed 001, Verification): answers, exit statuses, and inputs that are no documents."""

from __future__ import annotations

import os
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.runner import EXAMPLE
from tests.support.cli import COMMAND, affidavit, environment, on_terminal

if TYPE_CHECKING:
    from pathlib import Path


def test_a_valid_record_from_standard_input() -> None:
    ran = affidavit("runner-verify", "-", stdin=canonical(EXAMPLE))
    assert ran.status == 0
    assert ran.out == (
        b'{"ok":true,"runner_hash":"sha256:830861b74667a7c5b9967012e89ada945b3e53c0eb61ea74fbdfc6497edb22bc"}\n'
    )


def test_findings_are_violations_with_exit_status_3() -> None:
    ran = affidavit("runner-verify", "-", stdin=canonical({**EXAMPLE, "write_roots": ["/x"], "runner_version": ""}))
    assert ran.status == 3
    assert read(ran.out) == {
        "ok": False,
        "violations": [
            {
                "rule_id": "RN2",
                "path": "/runner_version",
                "message": 'expected a non-empty string, found ""',
            },
            {
                "rule_id": "RN7",
                "path": "/write_roots/0",
                "message": 'expected a relative path, found "/x"',
            },
        ],
    }


def test_what_is_not_json_has_exit_status_2() -> None:
    ran = affidavit("runner-verify", "-", stdin=b'{"a":1,"a":2}')
    assert ran.status == 2
    body = read(ran.out)
    assert isinstance(body, dict)
    assert body["ok"] is False
    assert body["error"]["code"] == "JSON_DUPLICATE_KEY"  # type: ignore[index, call-overload]


@pytest.mark.parametrize("kind", ["absent", "directory", "fifo", "socket", "device", "endless", "symlink loop", "nul"])
def test_what_cannot_be_read_has_exit_status_1_and_never_hangs(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "runner.json")
    listener = socket.socket(socket.AF_UNIX)
    if kind == "directory":
        os.mkdir(path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        listener.bind(path)
    elif kind == "device":
        path = "/dev/null"
    elif kind == "endless":
        path = "/dev/zero"
    elif kind == "symlink loop":
        os.symlink(path, path)
    elif kind == "nul":
        path = "/proc/self/mem"
    ran = affidavit("runner-verify", path, timeout=20)
    listener.close()
    assert ran.status == 1
    body = read(ran.out)
    assert isinstance(body, dict)
    assert body["error"]["code"] == "IO"  # type: ignore[index, call-overload]


def test_a_sparse_file_of_ten_gigabytes_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "runner.json"
    path.touch()
    os.truncate(path, 10 << 30)
    limited = 'ulimit -v 1000000; exec "$@"'
    ran = subprocess.run(
        ["/bin/sh", "-c", limited, "sh", *COMMAND, "runner-verify", str(path)],
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (2, b"")
    assert b"JSON_TOO_LARGE" in ran.stdout


def test_a_pipe_that_the_shell_opened_is_read(tmp_path: Path) -> None:
    path = tmp_path / "runner.json"
    path.write_bytes(canonical(EXAMPLE))
    ran = subprocess.run(
        ["bash", "-c", 'exec "$@" <(cat "$0")', str(path), *COMMAND, "runner-verify"],
        capture_output=True,
        env=environment(),
        timeout=20,
        check=False,
    )
    assert ran.returncode == 0


def test_a_person_is_told_rule_place_expected_and_found(tmp_path: Path) -> None:
    path = tmp_path / "runner.json"
    path.write_bytes(canonical({**EXAMPLE, "write_roots": ["/x"]}))
    shown = on_terminal("runner-verify", "--color=never", str(path)).out.decode()
    for part in ("RN7", "/write_roots/0", "expected a relative path", 'found    "/x"'):
        assert part in shown


def test_quiet_says_nothing_about_what_is_valid(tmp_path: Path) -> None:
    path = tmp_path / "runner.json"
    path.write_bytes(canonical(EXAMPLE))
    assert on_terminal("runner-verify", "-q", str(path)).out == b""

"""A pack can be verified on any system: the verifiers need nothing that only Linux, or only POSIX, has."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit.canon.jcs import canonical
from tests.support.cli import affidavit, environment
from tests.support.pack_files import seven_members, write_archive, write_directory
from tests.vectors.make_ledger import chained, lines

if TYPE_CHECKING:
    from pathlib import Path

#: Modules that other systems lack, and the names in `os` that they do.
ABSENT_MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "syslog", "ctypes", "_posixsubprocess")
ABSENT_NAMES = (
    *("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_TMPFILE", "O_PATH"),
    *("fork", "forkpty", "getuid", "geteuid", "getpgid", "setsid", "mkfifo", "mknod", "statvfs", "uname", "pread"),
    *("sched_getaffinity", "set_blocking", "posix_spawn", "sendfile", "fchmod", "fchown", "wait4", "waitid"),
)

_ELSEWHERE = f"""
import os, sys
for name in {ABSENT_NAMES!r}:
    if hasattr(os, name):
        delattr(os, name)
os.supports_dir_fd = os.supports_fd = os.supports_follow_symlinks = set()
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in {ABSENT_MODULES!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
for name in {ABSENT_MODULES!r}:
    sys.modules.pop(name, None)
from affidavit.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def elsewhere(*words: str, cwd: Path) -> tuple[int, bytes, bytes]:
    """The command on a system that has none of it."""
    ran = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, *words],
        cwd=cwd, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A sound pack as a directory and as an archive, a bad one, and each document alone."""
    write_directory(tmp_path / "pack", seven_members())
    write_directory(tmp_path / "bad", {**seven_members(), "notes.txt": b"", "patch.json": b"{"})
    write_archive(tmp_path / "pack.zip", seven_members())
    write_directory(tmp_path, seven_members())
    (tmp_path / "ledger.jsonl").write_bytes(lines(chained()))
    (tmp_path / "model_io.json").write_bytes(canonical(importlib.import_module("affidavit.contracts.model_io").EXAMPLE))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("pack-verify", "pack"),
        ("pack-verify", "pack.zip"),
        ("pack-verify", "--level", "strict", "pack"),
        ("pack-verify", "bad"),
        ("pack-verify", "absent"),
        ("runner-verify", "runner.json"),
        ("run-verify", "run.json"),
        ("bundle-verify", "bundle.json"),
        ("patch-verify", "patch.json"),
        ("evidence-verify", "evidence.json"),
        ("policy-verify", "policy.json"),
        ("model-io-verify", "model_io.json"),
        ("ledger-verify", "ledger.jsonl"),
        ("verify", "pack", "pack.zip", "bad", "run.json", "ledger.jsonl", "absent"),
        ("canonicalize", "--hash", "kernel", "run.json"),
        ("explain", "RN6"),
        ("schema", "run"),
        ("policy", "show", "dev"),
    ],
)
def test_the_answer_is_the_same_where_nothing_of_posix_is(place: Path, words: tuple[str, ...]) -> None:
    here = affidavit(*words, cwd=str(place))
    assert elsewhere(*words, cwd=place) == (here.status, here.out, here.err)


@pytest.mark.parametrize("kind", ["symlink", "FIFO", "directory"])
def test_what_is_no_regular_file_is_found_there_too(place: Path, kind: str) -> None:
    path = place / "pack" / "meta.json"
    if kind == "symlink":
        path.symlink_to("/etc/passwd")
    elif kind == "FIFO":
        os.mkfifo(path)
    else:
        path.mkdir()
    here = affidavit("pack-verify", "pack", cwd=str(place))
    assert here.status == 1
    assert elsewhere("pack-verify", "pack", cwd=place) == (1, here.out, b"")

"""`affidavit pack-apply`: its answers, its exit statuses, its words (contracts 2.10, 5)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.packs.target import STAGE
from tests.support.cli import affidavit, environment, on_terminal
from tests.support.patches import create, delete, modify, tree, write_patch_pack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "old").write_bytes(b"old\n")
    write_patch_pack(tmp_path / "pack", create("new/a", "a\n"), modify("old", "new\n"))
    write_patch_pack(tmp_path / "half", create("b", "b\n"), delete("absent"))
    return tmp_path


def apply(place: Path, *words: str, pack: str = "pack", target: str = "target") -> Any:
    return affidavit("pack-apply", "--pack", pack, "--target", target, *words, cwd=str(place))


def test_AS10_the_answer_is_canonical_and_the_same_each_time(place: Path) -> None:
    ran = apply(place, "--dry-run")
    body: Any = read(ran.out)
    assert ran.out == canonical(body) + b"\n"
    assert ran.out == apply(place, "--dry-run").out
    assert (ran.status, ran.err, body["outcome"]) == (0, b"", "SUCCESS")


def test_AS12_nothing_of_the_host_is_in_the_answer(place: Path) -> None:
    ran = affidavit("pack-apply", "--pack", str(place / "pack"), "--target", str(place / "target"))
    assert ran.status == 0
    assert str(place).encode() not in ran.out


@pytest.mark.parametrize(
    ("words", "pack", "target", "status"),
    [
        ((), "pack", "target", 0),
        (("--dry-run",), "half", "target", 2),
        (("--partial",), "half", "target", 1),
        ((), "half", "target", 2),
        ((), "pack", "absent", 2),
        ((), "absent", "target", 3),
        (("--level", "lax"), "pack", "target", 2),
        (("--recover",), "pack", "target", 2),
    ],
)
def test_exit_statuses(place: Path, words: tuple[str, ...], pack: str, target: str, status: int) -> None:
    assert apply(place, *words, pack=pack, target=target).status == status


@pytest.mark.parametrize("words", [("--pack", "pack"), ("--target", "target"), ("pack", "target")])
def test_wrong_usage_has_exit_status_2(place: Path, words: tuple[str, ...]) -> None:
    assert affidavit("pack-apply", *words, cwd=str(place)).status == 2


def test_a_target_that_cannot_be_written_fails_and_says_why(place: Path) -> None:
    before = tree(place / "target")
    limited = subprocess.run(  # no file may have more than a few bytes: the disk is full
        ["prlimit", "--fsize=3", sys.executable, "-m", "affidavit", "pack-apply", "--pack", "pack", "--target=target"],
        cwd=place,
        env=environment(),
        capture_output=True,
        preexec_fn=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
        check=False,
    )
    assert b"File too large" in limited.stdout + limited.stderr
    assert tree(place / "target") == before


def test_recover_says_what_it_did(place: Path) -> None:
    words = ("pack-apply", "--recover", "--target", "target")
    assert affidavit(*words, cwd=str(place)).out == b'{"recovered":"nothing"}\n'
    (place / "target" / STAGE).mkdir()
    assert affidavit(*words, cwd=str(place)).out == b'{"recovered":"cleared"}\n'
    (place / "target" / STAGE).mkdir()
    assert b"cleared away" in on_terminal(*words, cwd=str(place)).out
    os.symlink("old", place / "target" / STAGE)
    assert affidavit(*words, cwd=str(place)).status == 2


def test_a_person_is_told_each_file(place: Path) -> None:
    ran = on_terminal("pack-apply", "--color=never", "--pack", "half", "--target", "target", cwd=str(place))
    assert ran.status == 2
    assert ran.out.decode().splitlines() == [
        "  ! delete  absent: expected a regular file, found no file",
        "    create  b",
        '1 of 2 operations cannot be applied, nothing was written: "absent"',
        "REFUSED: 0 of 2 operations applied, 0 bytes",
    ]
    ran = on_terminal("pack-apply", "--color=never", "--pack", "pack", "--target", "target", cwd=str(place))
    assert ran.out.decode().splitlines() == [
        "  + create  new/a",
        "  + modify  old",
        "SUCCESS: 2 of 2 operations applied, 6 bytes",
    ]

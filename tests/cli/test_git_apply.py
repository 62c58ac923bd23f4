"""`affidavit git-apply`: its answers, its exit statuses, its words (contracts 2.10, 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from tests.support.cli import affidavit, on_terminal
from tests.support.patches import create, modify, write_patch_pack
from tests.support.repositories import git, make_repository

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    make_repository(tmp_path / "repository", {"a": b"a\n"})
    write_patch_pack(tmp_path / "pack", create("new", "new\n"), modify("a", "b\n"))
    return tmp_path


WORDS = ("git-apply", "--pack", "pack", "--repo", "repository")


def test_GA11_the_answer_is_canonical(place: Path) -> None:
    ran = affidavit(*WORDS, "--dry-run", cwd=str(place))
    body: Any = read(ran.out)
    assert ran.out == canonical(body) + b"\n"
    assert (ran.status, ran.err, body["outcome"], body["dry_run"]) == (0, b"", "SUCCESS", True)


def test_GA9_no_absolute_path_is_in_the_answer(place: Path) -> None:
    words = ("git-apply", "--pack", str(place / "pack"), "--repo", str(place / "repository"), "--commit")
    ran = affidavit(*words)
    assert ran.status == 0
    assert str(place).encode() not in ran.out


def test_a_program_reads_why_git_failed_on_stderr(place: Path) -> None:
    (place / "repository" / ".git" / "index.lock").write_bytes(b"")
    ran = affidavit(*WORDS, "--commit", cwd=str(place))
    assert ran.status == 4
    body: Any = read(ran.out)
    assert (body["outcome"], body["error"]) == ("FAILED", "git update-index ended with 128")
    assert b"index.lock" in ran.err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("--pack", "pack", "--repo", "absent"), 3),
        (("--pack", "absent", "--repo", "repository"), 1),
        (("--pack", "pack", "--repo", "repository", "--branch", "a..b"), 3),
        (("--pack", "pack", "--repo", "repository", "--message", "x"), 3),
        (("--pack", "pack", "--repo", "repository", "--commit", "--message", " "), 3),
        (("--pack", "pack"), 3),
        (("--repo", "repository"), 3),
        (("--unknown",), 3),
    ],
)
def test_exit_statuses(place: Path, words: tuple[str, ...], status: int) -> None:
    assert affidavit("git-apply", *words, cwd=str(place)).status == status
    assert git(place / "repository", "status", "--porcelain") == ""


def test_a_person_is_told_each_file_and_where_it_went(place: Path) -> None:
    ran = on_terminal(*WORDS, "--color=never", "--branch", "review/agent", cwd=str(place))
    assert ran.status == 0
    assert ran.out.decode().splitlines() == [
        "  + modify  a",
        "  + create  new",
        "SUCCESS: 2 files applied on new branch review/agent",
        "  nothing is committed: git diff shows it, git commit keeps it",
    ]
    ran = on_terminal(*WORDS, "--color=never", cwd=str(place))
    assert (ran.status, ran.out.decode().splitlines()[-1]) == (3, "REFUSED: nothing was changed")

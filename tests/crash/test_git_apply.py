"""A git-apply that is killed at any of its system calls, or while git works for it, leaves files that the next one
makes what they were or that are all new, a sound repository, and a branch that can be applied to again (ADR 0501)."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

from affidavit.packs.apply import recover
from affidavit.packs.git_apply import git_apply
from tests.crash.cut import EVERY
from tests.support.patches import create, delete, modify, tree, write_patch_pack
from tests.support.repositories import git, make_repository
from tests.support.strace import CHANGING, changes, struck

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

WORDS = ("git-apply", "--pack", "pack", "--repo", "repository", "--branch", "review", "--commit")
FILES = {"kept/config.ini": b"old = 1\n", "kept/old.txt": b"old\n"}


def wait_for_git(repository: Path) -> None:
    """Until what the killed process had started has ended: it works on, in that directory."""
    while any(place == str(repository) for place in _working_directories()):
        time.sleep(0.01)


def _working_directories() -> Iterator[str]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                yield os.readlink(f"/proc/{name}/cwd")
            except OSError:
                continue  # it ended meanwhile, or is somebody else's


def test_a_kill_at_any_call_leaves_a_repository_that_can_be_applied_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    operations = (create("new/page.md", "# Hello\n"), modify("kept/config.ini", "new = 1\n"), delete("kept/old.txt"))
    pack = write_patch_pack(tmp_path / "pack", *operations)
    repository, log = tmp_path / "repository", tmp_path / "log"
    make_repository(tmp_path / "first", FILES)

    def renew() -> None:
        shutil.rmtree(repository, ignore_errors=True)
        shutil.copytree(tmp_path / "first", repository, symlinks=True)

    renew()
    head = git(repository, "rev-parse", "main")
    before = tree(repository, without=[".git"])
    calls = list(changes(log, *WORDS, cwd=tmp_path, calls=(*CHANGING, "wait4")))
    after = tree(repository, without=[".git"])
    assert after != before
    assert git(repository, "rev-parse", "review^") == head
    outcomes: set[tuple[bool, bool]] = set()
    for call in calls[:: max(1, EVERY // 2)]:
        renew()
        struck(log, "signal=KILL", call, *WORDS, cwd=tmp_path, is_certain=call[0] != "wait4")
        wait_for_git(repository)
        recover(repository)
        files = tree(repository, without=[".git"])
        assert files in (before, after), call
        assert git(repository, "fsck", "--strict", "--no-dangling") == "", call
        assert git(repository, "rev-parse", "main") == head, call
        is_committed = "review" in git(repository, "branch") and git(repository, "rev-parse", "review") != head
        assert files == after or not is_committed, call
        outcomes.add((files == after, is_committed))
        if files == before:
            assert git_apply(pack, repository, branch="review", commit=True).result["outcome"] == "SUCCESS", call
    assert {(False, False), (True, True)} <= outcomes

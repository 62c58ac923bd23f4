"""An apply that is struck at any of its system calls leaves the target as it was, or fully applied; or half done, with
a journal by which the next one makes it as it was (ADR 0500)."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from affidavit.packs.apply import recover
from affidavit.packs.target import STAGE
from tests.crash.cut import EVERY
from tests.support.patches import create, delete, modify, tree, write_patch_pack
from tests.support.strace import changes, struck

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("pack-apply", "--pack", "pack", "--target", "target")
RECOVER = ("pack-apply", "--recover", "--target", "target")


class Place:
    """A pack and a target that is made anew each time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.target = path / "target"
        self.log = path / "log"
        write_patch_pack(
            path / "pack",
            create("new/deep/page.md", "# Hello\n"),
            modify("kept/config.ini", "new = 1\n"),
            delete("kept/old.txt"),
        )
        self.renew()
        self.before = tree(self.target)
        self.calls = list(changes(self.log, *WORDS, cwd=path))
        self.after = tree(self.target)
        assert self.after != self.before

    def renew(self) -> None:
        shutil.rmtree(self.target, ignore_errors=True)
        (self.target / "kept").mkdir(parents=True)
        (self.target / "kept" / "config.ini").write_bytes(b"old = 1\n")
        (self.target / "kept" / "old.txt").write_bytes(b"old\n")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_kill_at_any_call_leaves_all_or_nothing(place: Place) -> None:
    applied_from = None
    for number, call in enumerate(place.calls):
        place.renew()
        struck(place.log, "signal=KILL", call, *WORDS, cwd=place.path)
        recover(place.target)
        found = tree(place.target)
        assert found in (place.before, place.after), call
        if applied_from is None and found == place.after:
            applied_from = number
        # there is one moment from which on the patch is applied, and it is no later undone
        assert (found == place.after) == (applied_from is not None), call
    assert applied_from is not None


@pytest.mark.parametrize("name", ["TERM", "INT"])
def test_a_polite_end_at_any_call_needs_no_recovery(place: Place, name: str) -> None:
    """All old or all new as soon as the command has ended, though something to clear away may be left."""
    seen: list[bool] = []
    for call in place.calls[:: max(1, EVERY // 3)]:
        place.renew()
        struck(place.log, f"signal={name}", call, *WORDS, cwd=place.path)
        found = tree(place.target, without=[STAGE])
        assert found in (place.before, place.after), call
        assert not (place.target / STAGE / "journal.json").exists(), call
        seen.append(found == place.after)
    assert set(seen) == {True, False}


def test_an_error_at_any_call_leaves_all_or_nothing(place: Place) -> None:
    for call in place.calls:
        place.renew()
        error = "ENOSPC" if call[0] in ("write", "mkdirat") else "EIO"
        status = struck(place.log, f"error={error}", call, *WORDS, cwd=place.path)
        found = tree(place.target)
        if (place.target / STAGE).exists():  # clearing away was what failed
            recover(place.target)
            assert tree(place.target, without=[STAGE]) == tree(place.target)
        # the last write is that of the answer: what was applied stays applied, though nobody could be told
        expected = place.after if status == 0 or (call[0] == "write" and found == place.after) else place.before
        assert tree(place.target) == expected, (call, status)


def test_a_kill_at_any_call_of_the_recovery_is_recovered_from(place: Place) -> None:
    """The apply is killed where most is to be undone: as it says that all is done."""
    last = max(number for name, number in place.calls if name == "renameat")
    undo: list[tuple[str, int]] = []
    while True:
        place.renew()
        struck(place.log, "signal=KILL", ("renameat", last), *WORDS, cwd=place.path)
        if not undo:
            undo = list(changes(place.log, *RECOVER, cwd=place.path))
            assert tree(place.target) == place.before
            continue
        struck(place.log, "signal=KILL", undo.pop(), *RECOVER, cwd=place.path)
        recover(place.target)
        assert tree(place.target) == place.before
        if not undo:
            return

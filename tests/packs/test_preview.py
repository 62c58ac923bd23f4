"""What a patch would change, for whoever reviews it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.errors import UsageError
from affidavit.packs.preview import preview, unified
from tests.support.cli import affidavit, on_terminal
from tests.support.pack_files import two_members, write_directory
from tests.support.patches import create, delete, modify, tree, write_patch_pack

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def target(tmp_path: Path) -> Path:
    (tmp_path / "target").mkdir()
    (tmp_path / "target" / "old").write_bytes(b"one\ntwo\n")
    (tmp_path / "target" / "gone").write_bytes(b"no end")
    (tmp_path / "target" / "binary").write_bytes(b"\xff")
    return tmp_path / "target"


def test_each_operation_is_shown_with_what_it_changes(tmp_path: Path, target: Path) -> None:
    operations = (modify("old", "one\n2\n"), create("new", "x\n"), delete("gone"), create("empty", ""))
    before = tree(target)
    assert preview(write_patch_pack(tmp_path / "pack", *operations), target) == [
        "create empty",
        "delete gone",
        "--- a/gone",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-no end",
        "\\ No newline at end of file",
        "create new",
        "--- /dev/null",
        "+++ b/new",
        "@@ -0,0 +1 @@",
        "+x",
        "modify old",
        "--- a/old",
        "+++ b/old",
        "@@ -1,2 +1,2 @@",
        " one",
        "-two",
        "+2",
    ]
    assert tree(target) == before


def test_what_does_not_fit_is_told_in_its_place(tmp_path: Path, target: Path) -> None:
    operations = (create("old", "x"), modify("absent", "x"), modify("binary", "x"))
    assert preview(write_patch_pack(tmp_path / "pack", *operations), target) == [
        "modify absent: expected a regular file, found no file",
        "modify binary: what stands there is no text, or too long to compare",
        "create old: expected no file, found a regular file",
    ]
    for pack, place in ((write_directory(tmp_path / "none", two_members()), "target"), (tmp_path / "pack", "absent")):
        with pytest.raises(UsageError):
            preview(pack, tmp_path / place)


_TEXTS = st.lists(st.sampled_from(["a", "b", "c", "\r", "\u2028", ""]), max_size=8).map("\n".join)


@given(_TEXTS, _TEXTS)
def test_patch_makes_the_new_text_of_the_old_by_what_is_shown(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    place = tmp_path_factory.mktemp("patched")
    (place / "file").write_bytes(before.encode())
    shown = "".join(f"{line}\n" for line in unified("file", before, after, "modify"))
    if before != after:
        words = ["git", "apply", "-p1", "--unidiff-zero", "--whitespace=nowarn", "-"]
        subprocess.run(words, input=shown.encode(), cwd=place, check=True, env={"PATH": "/usr/bin:/bin"})
    assert (place / "file").read_bytes() == after.encode()


def test_a_file_of_too_many_lines_is_told_and_not_compared() -> None:
    assert list(unified("x", "a\n" * 6000, "b\n" * 7000, "modify")) == [
        "modify x",
        "6000 lines become 7000, too many to compare",
    ]


@pytest.mark.parametrize("verb", [("pack-apply", "--target"), ("git-apply", "--repo")])
def test_the_command_shows_it_and_changes_nothing(tmp_path: Path, target: Path, verb: tuple[str, str]) -> None:
    pack = write_patch_pack(tmp_path / "pack", modify("old", "one\n\x1b[31mtwo\n"))
    words = (verb[0], "--pack", pack, verb[1], str(target), "--diff")
    before = tree(target)
    ran = affidavit(*words)
    assert (ran.status, ran.out.splitlines()[-1]) == (0, b"+\x1b[31mtwo")
    seen = on_terminal(*words, "--color=never")
    assert seen.out.splitlines()[-1] == b"+\\x1b[31mtwo"
    assert tree(target) == before

"""An apply on a disk that is full at some point: a real one, of a few pages, in a namespace of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit.packs.apply import apply_pack
from tests.support.contracts import ROOT
from tests.support.patches import create, delete, modify, tree, write_patch_pack

if TYPE_CHECKING:
    from pathlib import Path

_PAGE = 4096
_PAGES = 20


def fill_and_apply(pack: str, disk: str) -> None:
    """Inside: applies with one page more in the way each time, and tells what came of it."""
    target = os.path.join(disk, "target")
    for pages in range(_PAGES):
        os.makedirs(os.path.join(target, "kept"))
        for name, data in (("config.ini", b"old = 1\n"), ("old.txt", b"old\n")):
            with open(os.path.join(target, "kept", name), "wb") as file:
                file.write(data)
        before = tree(target)
        try:
            with open(os.path.join(disk, "filler"), "wb") as filler:
                filler.write(bytes(pages * _PAGE))
        except OSError:
            return  # not even this fits: there is nothing more to learn
        outcome = apply_pack(pack, target).result["outcome"]
        left = tree(target)
        files = {path: data for path, (kind, _, data) in left.items() if kind == "file"}
        is_new = files == {"kept/config.ini": b"n" * 9000, "new/deep/page": b"p" * 9000}
        print(outcome, "same" if left == before else "new" if is_new else "between")
        shutil.rmtree(target)
        os.unlink(os.path.join(disk, "filler"))


@pytest.mark.sandbox
def test_a_disk_that_is_full_leaves_all_or_nothing(tmp_path: Path) -> None:
    operations = (create("new/deep/page", "p" * 9000), modify("kept/config.ini", "n" * 9000), delete("kept/old.txt"))
    pack = write_patch_pack(tmp_path / "pack", *operations)
    disk = tmp_path / "disk"
    disk.mkdir()
    program = "import sys; from tests.crash.test_apply_small_disk import fill_and_apply; fill_and_apply(*sys.argv[1:])"
    words = ["bwrap", "--dev-bind", "/", "/", "--size", str(_PAGES * _PAGE), "--tmpfs", str(disk)]
    done = subprocess.run(
        [*words, sys.executable, "-c", program, pack, str(disk)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.splitlines()) == {"SUCCESS new", "FAILED same"}

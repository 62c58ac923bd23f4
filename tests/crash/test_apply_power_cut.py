"""An apply and a power cut: whatever a disk may have kept of what was not made to last, the next one finds the files as
they were or as they shall be (ADR 0500)."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from affidavit.packs import change, journal
from affidavit.packs.apply import apply_pack, recover
from tests.crash.disk import Disk, Node, fates, recording
from tests.support.patches import create, delete, modify, tree, write_patch_pack

if TYPE_CHECKING:
    from pathlib import Path


def _bytes(target: Path) -> dict[str, bytes]:
    """The files: what is nowhere but in memory, permissions and empty directories, the model does not know."""
    return {path: data for path, (kind, _, data) in tree(target).items() if kind == "file"}


def test_a_power_cut_at_any_step_is_recovered_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "target"
    (target / "kept").mkdir(parents=True)
    (target / "kept" / "config.ini").write_bytes(b"old = 1\n")
    (target / "kept" / "old.txt").write_bytes(b"old\n")
    operations = (create("new/page", "# Hello\n"), modify("kept/config.ini", "new\n"), delete("kept/old.txt"))
    pack = write_patch_pack(tmp_path / "pack", *operations)
    before = _bytes(target)
    disk = Disk(str(target))
    with recording(disk, monkeypatch):
        assert apply_pack(pack, target).result["outcome"] == "SUCCESS"
    after = _bytes(target)
    found: list[dict[str, bytes]] = []
    last = len(disk.steps)
    for count in range(last + 1):
        for what, fate in fates(random.Random(count)).items():
            place = tmp_path / "cut"
            shutil.rmtree(place, ignore_errors=True)
            nodes = disk.left_after(count, fate).write(disk.root, str(place))

            def number_of(seen: os.stat_result, nodes: dict[int, Node] = nodes) -> int:
                """The same disk has the same inodes; this one was made anew."""
                return disk.inode_of(nodes[seen.st_ino]) if seen.st_ino in nodes else seen.st_ino

            for module in (journal, change):
                monkeypatch.setattr(module, "number_of", number_of)
            recover(place)
            left = _bytes(place)
            assert left in (before, after), f"cut after step {count} of {last}, {what}"
            found.append(left)
        if count == last:
            assert all(left == after for left in found[-8:]), "what was said to be done is there"
    assert before in found
    assert after in found

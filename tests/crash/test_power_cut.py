"""The store and a power cut: whatever a disk may have kept of what was not made to last, strict reading gives what was,
what is new, or a visibly unfinished run; and what was said to be done is there (design: Durability)."""

from __future__ import annotations

import os
import random
import shutil
from typing import TYPE_CHECKING

import pytest

from affidavit.errors import AffidavitError
from affidavit.store import process
from tests.crash.cut import EVERY
from tests.crash.disk import Disk, Image, fates, recording
from tests.crash.scenarios import SCENARIOS

if TYPE_CHECKING:
    from pathlib import Path


def _recorded(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    place = str(path / "place")
    os.mkdir(place)
    SCENARIOS[name].prepare(place)
    disk = Disk(place)
    with recording(disk, monkeypatch):
        SCENARIOS[name].act(place)
    return disk


def _tree(path: str) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for folder, names, files in os.walk(path):
        for name in names:
            found[os.path.relpath(os.path.join(folder, name), path)] = None
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                found[os.path.relpath(os.path.join(folder, name), path)] = file.read()
    return found


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_the_recording_tells_all_that_was_done(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Done again from the record, the folder is the same: nothing that matters went by unseen."""
    disk = _recorded(name, tmp_path, monkeypatch)
    disk.left_after(len(disk.steps), lambda _step: "kept").write(disk.root, str(tmp_path / "again"))
    assert _tree(str(tmp_path / "again")) == _tree(str(tmp_path / "place"))
    assert sum(step.is_sync for step in disk.steps) >= 3


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_a_power_cut_at_any_step_leaves_what_was_or_what_is_new(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = _recorded(name, tmp_path, monkeypatch)
    # the machine starts again: nobody of before is alive, and what the lock's last holder noted says nothing
    monkeypatch.setattr(process, "boot_id", lambda: "another-boot")
    last = len(disk.steps)
    every = max(1, min(EVERY, last // 8))
    seen: set[tuple[tuple[str, bytes | None], ...]] = set()
    for count in sorted({*range(0, last + 1, every), last}):
        outcomes = list(fates(random.Random(count)).items())
        if every > 1 and count < last:  # some of them, each time others
            outcomes = [outcomes[(count // every + step) % len(outcomes)] for step in (0, 3, 5)]
        for what, fate in outcomes:
            image: Image = disk.left_after(count, fate)
            place = str(tmp_path / "cut")
            shutil.rmtree(place, ignore_errors=True)
            image.write(disk.root, place)
            state = tuple(sorted(_tree(place).items()))
            if count < last and state in seen:
                continue
            seen.add(state)
            try:
                SCENARIOS[name].judge(place, count == last)
            except (AssertionError, AffidavitError, OSError) as error:  # named, and raised again
                raise AssertionError(f"{name}: cut after step {count} of {last}, {what}") from error
    assert len(seen) > 5

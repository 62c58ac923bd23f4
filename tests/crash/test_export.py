"""An export that is cut off at any of its system calls leaves no pack, or one that is whole."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from affidavit.canon.jcs import canonical
from affidavit.harness.run import run_intent
from affidavit.packs.verify import verify_pack
from tests.crash.cut import EVERY
from tests.support.cli import affidavit
from tests.support.strace import changes, struck

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ("pack-export", "--from", "runs", "--out", "place/pack", "--zip", "place/pack.zip")


@pytest.mark.parametrize("blow", ["signal=KILL", "error=ENOSPC"])
def test_what_is_there_is_whole(tmp_path: Path, blow: str) -> None:
    intent = canonical({"goal": "Write a page."})
    run_intent(intent, policy="dev", out=tmp_path / "runs", workspace=tmp_path)
    place, log = tmp_path / "place", tmp_path / "log"
    place.mkdir()
    calls = list(changes(log, *WORDS, cwd=tmp_path))
    assert sorted(os.listdir(place)) == ["pack", "pack.zip"]
    seen: set[int] = set()
    for call in calls[:: max(1, EVERY // 2)]:
        shutil.rmtree(place)
        place.mkdir()
        status = struck(log, blow, call, *WORDS, cwd=tmp_path)
        there = [name for name in ("pack", "pack.zip") if (place / name).exists()]
        seen.add(len(there))
        for name in there:
            assert verify_pack(place / name, level="strict").ok, (call, name)
        if status == 0:
            assert len(there) == 2, call
        for name in there:
            shutil.rmtree(place / name) if name == "pack" else os.unlink(place / name)
        assert affidavit(*WORDS, cwd=str(tmp_path)).status == 0, call  # nothing is in the way of the next one
        assert sorted(os.listdir(place)) == ["pack", "pack.zip"], call
    assert {0, 2} <= seen

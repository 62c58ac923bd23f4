"""What a host was found to isolate is remembered as long as nothing that decides it has changed, and no longer."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.sandbox import host
from affidavit.sandbox.abilities import CgroupPlace
from affidavit.sandbox.programs import find_program
from affidavit.sandbox.remembered import forget, identity, program_identity, recall, remember
from affidavit.sandbox.world import world_id

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.sandbox
def test_what_worked_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = str(tmp_path / "cache")
    first = host._probe(cache)
    assert not first.gaps()
    monkeypatch.setattr(host, "_tried", lambda *_: pytest.fail("it was tried again"))
    if (tmp_path / "cache" / "cgroups.json").exists():
        monkeypatch.setattr(host, "find_place", lambda *_: pytest.fail("it was tried again"))
    again = host._probe(cache)
    assert again.bwrap_version == first.bwrap_version
    assert [repr(ability) for ability in again.abilities.values()] == [
        repr(ability) for ability in first.abilities.values()
    ]


def test_what_did_not_work_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "find_program", lambda _: None)
    monkeypatch.setattr(host, "find_place", lambda _: (None, "none here"))
    assert host._probe(str(tmp_path)).gaps()
    assert os.listdir(tmp_path) == []


@pytest.mark.sandbox
@pytest.mark.parametrize(
    "edit",
    [
        lambda told: told.update(key="0" * 64),
        lambda told: told["found"].pop("seccomp"),
        lambda told: told["found"].update(seccomp=1),
        lambda told: told.pop("found"),
    ],
)
def test_what_was_remembered_of_something_else_counts_for_nothing(edit: Any, tmp_path: Path) -> None:
    host._probe(str(tmp_path))
    kept = tmp_path / "host.json"
    told: Any = read(kept.read_bytes())
    edit(told)
    kept.write_bytes(canonical(told))
    host._probe(str(tmp_path))
    assert read(kept.read_bytes()) != told  # it was tried, and written anew


def test_cgroups_are_remembered_as_long_as_they_are_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {name: tmp_path / name for name in ("memory", "pids", "cpuacct")}
    for group in groups.values():
        group.mkdir()
    tried: list[str] = []

    def find_place(controller: Any) -> tuple[CgroupPlace, str]:
        tried.append(controller)
        return CgroupPlace(1, controller, str(groups[controller])), ""

    monkeypatch.setattr(host, "find_place", find_place)
    cache = str(tmp_path / "cache")
    assert host._known_places(cache) is None
    found = host._found_places(cache)
    assert tried == ["memory", "pids", "cpuacct"]
    assert host._known_places(cache) == found
    assert host._known_places("") is None
    groups["pids"].rmdir()
    assert host._known_places(cache) is None
    groups["pids"].mkdir()
    assert host._known_places(cache) == found
    forget(cache)
    assert host._known_places(cache) is None
    forget("")


def test_another_program_is_another_identity(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    shutil.copy("/bin/sh", program)
    before = program_identity(str(program)), identity([str(program)])
    assert (program_identity(str(program)), identity([str(program)])) == before
    replaced = tmp_path / "other"
    shutil.copy2(program, replaced)
    os.replace(replaced, program)
    after = program_identity(str(program)), identity([str(program)])
    assert after[0] != before[0]
    assert after[1] != before[1]
    assert program_identity(None, "/nonexistent") == "\n"


def test_a_file_that_somebody_else_could_have_written_is_none(tmp_path: Path) -> None:
    remember(str(tmp_path), "x", "key", {"a": "b"})
    assert recall(str(tmp_path), "x", "key") == {"a": "b"}
    kept = tmp_path / "x.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    for mode in (0o620, 0o602):
        kept.chmod(mode)
        assert recall(str(tmp_path), "x", "key") is None
    kept.chmod(0o600)
    kept.rename(tmp_path / "elsewhere.json")
    kept.symlink_to(tmp_path / "elsewhere.json")
    assert recall(str(tmp_path), "x", "key") is None
    kept.unlink()
    os.mkfifo(kept)
    assert recall(str(tmp_path), "x", "key") is None
    kept.unlink()
    for data in (b"", b"{", b"[]", b'{"key":"key"}', b" " * 20_000):
        kept.write_bytes(data)
        kept.chmod(0o600)
        assert recall(str(tmp_path), "x", "key") is None


def test_without_a_folder_nothing_is_remembered(tmp_path: Path) -> None:
    remember("", "x", "key", {"a": "b"})
    assert recall("", "x", "key") is None
    remember(str(tmp_path / "file" / "below"), "x", "key", {})
    (tmp_path / "closed").write_bytes(b"")
    remember(str(tmp_path / "closed"), "x", "key", {})
    assert recall(str(tmp_path / "closed"), "x", "key") is None


@pytest.mark.sandbox
def test_the_world_is_the_same_remembered_or_not(tmp_path: Path) -> None:
    bwrap = find_program("bwrap")
    assert world_id(bwrap) == world_id(bwrap, str(tmp_path)) == world_id(bwrap, str(tmp_path))
    assert os.listdir(tmp_path) == ["bwrap.json"]
    assert world_id(None) != world_id(bwrap)

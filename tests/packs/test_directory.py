"""A pack in a directory that somebody hostile made, or changes while it is read (seed 004, section 5)."""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING, Any, Self

import pytest

from affidavit import verify_pack
from affidavit.contracts.pack import MEMBERS, MOST_ENTRIES, RULE_OF, examine_pack
from affidavit.errors import ReadFailed
from affidavit.manifest import Entry, Manifest
from affidavit.packs.open import open_pack
from tests.support.pack_files import seven_members, two_members, write_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from affidavit.rules.model import Report


@pytest.fixture
def pack(tmp_path: Path) -> str:
    return write_directory(tmp_path / "pack", seven_members())


def told(report: Report) -> set[tuple[str, str]]:
    return {(finding.rule_id, finding.path) for finding in report.findings}


def put_symlink(path: str) -> None:
    os.symlink("/etc/passwd", path)


def put_socket(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)


#: What may stand in place of a file, and the rules that say so.
INSTEAD: dict[str, tuple[Callable[[str], Any], set[str]]] = {
    "symlink": (put_symlink, {"PK6"}),
    "dangling symlink": (lambda path: os.symlink("nowhere", path), {"PK6"}),
    "symlink to itself": (lambda path: os.symlink(path, path), {"PK6"}),
    "FIFO": (os.mkfifo, {"PK12"}),
    "socket": (put_socket, {"PK12"}),
    "directory": (os.mkdir, {"PK2", "PK12"}),
}


def test_a_sound_directory_is_verified(pack: str) -> None:
    report = verify_pack(pack)
    assert report.ok
    assert report.facts["files_verified"] == sorted(seven_members())


@pytest.mark.parametrize("kind", INSTEAD)
@pytest.mark.parametrize("name", MEMBERS)
def test_PK6_PK12_anything_else_in_place_of_a_member_is_found_and_not_opened(pack: str, name: str, kind: str) -> None:
    path = os.path.join(pack, name)
    if os.path.exists(path):
        os.unlink(path)
    make, rules = INSTEAD[kind]
    make(path)
    within_time = threading.Timer(20, os._exit, (99,))  # a FIFO that is opened to be read waits for ever
    within_time.start()
    try:
        report = verify_pack(pack)
    finally:
        within_time.cancel()
    assert {(rule, name) for rule in rules} <= told(report)
    assert name not in report.facts["files_verified"]


@pytest.mark.parametrize("kind", INSTEAD)
@pytest.mark.parametrize("name", ["run.json", "ledger.jsonl"])
def test_a_member_that_is_swapped_after_the_listing_is_not_followed(pack: str, name: str, kind: str) -> None:
    manifest, reader = open_pack(pack)
    path = os.path.join(pack, name)
    os.unlink(path)
    make, _ = INSTEAD[kind]
    make(path)
    try:
        report = examine_pack(manifest, reader)
    finally:
        reader.close()
    assert told(report) & {("PK6", name), ("PK12", name)}
    assert name not in report.facts["files_verified"]


def test_a_member_that_vanishes_after_the_listing_is_an_error(pack: str) -> None:
    manifest, reader = open_pack(pack)
    os.unlink(os.path.join(pack, "run.json"))
    with pytest.raises(ReadFailed, match=r"run\.json") as caught:
        examine_pack(manifest, reader)
    reader.close()
    assert caught.value.code == "IO"


def test_a_pack_that_is_moved_away_while_it_is_read_is_still_the_one_that_was_opened(pack: str) -> None:
    manifest, reader = open_pack(pack)
    os.rename(pack, pack + "-elsewhere")
    write_directory(pack, {"run.json": b"{}"})
    assert examine_pack(manifest, reader).ok
    reader.close()


def test_each_member_is_opened_once_and_nothing_else(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    real = os.open

    def counting(path: str, flags: int, *args: Any, **options: Any) -> int:
        opened.append(path)
        assert flags & os.O_NOFOLLOW
        assert "/" not in path or path == pack
        return real(path, flags, *args, **options)

    monkeypatch.setattr(os, "open", counting)
    assert verify_pack(pack).ok
    assert sorted(opened) == sorted([pack, *seven_members()])


def test_PK2_unknown_names_whatever_they_are(pack: str) -> None:
    for name in (b"notes.txt", b"\xff\xfe", "run.json\u202e".encode(), b"RUN.JSON", b"\x1b[31m", b"run.json\n"):
        with open(os.path.join(os.fsencode(pack), name), "wb"):
            pass
    report = verify_pack(pack)
    assert [finding.rule_id for finding in report.findings] == ["PK2"] * 6
    assert all(finding.message.isprintable() for finding in report.findings)


@pytest.mark.parametrize("name", MEMBERS)
def test_a_sparse_member_of_ten_gigabytes_is_refused_unread(pack: str, name: str) -> None:
    with open(os.path.join(pack, name), "wb") as file:
        os.truncate(file.fileno(), 10 << 30)
    report = verify_pack(pack)
    assert (RULE_OF[name], name) in told(report)
    (finding,) = (found for found in report.findings if found.path == name)
    assert "bytes" in finding.expected


def test_a_directory_of_too_many_entries_gives_one_answer_whatever_is_listed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("affidavit.packs.directory.MOST_ENTRIES", 200)
    answers = set()
    for first in (0, 500_000):
        path = write_directory(tmp_path / str(first), {})
        for number in range(first, first + 201):
            os.close(os.open(f"{path}/{number}", os.O_CREAT | os.O_WRONLY))
        write_directory(path, two_members())
        report = verify_pack(path)
        assert report.facts["files_verified"] == ["bundle.json", "run.json"]
        answers.add(repr(report.findings))
    assert answers == {repr(report.findings)}
    assert told(report) == {("PK2", "")}


def test_a_directory_without_end_is_not_listed_to_its_end(pack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A million entries or a file system that makes them up as it is asked: 10001 are looked at."""
    real = os.scandir
    looked_at = 0

    class Endless:
        def __init__(self, directory: int) -> None:
            self.entries = list(real(directory))

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            nonlocal looked_at
            while True:
                looked_at += 1
                yield self.entries[looked_at % len(self.entries)]

    monkeypatch.setattr(os, "scandir", Endless)
    report = verify_pack(pack)
    assert told(report) == {("PK2", "")}
    assert looked_at == MOST_ENTRIES + 1
    assert report.facts["files_verified"] == sorted(seven_members())


def test_PK12_devices_are_found_and_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a directory that really has some: making one takes rights that not everybody has."""
    opened: list[str] = []
    real = os.open

    def counting(path: str, *args: Any, **options: Any) -> int:
        opened.append(path)
        return real(path, *args, **options)

    monkeypatch.setattr(os, "open", counting)
    report = verify_pack("/dev")
    assert {("PK2", "null"), ("PK12", "null"), ("PK12", "zero"), ("PK1", "run.json")} <= told(report)
    assert opened == ["/dev"]


@pytest.mark.parametrize("name", MEMBERS)
def test_PK12_a_device_in_place_of_a_member_is_not_read(name: str) -> None:
    manifest = Manifest("pack", [Entry(name, "device")])

    class NeverRead:
        def read(self, name: str, most: int) -> bytes:
            raise AssertionError(name, most)

        stream: Any = read

    report = examine_pack(manifest, NeverRead())
    assert ("PK12", name) in told(report)


def test_the_directory_itself_is_no_symlink(pack: str, tmp_path: Path) -> None:
    link = str(tmp_path / "link")
    os.symlink(pack, link)
    for path in (link, link + "/", link + "//", link + "/.", link + "/./"):
        with pytest.raises(ReadFailed, match="a symlink") as caught:
            verify_pack(path)
        assert caught.value.code == "IO"
    os.symlink(tmp_path, tmp_path / "above")
    assert verify_pack(tmp_path / "above" / "pack").ok  # what is above the pack is the caller's


@pytest.mark.parametrize("kind", ["FIFO", "socket", "device", "absent", "NUL", "too long", "below a file"])
def test_what_is_no_pack_at_all_is_an_error(pack: str, tmp_path: Path, kind: str) -> None:
    path = str(tmp_path / "thing")
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "socket":
        put_socket(path)
    elif kind == "device":
        path = "/dev/null"
    elif kind == "NUL":
        path = "a\0b"
    elif kind == "too long":
        path = "a" * 300
    elif kind == "below a file":
        path = os.path.join(pack, "run.json", "pack")
    with pytest.raises(ReadFailed) as caught:
        verify_pack(path)
    assert caught.value.code == "IO"


def test_PK7_two_dots_are_a_finding_only_as_a_whole_step(pack: str, tmp_path: Path) -> None:
    os.mkdir(tmp_path / "x")
    report = verify_pack(str(tmp_path / "x" / ".." / "pack"))
    assert told(report) == {("PK7", "")}
    assert f'such as "{pack}"' in report.findings[0].message
    assert verify_pack(write_directory(tmp_path / "a..b", two_members())).ok


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_without_end_is_a_finding(pack: str, name: str, opening: bytes) -> None:
    with open(os.path.join(pack, name), "wb") as file:
        file.write(opening * 150_000)
    assert (RULE_OF[name], name) in told(verify_pack(pack))


def test_nothing_stays_open(pack: str, tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    verify_pack(pack)
    os.unlink(os.path.join(pack, "run.json"))
    verify_pack(pack)
    with pytest.raises(ReadFailed):
        verify_pack(tmp_path / "absent")
    assert os.listdir("/proc/self/fd") == before

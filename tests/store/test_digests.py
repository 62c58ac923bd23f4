"""Digests of many files: what is right, what is wrong, what changes meanwhile."""

from __future__ import annotations

import hashlib
import os
import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.store import fs
from affidavit.store.digests import CHANGED, SIZE, Unmeasured, digest_files
from affidavit.store.measure import SMALL, Digester

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHUNK = 256 << 10


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Iterator[fs.Dir]:
    """The open directory `tmp_path`; afterwards as many descriptors are open as before."""
    before = len(os.listdir("/proc/self/fd"))
    opened = fs.open_root(str(tmp_path))
    yield opened
    fs.close(opened)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("size", [0, 1, 1024, SMALL - 1, SMALL, SMALL + 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
def test_a_digest_is_that_of_the_bytes(tmp_path: Path, root: fs.Dir, size: int) -> None:
    data = os.urandom(size)
    (tmp_path / "file").write_bytes(data)
    assert digest_files(root, [("file", size)]) == [_sha256(data)]


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["a", "b", "c d", "\u00e9"]), min_size=1, max_size=4), st.binary(max_size=64)
        ),
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_results_stand_in_the_order_asked_for(
    tmp_path_factory: pytest.TempPathFactory, files: list[tuple[list[str], bytes]], source: object
) -> None:
    top = tmp_path_factory.mktemp("tree")
    told: dict[str, bytes] = {}
    for names, data in files:
        path = "/".join(f"{name}.d" for name in names[:-1]) + ("/" if names[1:] else "") + names[-1]
        os.makedirs(os.path.dirname(top / path), exist_ok=True)
        (top / path).write_bytes(data)
        told[path] = data
    wanted = [(path, len(data)) for path, data in told.items()] * 2  # the same twice is answered twice
    source.shuffle(wanted)  # type: ignore[attr-defined]
    opened = fs.open_root(str(top))
    try:
        assert digest_files(opened, wanted) == [_sha256(told[path]) for path, _ in wanted]
    finally:
        fs.close(opened)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("absent", fs.ABSENT),
        ("none/file", fs.ABSENT),
        ("link", fs.SYMLINK),
        ("linked/file", fs.SYMLINK),
        ("dangling", fs.SYMLINK),
        ("fifo", fs.NOT_REGULAR),
        ("socket", fs.NOT_REGULAR),
        ("real", fs.NOT_REGULAR),
        ("file/below", fs.NOT_DIRECTORY),
        ("/etc/passwd", fs.NAME),
        ("/file", fs.NAME),
        ("../file", fs.NAME),
        ("real/../file", fs.NAME),
        ("real/..", fs.NOT_REGULAR),
        ("./file", fs.NAME),
        (".", fs.NOT_REGULAR),
        ("real//file", fs.NAME),
        ("real/", fs.NAME),
        ("", fs.NAME),
        ("fi\0le", fs.NAME),
        ("re\0al/file", fs.NAME),
        ("x" * 300, fs.ABSENT),
        ("d/" * 200 + "f", fs.TOO_LARGE),
        ("\ud800", fs.NAME),
    ],
)
def test_what_is_no_regular_file_below_the_root_is_said_and_not_followed(
    tmp_path: Path, root: fs.Dir, path: str, code: str
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_bytes(b"inside")
    (tmp_path / "file").write_bytes(b"here")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "linked").symlink_to("real")
    (tmp_path / "dangling").symlink_to("/nowhere")
    os.mkfifo(tmp_path / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(tmp_path)  # a socket's path must be short
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
        # its neighbours are digested all the same
        results = digest_files(root, [("real/file", 6), (path, 4), ("file", 4), ("real/file", 6)])
    wrong = results.pop(1)
    assert isinstance(wrong, Unmeasured)
    assert (wrong.code, wrong.found != "") == (code, True)
    assert results == [_sha256(b"inside"), _sha256(b"here"), _sha256(b"inside")]


@pytest.mark.parametrize(("size", "told"), [(3, 4), (3, 2), (0, 1), (1, 0), (CHUNK, CHUNK + 1), (CHUNK, 3)])
def test_a_file_of_another_size_is_not_read(tmp_path: Path, root: fs.Dir, size: int, told: int) -> None:
    (tmp_path / "file").write_bytes(bytes(size))
    assert digest_files(root, [("file", told)]) == [Unmeasured(SIZE, f"{told} bytes", f"{size} bytes")]


def test_a_file_that_says_it_is_empty_and_is_not_is_no_empty_file() -> None:
    """Sizes in /proc are lies; so may those of other file systems be."""
    opened = fs.open_root(f"/proc/{os.getpid()}")
    try:
        assert digest_files(opened, [("stat", 0)]) == [
            Unmeasured(CHANGED, "0 bytes", "1 bytes while it was being read")
        ]
    finally:
        fs.close(opened)


def _grow(file: Path) -> None:
    with open(file, "ab") as opened:
        opened.write(b"more")


def _touch_inside(file: Path) -> None:
    with open(file, "r+b") as opened:
        opened.write(b"other")


def _replace(file: Path) -> None:
    (file.parent / "new").write_bytes(file.read_bytes())
    os.replace(file.parent / "new", file)


def _become_a_link(file: Path) -> None:
    os.rename(file, file.parent / "moved")
    file.symlink_to("moved")


@pytest.mark.parametrize("change", [_grow, _touch_inside, _replace, os.unlink, lambda file: os.truncate(file, 9)])
@pytest.mark.parametrize("when", [1, 4])
def test_a_file_that_changes_while_it_is_read_is_a_finding(
    tmp_path: Path, root: fs.Dir, change: Callable[[Path], None], when: int
) -> None:
    file = tmp_path / "file"
    file.write_bytes(os.urandom(4 * CHUNK))
    ticks = 0

    def tick(_: int) -> None:
        nonlocal ticks
        ticks += 1
        if ticks == when:
            change(file)

    with Digester(root, [("file", 4 * CHUNK)], tick) as digester:
        (wrong,) = digester.digest([0])
    assert isinstance(wrong, tuple)
    assert (wrong[0], wrong[2] != "") == (CHANGED, True)


def test_a_file_that_becomes_a_link_to_itself_is_a_finding(tmp_path: Path, root: fs.Dir) -> None:
    test_a_file_that_changes_while_it_is_read_is_a_finding(tmp_path, root, _become_a_link, 2)


def test_a_directory_that_is_swapped_for_a_link_is_not_left(tmp_path: Path, root: fs.Dir) -> None:
    """What was opened stays opened: the rest of the directory's files are those of the directory that stood there."""
    (tmp_path / "in").mkdir()
    (tmp_path / "outside").mkdir()
    for number in range(4):
        (tmp_path / f"in/{number}").write_bytes(bytes(CHUNK) + b"in")
        (tmp_path / f"outside/{number}").write_bytes(bytes(CHUNK) + b"no")

    def tick(_: int) -> None:
        if not (tmp_path / "was").exists():
            os.rename(tmp_path / "in", tmp_path / "was")
            (tmp_path / "in").symlink_to("outside")

    wanted = [(f"in/{number}", CHUNK + 2) for number in range(4)]
    with Digester(root, wanted, tick) as digester:
        found = digester.digest(range(4))
        assert found == [_sha256(bytes(CHUNK) + b"in")] * 4


def test_an_unreadable_file_is_a_finding() -> None:
    """mem of a process is a regular file that cannot be read at its start, for anybody."""
    opened = fs.open_root(f"/proc/{os.getpid()}")
    try:
        (wrong,) = digest_files(opened, [("mem", 0)])
    finally:
        fs.close(opened)
    assert wrong == Unmeasured(fs.UNREADABLE, "a regular file", "Input/output error")


def test_progress_counts_every_byte_and_keeps_quiet_between(tmp_path: Path, root: fs.Dir) -> None:
    for number in range(5):
        (tmp_path / f"{number}").write_bytes(bytes(CHUNK * number))
    told: list[tuple[int, int]] = []
    wanted = [(f"{number}", CHUNK * number) for number in range(5)]
    digest_files(root, wanted, progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(0 <= done <= total == 10 * CHUNK for done, total in told)
    assert told == sorted(told)


def test_without_directory_handles_the_same_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/file").write_bytes(b"1234")
    (tmp_path / "big").write_bytes(bytes(SMALL + 1))
    (tmp_path / "link").symlink_to("big")
    monkeypatch.setattr(fs, "HAS_HANDLES", False)
    opened = fs.open_root(str(tmp_path))
    assert isinstance(opened, str)
    wanted = [("a/file", 4), ("big", SMALL + 1), ("link", 4), ("a/../big", SMALL + 1)]
    first, second, third, fourth = digest_files(opened, wanted)
    assert (first, second) == (_sha256(b"1234"), _sha256(bytes(SMALL + 1)))
    assert isinstance(third, Unmeasured)
    assert third.code == fs.SYMLINK
    assert isinstance(fourth, Unmeasured)
    assert fourth.code == fs.NAME

"""A pack in an archive that somebody hostile made: it has one reading or findings, and nothing of it lands anywhere."""

from __future__ import annotations

import io
import os
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit import verify_pack
from affidavit.contracts.pack import MEMBERS, RULE_OF
from affidavit.errors import ReadFailed
from affidavit.packs.open import open_pack
from tests.support.pack_files import seven_members, two_members, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from affidavit.rules.model import Report

SEVEN, TWO = seven_members(), two_members()


def told(report: Report) -> set[tuple[str, str]]:
    return {(finding.rule_id, finding.path) for finding in report.findings}


def archive_of(members: Mapping[str, bytes], change: Callable[[zipfile.ZipInfo], None] = lambda _info: None) -> bytes:
    """An archive as Python's own module writes it, with something changed in each entry's record."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            change(info)
            archive.writestr(info, data)
    return file.getvalue()


def judged(tmp_path: Path, data: bytes, level: Any = "spec") -> Report:
    path = tmp_path / "pack.zip"
    path.write_bytes(data)
    return verify_pack(path, level=level)


def patched(data: bytes, signature: bytes, offset: int, form: str, value: int, *, which: int = 0) -> bytes:
    """`data` with one number of one record set."""
    at = -1
    for _ in range(which + 1):
        at = data.index(signature, at + 1)
    at += offset
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form) :]


CENTRAL, LOCAL, END = b"PK\1\2", b"PK\3\4", b"PK\5\6"


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_sound_archive_is_verified_and_leaves_nothing_behind(tmp_path: Path, method: int) -> None:
    path = write_archive(tmp_path / "pack.zip", SEVEN, method=method)
    report = verify_pack(path)
    assert report.ok
    assert report.facts["files_verified"] == sorted(SEVEN)
    assert os.listdir(tmp_path) == ["pack.zip"]


def test_an_archive_that_was_written_to_a_pipe_is_verified(tmp_path: Path) -> None:
    class Unseekable(io.RawIOBase):
        def __init__(self) -> None:
            self.data = b""

        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            self.data += bytes(data)
            return len(data)

    file = Unseekable()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in SEVEN.items():
            archive.writestr(name, data)
    assert b"PK\7\x08" in file.data  # sizes stand behind the data
    assert judged(tmp_path, file.data).ok


@pytest.mark.parametrize(
    "name",
    [
        "../run.json",
        "../../etc/passwd",
        "/etc/passwd",
        "a/../../x",
        "C:\\x",
        "..\\x",
        "a/b",
        "~/x",
        "a\\..\\b",
        "./run.json",
    ],
)
def test_PK7_names_that_would_slip_out_are_found_and_go_nowhere(tmp_path: Path, name: str) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    report = judged(inner, archive_of({**TWO, name: b"{}"}))
    assert {"PK2", "PK7"} & {rule for rule, path in told(report) if path == name}
    assert not report.ok
    assert os.listdir(inner) == ["pack.zip"]
    assert os.listdir(tmp_path) == ["a"]


def test_PK7_two_dots_alone_are_no_name(tmp_path: Path) -> None:
    assert ("PK7", "..") in told(judged(tmp_path, archive_of({**TWO, "..": b""})))


@pytest.mark.parametrize("name", sorted(TWO))
def test_ZIP_a_name_twice_is_found(tmp_path: Path, name: str) -> None:
    """One program takes the first, another the last: then there are two packs in one file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member, text in TWO.items():
            archive.writestr(member, text)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr(name, b"{}")
    report = judged(tmp_path, file.getvalue())
    assert ("ZIP", name) in told(report)
    assert name not in report.facts["files_verified"]


@pytest.mark.parametrize(
    ("raw", "is_utf8"),
    [(b"r\xe9sum\xe9.json", False), (b"\x81\x82", False), (b"\xff\xfe", True), ("é".encode(), False)],
)
def test_ZIP_names_in_another_encoding_are_found_and_shown_safely(tmp_path: Path, raw: bytes, is_utf8: bool) -> None:
    data = archive_of({**TWO, "x" * len(raw): b""}).replace(b"x" * len(raw), raw)
    if is_utf8:
        data = patched(data, CENTRAL, 8, "<H", 0x800, which=2)
        data = patched(data, LOCAL, 6, "<H", 0x800, which=2)
    report = judged(tmp_path, data)
    assert {"PK2", "ZIP"} <= {rule for rule, _ in told(report)}
    assert all(finding.message.isprintable() for finding in report.findings)


@pytest.mark.parametrize("name", ["run.json\u202e", "rün.json", "run.json\u200b", "\ufeffrun.json"])
def test_PK2_look_alikes_are_no_members(tmp_path: Path, name: str) -> None:
    assert ("PK2", name) in told(judged(tmp_path, archive_of({**TWO, name: b"{}"})))


@pytest.mark.parametrize(
    ("mode", "rules"),
    [
        (stat.S_IFLNK, {"PK6"}),
        (stat.S_IFIFO, {"PK12"}),
        (stat.S_IFSOCK, {"PK12"}),
        (stat.S_IFCHR, {"PK12"}),
        (stat.S_IFBLK, {"PK12"}),
        (stat.S_IFDIR, {"PK2", "PK12"}),
    ],
)
@pytest.mark.parametrize("name", ["run.json", "ledger.jsonl", "notes"])
def test_PK6_PK12_an_entry_that_is_no_regular_file(tmp_path: Path, mode: int, rules: set[str], name: str) -> None:
    def change(info: zipfile.ZipInfo) -> None:
        if info.filename == name:
            info.external_attr = (mode | 0o644) << 16

    report = judged(tmp_path, archive_of({**SEVEN, name: b"/etc/passwd"}, change))
    assert {(rule, name) for rule in rules} <= told(report)
    assert name not in report.facts["files_verified"]


def zeros(size: int) -> bytes:
    """That many zero bytes, deflated."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    pieces = [deflate.compress(bytes(1 << 20)) for _ in range(size >> 20)]
    return b"".join([*pieces, deflate.flush()])


def entry(name: str, deflated: bytes, size: int, crc: int = 0) -> tuple[bytes, Callable[[int], bytes]]:
    """A local record with its data, and the central one, given where that stands."""
    raw = name.encode()
    facts = struct.pack("<HHHHHIII", 20, 0, 8, 0, 0x21, crc, len(deflated), size)
    local = LOCAL + facts + struct.pack("<HH", len(raw), 0) + raw + deflated
    return (
        local,
        lambda offset: (
            CENTRAL + struct.pack("<H", 20) + facts + struct.pack("<HHHHHII", len(raw), 0, 0, 0, 0, 0, offset) + raw
        ),
    )


def assembled(*entries: tuple[bytes, Callable[[int], bytes]]) -> bytes:
    body, central = b"", b""
    for local, record in entries:
        central += record(len(body))
        body += local
    return body + central + END + struct.pack("<HHHHIIH", 0, 0, len(entries), len(entries), len(central), len(body), 0)


def within(path: str, megabytes: int) -> dict[str, Any]:
    """What verifying `path` says in a process that may not have more memory than that."""
    limit = megabytes << 20
    probe = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
        "from affidavit import verify_pack\n"
        f"report = verify_pack({path!r})\n"
        "print([[finding.rule_id, finding.path] for finding in report.findings])\n"
    )
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    found: Any = [tuple(pair) for pair in eval(ran.stdout)]  # our own words
    return {"found": set(found)}


@pytest.fixture(scope="module")
def bomb() -> bytes:
    return zeros(512 << 20)


@pytest.mark.parametrize("name", ["bundle.json", "ledger.jsonl", "meta.json", "model_io.json"])
@pytest.mark.parametrize("declared", [10, 60 << 20, 512 << 20])
def test_a_zip_bomb_is_found_in_bounded_memory_whatever_size_it_says_it_has(
    tmp_path: Path, bomb: bytes, name: str, declared: int
) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(assembled(entry("run.json", zeros(0), 0), entry(name, bomb, declared)))
    found = within(str(path), 400)["found"]
    assert {("ZIP", name), (RULE_OF[name], name)} & found


def test_ZIP_many_entries_over_the_same_data_are_found(tmp_path: Path) -> None:
    """The bomb that needs no nesting: records that overlap, each inflating the same data again."""
    first, record = entry("run.json", zeros(1 << 20), 1 << 20)
    _, again = entry("bundle.json", zeros(1 << 20), 1 << 20)
    central = record(0) + again(0)
    data = first + central + END + struct.pack("<HHHHIIH", 0, 0, 2, 2, len(central), len(first), 0)
    assert {("ZIP", ""), ("ZIP", "bundle.json")} <= told(judged(tmp_path, data))


def test_as_many_entries_as_an_archive_can_have_give_one_finding(tmp_path: Path) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(65_000):
            archive.writestr(f"{number}", b"")
    report = judged(tmp_path, file.getvalue())
    assert ("PK2", "") in told(report)
    assert len(report.findings) < 10


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_without_end_is_a_finding(tmp_path: Path, opening: bytes) -> None:
    for name in MEMBERS:
        assert (RULE_OF[name], name) in told(judged(tmp_path, archive_of({**TWO, name: opening * 150_000})))


def _shifted(data: bytes, by: int) -> bytes:
    """With all offsets moved, so that they are right again."""
    end = data.rindex(END)
    count, _, offset = struct.unpack("<HII", data[end + 10 : end + 20])
    data = patched(data, END, 16, "<I", offset + by)
    for which in range(count):
        at = data.index(CENTRAL)
        for _ in range(which):
            at = data.index(CENTRAL, at + 1)
        (old,) = struct.unpack("<I", data[at + 42 : at + 46])
        data = data[: at + 42] + struct.pack("<I", old + by) + data[at + 46 :]
    return data


def _with_gap(data: bytes) -> bytes:
    second = data.index(LOCAL, 4)
    data = data[:second] + b"\0" * 7 + data[second:]
    end = data.rindex(END)
    (offset,) = struct.unpack("<I", data[end + 16 : end + 20])
    data = patched(data, END, 16, "<I", offset + 7)
    return patched(data, CENTRAL, 42, "<I", second + 7, which=1)


#: Something about the archive is not as it must be: what is done to a sound one, and the place of the finding.
SPOILED: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "encrypted": (lambda data: patched(patched(data, CENTRAL, 8, "<H", 1), LOCAL, 6, "<H", 1), "run.json"),
    "another method": (lambda data: patched(patched(data, CENTRAL, 10, "<H", 12), LOCAL, 8, "<H", 12), "run.json"),
    "another name in the record": (lambda data: data.replace(b"run.json", b"RUN.json", 1), "run.json"),
    "another size in the record": (lambda data: patched(data, LOCAL, 22, "<I", 1), "run.json"),
    "another checksum": (
        lambda data: patched(patched(data, CENTRAL, 16, "<I", 1), LOCAL, 14, "<I", 1),
        "run.json",
    ),
    "another volume": (lambda data: patched(data, CENTRAL, 34, "<H", 1), "run.json"),
    "no record there": (lambda data: patched(data, CENTRAL, 42, "<I", 5), "run.json"),
    "something before the first record": (
        lambda data: _shifted(b"MZ" * 50 + data, 100),
        "",
    ),
    "something between the records": (_with_gap, ""),
    "a second end record in the comment": (
        lambda data: data[:-2] + struct.pack("<H", 22) + data[-22:],
        "",
    ),
}


@pytest.mark.parametrize("spoiled", SPOILED)
def test_ZIP_an_archive_has_one_reading(tmp_path: Path, spoiled: str) -> None:
    change, place = SPOILED[spoiled]
    sound = archive_of(TWO)
    assert judged(tmp_path, sound).ok
    report = judged(tmp_path, change(sound))
    assert ("ZIP", place) in told(report)


@pytest.mark.parametrize(
    "change",
    [
        lambda _data: b"",
        lambda _data: b"PK\3\4",
        lambda data: data + b"x",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(CENTRAL, b"PK\1\3", 1),
        lambda data: patched(data, END, 4, "<H", 1),
        lambda data: patched(data, END, 10, "<H", 3),
        lambda data: patched(data, END, 12, "<I", 0),
        lambda data: patched(data, END, 16, "<I", 0xFFFFFFFF),
        lambda data: patched(data, CENTRAL, 28, "<H", 0xFFFF),
    ],
)
def test_what_is_no_archive_is_an_error(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(ReadFailed) as caught:
        judged(tmp_path, change(archive_of(TWO)))
    assert caught.value.code == "ARCHIVE"


def test_one_folder_around_everything_is_taken_at_compat_and_not_at_spec(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "pack.zip", TWO, folder="pack/")
    assert {rule for rule, _ in told(verify_pack(path))} >= {"PK1", "PK2"}
    assert verify_pack(path, level="compat").ok
    two = archive_of({"a/run.json": TWO["run.json"], "b/bundle.json": TWO["bundle.json"]})
    assert not judged(tmp_path, two, "compat").ok
    up = archive_of({f"../{name}": data for name, data in TWO.items()})
    assert not judged(tmp_path, up, "compat").ok


def test_an_archive_that_is_a_symlink_is_refused(tmp_path: Path) -> None:
    write_archive(tmp_path / "real.zip", TWO)
    os.symlink("real.zip", tmp_path / "pack.zip")
    with pytest.raises(ReadFailed, match="a symlink"):
        verify_pack(tmp_path / "pack.zip")


SOUND = archive_of(TWO)


@given(data=st.data())
def test_ZIP_whatever_bytes_are_changed_there_is_an_answer_and_no_second_reading(data: st.DataObject) -> None:
    """What we take, the standard library's module reads alike, byte by byte."""
    changed = bytearray(SOUND)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(changed) - 1))
        kind = data.draw(st.sampled_from(["set", "insert", "delete"]))
        if kind == "set":
            changed[at] = data.draw(st.integers(0, 255))
        elif kind == "insert":
            changed[at:at] = data.draw(st.binary(max_size=30))
        elif len(changed) > 40:
            del changed[at]
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "pack.zip")
        with open(path, "wb") as file:
            file.write(changed)
        try:
            report = verify_pack(path)
        except ReadFailed:
            return
        if not any(finding.rule_id == "ZIP" for finding in report.findings):
            manifest, reader = open_pack(path)
            with zipfile.ZipFile(path) as other:
                assert sorted(other.namelist()) == sorted(entry.name for entry in manifest.entries)
                for name in other.namelist():
                    assert reader.read(name, 1 << 30) == other.read(name)
            reader.close()

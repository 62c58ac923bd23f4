"""`affidavit canonicalize`: writes, checks, hashes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from tests.support.cli import affidavit, on_terminal

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b'{"b": [1.0, "\\u00e9"], "a": 1e21}\n'
CANONICAL = '{"a":1e+21,"b":[1,"é"]}'.encode()


def test_it_writes_the_canonical_bytes_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(TEXT)
    for words, stdin in (((str(path),), b""), (("-",), TEXT), ((), TEXT)):
        ran = affidavit("canonicalize", *words, stdin=stdin)
        assert (ran.status, ran.out, ran.err) == (0, CANONICAL, b"")


def test_on_a_terminal_the_line_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(TEXT)
    assert on_terminal("canonicalize", str(path)).out == CANONICAL + b"\n"


@pytest.mark.parametrize(
    ("data", "status"),
    [(CANONICAL, 0), (CANONICAL + b"\n", 0), (CANONICAL + b"\n\n", 1), (TEXT, 1), (b" 1", 1), (b"1", 0)],
)
def test_check_tells_by_its_exit_status(data: bytes, status: int) -> None:
    ran = affidavit("canonicalize", "--check", stdin=data)
    assert (ran.status, ran.out) == (status, b"")
    body = read(affidavit("canonicalize", "--check", "--json", stdin=data).out)
    assert isinstance(body, dict)
    assert body["canonical"] is (status == 0)


def test_check_takes_several_files_and_judges_each(tmp_path: Path) -> None:
    good, bad, broken = (tmp_path / name for name in ("good.json", "bad.json", "broken.json"))
    good.write_bytes(CANONICAL)
    bad.write_bytes(TEXT)
    broken.write_bytes(b"{")
    assert affidavit("canonicalize", "--check", str(good), str(good)).status == 0
    ran = affidavit("canonicalize", "--check", str(good), str(bad))
    assert (ran.status, ran.out) == (1, b"")
    assert str(bad).encode() in ran.err
    assert str(good).encode() not in ran.err
    ran = affidavit("canonicalize", "--check", str(broken), str(bad), str(tmp_path / "absent"))
    assert ran.status == 2
    assert all(str(path).encode() in ran.err for path in (broken, bad, tmp_path / "absent"))
    body = read(affidavit("canonicalize", "--check", "--json", str(broken), str(bad), str(good)).out)
    assert isinstance(body, dict)
    assert body["canonical"] is False
    assert isinstance(body["files"], list)
    assert [row.get("canonical") for row in body["files"] if isinstance(row, dict)] == [None, False, True]


def test_only_check_takes_several_files() -> None:
    ran = affidavit("canonicalize", "a", "b")
    assert ran.status == 2
    assert b"--check" in ran.err


def test_check_names_the_first_byte_that_differs() -> None:
    assert b"at byte 1" in affidavit("canonicalize", "--check", stdin=b'{ "a":1}').err


def test_hashes_of_each_profile() -> None:
    wanted = {
        "kernel": "sha256:" + hashlib.sha256(CANONICAL + b"\n").hexdigest(),
        "engine": hashlib.sha256(CANONICAL).hexdigest(),
        "raw": "sha256:" + hashlib.sha256(TEXT).hexdigest(),
    }
    for profile, digest in wanted.items():
        assert affidavit("canonicalize", "--hash", profile, stdin=TEXT).out == digest.encode() + b"\n"
        told = affidavit("canonicalize", "--json", "--hash", profile, stdin=TEXT).out
        assert told == canonical({"digest": digest, "profile": profile.upper()}) + b"\n"


def test_raw_hashes_bytes_that_are_no_json() -> None:
    ran = affidavit("canonicalize", "--hash", "raw", stdin=b"\xff")
    assert (ran.status, ran.out) == (0, f"sha256:{hashlib.sha256(bytes([255])).hexdigest()}\n".encode())


def test_what_is_not_strict_json_is_an_error_with_its_place() -> None:
    ran = affidavit("canonicalize", stdin=b'{"a":1,\n"a":2}')
    assert (ran.status, ran.out) == (2, b"")
    error = read(ran.err)
    assert isinstance(error, dict)
    details = error["details"]
    assert isinstance(details, dict)
    assert (error["code"], details["offset"], details["line"], details["column"]) == ("JSON_DUPLICATE_KEY", 8, 2, 1)


def test_check_and_hash_exclude_each_other() -> None:
    ran = affidavit("canonicalize", "--check", "--hash", "raw", stdin=b"1")
    assert (ran.status, ran.out) == (2, b"")
    assert b"USAGE" in ran.err

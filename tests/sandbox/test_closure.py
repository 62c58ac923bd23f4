"""What a command needs is read from files that anybody could have written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.sandbox.closure import companions, find, find_closure, words
from affidavit.sandbox.elf import read_elf
from affidavit.sandbox.libraries import parse_cache
from affidavit.sandbox.request import SEARCH

if TYPE_CHECKING:
    from pathlib import Path


def elf_of(data: bytes) -> object:
    descriptor = os.memfd_create("elf")
    try:
        os.write(descriptor, data)
        return read_elf(descriptor)
    finally:
        os.close(descriptor)


with open(os.path.realpath("/bin/sh"), "rb") as program:
    SHELL = program.read(1 << 20)


def test_an_elf_file_says_what_the_system_says_of_it() -> None:
    """ldd is asked about a program of our own system only: it may run what it is asked about."""
    descriptor = os.open(os.path.realpath("/bin/sh"), os.O_RDONLY)
    try:
        found = read_elf(descriptor)
    finally:
        os.close(descriptor)
    assert found is not None
    told = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True).stdout
    assert found.interpreter in told
    assert all(name in told for name in found.needed)
    assert "libc.so.6" in found.needed


@given(st.binary(max_size=300))
def test_any_bytes_are_an_elf_file_or_none(data: bytes) -> None:
    elf_of(data)
    elf_of(b"\x7fELF\x02\x01" + data)
    elf_of(b"\x7fELF\x01\x01" + data)
    parse_cache(data)
    parse_cache(b"glibc-ld.so.cache1.1" + data)


@given(st.lists(st.tuples(st.integers(0, 4095), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_program_with_broken_headers_is_read_or_refused(changes: list[tuple[int, int]]) -> None:
    data = bytearray(SHELL)
    for at, byte in changes:
        data[at] = byte
    elf_of(bytes(data))


def test_links_stay_links_and_lead_to_places_that_are_there(tmp_path: Path) -> None:
    real = tmp_path / "real" / "bin"
    real.mkdir(parents=True)
    shutil.copy("/bin/true", real / "tool-1.0")
    (real / "tool").symlink_to("tool-1.0")
    (tmp_path / "bin").symlink_to("real/bin")
    found = find_closure(["tool"], (str(tmp_path / "bin"), *SEARCH))
    assert found.links[str(tmp_path / "bin")] == "real/bin"
    assert found.links[f"{real}/tool"] == "tool-1.0"
    assert f"{real}/tool-1.0" in found.places
    assert found.links["/usr/local/bin/tool"] == str(tmp_path / "bin" / "tool"), "PATH inside is fixed"
    assert "tool-1.0" in companions(found, ["tool"])
    told = words(found)
    assert told.index(str(tmp_path / "bin")) > told.index("real/bin")


def test_a_script_brings_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env -S sh -e\n")
    script.chmod(0o755)
    found = find_closure([str(script)], SEARCH)
    assert {"env", "sh"} <= found.programs


def test_scripts_that_name_one_another_end(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).write_text(f"#!{tmp_path / other}\n")
        (tmp_path / name).chmod(0o755)
    found = find_closure([str(tmp_path / "a")], SEARCH)
    assert {"a", "b"} <= found.programs


def test_links_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert find_closure(["a"], (str(tmp_path),)).absent == {"a"}


def test_what_is_not_there_is_named() -> None:
    assert find_closure(["no-such-command", "sh"], SEARCH).absent == {"no-such-command"}


@pytest.mark.parametrize("folder", [".", "bin", "", "/x/shims"])
def test_relative_folders_and_shims_are_not_searched(
    folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "bin"
    place.mkdir()
    for where in (tmp_path, place):
        shutil.copy("/bin/true", where / "planted")
    assert find("planted", (folder,)) is None
    assert find("../bin/planted", (str(place),)) is None


def test_a_closure_is_kept_until_a_file_is_replaced(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    search = (str(tmp_path), *SEARCH)
    first = find_closure(["tool"], search)
    assert find_closure(["tool"], search) is first
    tool.unlink()
    tool.write_text("#!/usr/bin/env cat\n")
    tool.chmod(0o755)
    second = find_closure(["tool"], search)
    assert second is not first
    assert {"env", "cat"} <= second.programs


def test_pythons_modules_come_with_it() -> None:
    program = os.path.realpath(sys.executable)
    found = find_closure([program], SEARCH)
    library = os.path.realpath(os.path.dirname(os.__file__))
    assert library in found.folders
    assert any(path.endswith("/libc.so.6") or "libc.so" in path for path in found.places)


def test_companions_tell_no_place_of_this_host() -> None:
    found = find_closure(["npm", "python3"], SEARCH)
    told = companions(found, ["npm", "python3"])
    assert not any(name.startswith("/") or "/" in name[:-1] for name in told)
    assert told == tuple(sorted(told))

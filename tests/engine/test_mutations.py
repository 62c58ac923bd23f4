"""After sealing any change is found, at the default level, and named with the right check: every byte, every node of
every document, files that come, go, or change their name or kind (contracts 3)."""

from __future__ import annotations

import copy
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.profiles import RAW
from affidavit.contracts.engine_family import CONTRACTS, INDEX, INPUT, META, OUTPUT, SUMS
from affidavit.contracts.run_output import outputs_hash
from affidavit.engine.bundle import verify_engine_bundle
from tests.properties.test_total import OTHERS, container_of, places
from tests.support.engine_folders import sealed, write
from tests.support.engines import Files, examined, listed_again, replaced, sealed_files, value

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted(sealed_files())

#: What speaks when the bytes of a file are not the ones that were sealed. The sums are their own witness: a line that
#: changed names another file, has another form or another digest.
NAMED_BY = {name: {"R4"} for name in FILES} | {SUMS: {"R1", "R4", "SUMS"}}


def found(files: Files) -> set[str]:
    return {finding.rule_id for finding in examined(files).findings}


class Bytes(str):
    """Text that stands for bytes, one character each."""

    __slots__ = ()

    def encode(self, *_: str) -> bytes:
        return str.encode(self, "latin-1")


@pytest.mark.parametrize("name", FILES)
def test_every_byte_counts(name: str) -> None:
    """Each byte with its lowest bit flipped, and with its highest: no longer UTF-8."""
    files = sealed_files()
    data = files[name].encode()
    for at in range(len(data)):
        for bit in (0x01, 0x80):
            changed = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
            told = found(files | {name: Bytes(changed.decode("latin-1"))})
            assert told & NAMED_BY[name], (name, at, bit, told)


@pytest.mark.parametrize("name", FILES)
def test_every_cut_and_every_byte_more_is_found(name: str) -> None:
    files = sealed_files()
    for changed in (files[name][:-1], files[name] + "\n", files[name] + " ", "\ufeff" + files[name], ""):
        told = found(files | {name: changed})
        assert told & (NAMED_BY[name] | {"NON_CANONICAL_BYTES"}), (name, changed[-5:], told)


#: A change that whoever made it listed again, under its new digest: what speaks then is what binds the document from
#: elsewhere. RUN_META is bound by nothing (docs/specs/engine-bundle.md says so): only its own rules speak.
BOUND_BY = {INPUT: {"INPUTS_HASH"}, OUTPUT: {"OUTPUTS_HASH", "R3"}} | {name: {"R5"} for name in CONTRACTS}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".json")])
def test_every_node_counts(name: str) -> None:
    """Each member and item removed, and replaced by a value of each other type."""
    files = sealed_files()
    document = value(files, name)
    changes = 0
    for place in places(document):
        for other in (*OTHERS, _GONE):
            changed = copy.deepcopy(document)
            container = container_of(changed, place)
            if other is _GONE:
                del container[place[-1]]
            elif container[place[-1]] == other and type(container[place[-1]]) is type(other):
                continue
            else:
                container[place[-1]] = other
            told = found(replaced(files, name, changed))
            assert "R4" in told, (name, place, other, told)
            if name in BOUND_BY:
                listed = found(listed_again(replaced(files, name, changed)))
                assert listed & BOUND_BY[name], (name, place, other, listed)
            changes += 1
    assert changes > len(document)


_GONE: Any = object()


def test_an_output_with_a_hash_of_its_own_is_still_bound_to_its_input_and_engine() -> None:
    files = sealed_files()
    for member in ("run_id", "engine", "inputs_hash", "semantics"):
        document = value(files, OUTPUT)
        document[member] = {"engine_code": "X", "engine_version": "1"} if member == "engine" else "0" * 64
        document["outputs_hash"] = outputs_hash(document)
        told = found(listed_again(replaced(files, OUTPUT, document)))
        assert told & {"RUN_ID", "ENGINE", "INPUTS_HASH", "R3"}, (member, told)


def paths(place: str) -> set[tuple[str, str]]:
    return {(finding.rule_id, finding.path) for finding in verify_engine_bundle(place).findings}


def test_files_that_come_go_and_change_are_found(tmp_path: Path) -> None:
    run = sealed(str(tmp_path)).path
    whole = str(tmp_path / "whole")
    shutil.copytree(run, whole)

    def again() -> str:
        shutil.rmtree(run)
        shutil.copytree(whole, run)
        return run

    assert not paths(again())
    for name in sorted(os.listdir(whole)):
        os.remove(os.path.join(again(), name))
        assert ("R1", name) in paths(run), name
        os.rename(os.path.join(again(), name), os.path.join(run, name + ".old"))
        assert {("R1", name)} <= paths(run), name
        os.rename(os.path.join(again(), name), os.path.join(run, "aside"))
        os.symlink("aside", os.path.join(run, name))
        assert ("R1", name) in paths(run), name
        os.remove(os.path.join(again(), name))
        os.mkdir(os.path.join(run, name))
        assert ("R1", name) in paths(run), name
        os.remove(os.path.join(again(), name))
        os.mkfifo(os.path.join(run, name))
        assert ("R1", name) in paths(run), name
    write(again(), "more.txt", b"x")
    assert paths(run) == {("R1", "more.txt")}
    write(again(), ".hidden", b"")
    assert paths(run) == {("R1", ".hidden")}
    os.mkdir(os.path.join(again(), "empty"))
    assert paths(run) == {("R1", "empty")}
    os.makedirs(os.path.join(again(), "deep", "empty"))
    assert {("R1", "deep"), ("R1", "deep/empty")} <= paths(run)
    os.mkdir(os.path.join(again(), "sub"))
    write(os.path.join(run, "sub"), INPUT, b"{}")
    assert paths(run) == {("R1", f"sub/{INPUT}")}


def test_another_name_for_the_folder_is_another_run(tmp_path: Path) -> None:
    run = sealed(str(tmp_path)).path
    os.rename(run, str(tmp_path / "run-0002"))
    assert paths(str(tmp_path / "run-0002")) == {("RUN_ID", f"{INPUT}#/run_id")}


def test_two_files_exchanged_are_found() -> None:
    files = sealed_files()
    for one in FILES:
        for other in FILES:
            if one < other and files[one] != files[other]:
                told = found(files | {one: files[other], other: files[one]})
                assert told & {"R4", "SUMS"}, (one, other, told)


def test_an_index_that_was_made_again_without_the_sums_is_found() -> None:
    files = sealed_files()
    again = listed_again(replaced(files, META, value(files, META) | {"sealed_at": "2026-01-07T12:00:00Z"}))
    assert "R4" in found(files | {INDEX: again[INDEX], META: again[META]})
    assert RAW.digest(again[SUMS].encode()) != RAW.digest(files[SUMS].encode())

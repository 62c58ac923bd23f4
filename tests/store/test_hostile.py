"""Runs whose every byte an attacker wrote (contracts 4.3, 4.4): no path leads out, nothing hangs or is believed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.store import digests
from affidavit.store.reader import Refused, load_bundle, open_bundle_unverified, validate
from tests.support.cli import affidavit
from tests.support.runs import commit_run, edit_index, entry_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECRET = b"the secret of somebody else\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run beside a file that is none of its business, of the very content that the run's has."""
    (tmp_path / "secret").write_bytes(SECRET)
    return commit_run(tmp_path / "out", "run-1", {"stdout": SECRET, "deep/file": SECRET, "large": b"x" * 3_000_000})


def _entry(path: str) -> dict[str, Any]:
    digest = hashlib.sha256(SECRET).hexdigest()
    return {"path": path, "file_size": len(SECRET), "sha256": digest, "schema_version": None}


#: Paths that an index may name and that no entry has; each leads, where it is followed, to a file of that content.
PATHS = [
    "/etc/passwd",
    "out/run-1/../../secret",
    "out/run-1/deep/../../../secret",
    "../secret",
    "out/run-1/./stdout",
    "out/run-1//stdout",
    "out/run-1/stdout/",
    "out/run-1/deep",
    "out/run-1/",
    "out/run-1/C:stdout",
    "out\\run-1\\stdout",
    "out/run-1/stdout\x00",
    "",
    "out/run-2/stdout",
    "stdout",
    "out/run-1/artifact_index.json",
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("level", ["spec", "compat", "strict"])
def test_a_path_of_an_index_leads_to_a_file_of_the_run_or_nowhere(run: Path, path: str, level: Any) -> None:
    edit_index(run, lambda index: index["artifacts"].append(_entry(path)))
    report = validate(run, level=level)
    assert {found.rule_id for found in report.findings} & {"RD2", "RD3"}
    with pytest.raises(Refused):
        load_bundle(run, level=level)
    open_bundle_unverified(run)


def test_missing_paths_are_held_to_the_same_rules(run: Path) -> None:
    for path in ("/etc/passwd", "../secret", "out/run-1/../../secret"):
        edit_index(run, lambda index, path=path: index.update(missing=[path], status="partial"))  # type: ignore[misc]
        assert "RD2" in {found.rule_id for found in validate(run).findings}


def test_an_entry_stands_once(run: Path) -> None:
    edit_index(run, lambda index: index["artifacts"].append(entry_in(index, "/stdout")))
    assert [found.within.partition(":")[0] for found in validate(run).findings] == ["IX4"]


def test_paths_that_only_case_tells_apart_are_refused_at_strict(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1", {"Stdout": b"1", "stdout": b"2"})
    assert validate(run).ok
    assert "IX4" in {found.within.partition(":")[0] for found in validate(run, level="strict").findings}


def _symlinked_parent(run: Path) -> None:
    outside = run.parent.parent / "elsewhere"
    os.rename(run / "deep", outside)
    os.symlink(outside, run / "deep")


def _replaced_by(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(run: Path) -> None:
        os.unlink(run / "stdout")
        make(run / "stdout")

    return replace


def _socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket may be no longer than 108 bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


#: What may stand where a file should; where it is followed or believed, the content is right.
REPLACEMENTS: dict[str, Callable[[Path], object]] = {
    "a symlink to the same content": _replaced_by(lambda path: path.symlink_to(path.parent.parent.parent / "secret")),
    "a symlink to a file of the run": _replaced_by(lambda path: path.symlink_to("deep/file")),
    "a symlink to itself": _replaced_by(lambda path: path.symlink_to("stdout")),
    "a FIFO": _replaced_by(os.mkfifo),
    "a socket": _replaced_by(_socket),
    "a directory": _replaced_by(os.mkdir),
    "a device": _replaced_by(lambda path: path.symlink_to("/dev/zero")),
    "a symlinked parent": _symlinked_parent,
}


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_what_is_no_regular_file_of_the_run_is_refused(run: Path, name: str) -> None:
    REPLACEMENTS[name](run)
    assert "RD3" in {found.rule_id for found in validate(run).findings}
    with pytest.raises(Refused):
        load_bundle(run)
    bundle = open_bundle_unverified(run)
    assert bundle.digest_mismatches or bundle.missing


@pytest.mark.parametrize("name", REPLACEMENTS)
def test_what_is_swapped_during_the_verification_is_refused(
    run: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the directory was listed and before the file is read: the listing was right, what is read is not."""

    def digest_files(*given: Any, **named: Any) -> Any:
        REPLACEMENTS[name](run)
        return digests.digest_files(*given, **named)

    monkeypatch.setattr("affidavit.store.survey.digest_files", digest_files)
    with pytest.raises(Refused):
        load_bundle(run)


def test_a_large_file_that_is_swapped_while_it_is_read_is_refused(run: Path) -> None:
    """By another of the same content: what was read is not what stands there."""
    copy = run.parent.parent / "copy"
    shutil.copyfile(run / "large", copy)
    swapped = False

    def swap(_done: int, _total: int) -> None:
        nonlocal swapped
        if not swapped:
            swapped = True
            os.replace(copy, run / "large")

    with pytest.raises(Refused, match="another, or changed content"):
        load_bundle(run, progress=swap)
    assert swapped


@pytest.mark.parametrize("member", ["file_size", "sha256", "path", "schema_version"])
@pytest.mark.parametrize("value", [None, -1, 1.5, 1e300, True, "", "x", [], {}, "0" * 64, "A" * 64])
def test_an_entry_of_any_form_is_a_finding_or_sound(run: Path, member: str, value: object) -> None:
    sound = validate(run).ok
    edit_index(run, lambda index: entry_in(index, "/stdout").update({member: value}))
    report = validate(run)
    assert sound
    assert report.ok == (member == "schema_version" and value is None)
    open_bundle_unverified(run)


@pytest.mark.parametrize("body", [b"null", b"[]", b"{}", b'"x"', b"{" * 300, b"\xff", b"", b'{"artifacts":{}}'])
@pytest.mark.parametrize("name", ["artifact_index.json", "run_status.json"])
def test_a_document_of_any_form_is_refused(run: Path, name: str, body: bytes) -> None:
    (run / name).write_bytes(body)
    assert not validate(run).ok
    with pytest.raises(Refused):
        load_bundle(run)
    open_bundle_unverified(run)


def test_a_tree_without_end_is_refused(run: Path) -> None:
    place = os.open(run, os.O_RDONLY)
    for _ in range(300):  # deeper than a path can be long enough to say
        os.mkdir("d" * 30, dir_fd=place)
        below = os.open("d" * 30, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = below
    os.close(place)
    report = validate(run)
    assert "RD4" in {found.rule_id for found in report.findings}
    open_bundle_unverified(run)


def test_a_directory_that_cannot_be_read_is_told(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(path: Any) -> Any:
        if isinstance(path, int) and os.path.samestat(os.fstat(path), os.stat(run / "deep")):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert ("RD4", "deep/") in {(found.rule_id, found.path) for found in validate(run).findings}


def test_a_sparse_file_of_terabytes_is_not_read(run: Path) -> None:
    os.truncate(run / "stdout", 1 << 42)
    assert [(found.rule_id, found.found) for found in validate(run).findings] == [("RD3", f"{1 << 42} bytes")]


def test_a_huge_document_is_not_held(run: Path) -> None:
    (run / "run.json").touch()
    os.truncate(run / "run.json", 1 << 40)
    assert {found.rule_id for found in validate(run).findings} == {"RD4", "RD9"}


def test_a_name_that_is_not_utf8_is_told_and_not_believed(run: Path) -> None:
    with open(os.fsencode(run) + b"/\xff\x1b[2J", "wb"):
        pass
    found = validate(run).findings
    assert [(one.rule_id, one.path) for one in found] == [("RD4", "\udcff\x1b[2J")]
    ran = affidavit("verify", str(run))
    assert ran.status == 1
    assert b"\x1b" not in ran.out


def test_a_run_id_that_is_a_path_is_refused(run: Path) -> None:
    status = json.loads((run / "run_status.json").read_bytes())
    (run / "run_status.json").write_bytes(canonical({**status, "run_id": "../run-1"}))
    edit_index(run, lambda index: index.update(run_id="../run-1"))
    with pytest.raises(Refused):
        load_bundle(run, level="spec")


def test_findings_are_bounded(run: Path) -> None:
    for number in range(12_000):
        (run / f"f{number}").touch()
    report = validate(run)
    assert len(report.findings) == 10_000
    assert any("beyond the first" in left.reason for left in report.not_checked)

"""From an intent to a changed directory and back: what the evidence of a run records is what applying its pack gives,
wherever it is applied."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from affidavit.canon.profiles import RAW
from affidavit.canon.reader import read
from affidavit.contracts.patch import files_above, unsafe_path
from affidavit.packs.apply import apply_pack
from affidavit.packs.export import export_pack
from affidavit.packs.verify import verify_pack
from tests.support.harness import executed, file
from tests.support.patches import tree

_SEGMENTS = st.text(st.sampled_from("abcÉ名 .-_$*'\"~#"), min_size=1, max_size=4)
_PATHS = st.lists(_SEGMENTS, min_size=1, max_size=3).map("/".join).filter(lambda path: unsafe_path(path) is None)
_CONTENTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@st.composite
def _work(draw: st.DrawFn) -> tuple[dict[str, str], list[dict[str, str]]]:
    """What stands in a workspace, and operations that fit it."""
    paths = draw(st.lists(_PATHS, min_size=1, max_size=6, unique=True))
    below = files_above(paths)
    paths = [path for path in paths if path not in below]
    there: dict[str, str] = {}
    operations: list[dict[str, str]] = []
    for path in paths:
        kind = draw(st.sampled_from(["create", "modify", "delete", "nothing"]))
        if kind != "create":
            there[path] = draw(_CONTENTS)
        if kind != "nothing":
            operations.append(file(path, "" if kind == "delete" else draw(_CONTENTS), kind))
    return there, operations


def _fill(place: Path, files: dict[str, str]) -> Path:
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content.encode())
    return place


@pytest.mark.sandbox
@settings(max_examples=12)
@given(_work())
def test_applying_an_exported_patch_gives_what_the_evidence_records(
    work: tuple[dict[str, str], list[dict[str, str]]],
) -> None:
    there, operations = work
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "work").mkdir()
        (place / "elsewhere").mkdir()
        _fill(place / "work", there)
        target = _fill(place / "elsewhere", there)
        run = executed(place, files=operations)
        assert run.accepted, run.reasons
        exported = export_pack(run.directory, directory=place / "pack", archive=place / "pack.zip", wanted=["meta"])
        assert verify_pack(place / "pack.zip", level="strict").ok
        told = apply_pack(place / "pack", target, dry_run=True).result
        result = apply_pack(place / "pack.zip", target, level="strict").result
        assert result["outcome"] == "SUCCESS"
        assert {**told, "dry_run": False} == result
        _is_as_recorded(target, read((place / "pack" / "evidence.json").read_bytes()), result)
        untouched = there.keys() - {operation["path"] for operation in operations}
        kept = {path for path, (kind, _, _) in tree(target).items() if kind == "file"}
        assert kept == untouched | {operation["path"] for operation in operations if operation["op"] != "delete"}
        again = export_pack(run.directory, archive=place / "again.zip", wanted=["meta"])
        assert again.archive_sha256 == exported.archive_sha256
        assert (place / "again.zip").read_bytes() == (place / "pack.zip").read_bytes()


def _is_as_recorded(target: Path, evidence: Any, result: Any) -> None:
    results = {found["path"]: found for found in result["operation_results"]}
    assert results.keys() == {recorded["path"] for recorded in evidence["action_results"]}
    for recorded in evidence["action_results"]:
        path = recorded["path"]
        if recorded["action"] == "delete":
            assert not (target / path).exists()
            assert results[path]["before_hash"] == recorded["sha256"]
        else:
            assert RAW.digest((target / path).read_bytes()).content_hash == recorded["sha256"]
            assert results[path]["after_hash"] == recorded["sha256"]

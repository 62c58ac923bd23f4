"""Reading a run strictly, or as it is (seed 003, section 1.4; contracts 4.3, 4.4)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.contracts.run import EXAMPLE as RUN_EXAMPLE
from affidavit.errors import ReadFailed
from affidavit.store import reader
from affidavit.store.locate import NoBundle
from affidavit.store.out import LatestInvalid
from affidavit.store.reader import load_bundle, open_bundle_unverified, require_verified, validate
from tests.support.contracts import ROOT
from tests.support.runs import begin_run, commit_run, edit_index, entry_in, rewrite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


#: What a plan run of no lane should have.
EXPECTED = (
    "run_manifest.json",
    "expected_matrix.generated.json",
    "expected_matrix.json",
    "mismatch_summary.json",
    "mismatch_packets.jsonl",
    "summary.json",
    "summary.md",
)


def found_in(path: Path, **options: Any) -> list[tuple[str, str]]:
    return [(found.rule_id, found.path) for found in validate(path, **options).findings]


@pytest.mark.parametrize("level", ["spec", "compat", "strict"])
def test_a_committed_run_is_loaded_by_its_directory_and_by_its_out_folder(tmp_path: Path, level: Any) -> None:
    with begin_run(tmp_path / "out", "run-1", plan_id="plan") as writer:
        writer.put("stdout", b"hello\n")
        writer.put_json("notes.json", {"schema_version": "mine.v1"})
        writer.commit(expected=EXPECTED)
    for path in (tmp_path / "out", tmp_path / "out" / "run-1", f"{tmp_path}/out/run-1/"):
        bundle = load_bundle(path, level=level)
        assert (bundle.run_id, bundle.integrity, bundle.level) == ("run-1", "verified", level)
        assert set(bundle.entries) == {"run_status.json", "stdout", "notes.json"}
        assert bundle.read("stdout") == b"hello\n"
        assert bundle.document("notes.json") == {"schema_version": "mine.v1"}
        assert bundle.status is not None
        assert bundle.status["state"] == "complete"


def test_at_strict_what_should_be_there_is_there_or_missing(tmp_path: Path) -> None:
    run = commit_run(tmp_path / "out", "run-1")
    assert found_in(run) == []
    assert found_in(run, level="strict") == [("RD8", "intent.json"), ("RD8", "policy.json"), ("RD8", "run.json")]


def test_a_run_in_progress_is_refused(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        with pytest.raises(reader.InProgress) as caught:
            load_bundle(tmp_path / "run-1")
        writer.commit()
    assert caught.value.code == "bundle.in_progress"
    assert caught.value.artifact == str(tmp_path / "run-1" / "run_status.json")
    assert {found.rule_id for found in caught.value.report.findings} == {"RD1", "RD2"}


def test_a_run_in_progress_is_refused_though_it_has_an_index(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1")
    status = json.loads((run / "run_status.json").read_bytes())
    rewrite(run, "run_status.json", canonical({**status, "state": "in_progress"}) + b"\n")
    with pytest.raises(reader.InProgress):
        load_bundle(run)


def test_a_run_without_an_index_is_refused(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1")
    os.unlink(run / "artifact_index.json")
    with pytest.raises(reader.IndexRefused, match="found no such file"):
        load_bundle(run)


def test_a_failed_run_is_loaded(tmp_path: Path) -> None:
    with begin_run(tmp_path, "run-1") as writer:
        writer.put("run.json", b'{"torn": ')
        writer.fail("the disk said no")
    bundle = load_bundle(tmp_path)
    assert bundle.index["status"] == "failed"
    assert any("run.json, of a run that failed" in left.reason for left in bundle.report.not_checked)


def _set_state(run: Path) -> None:
    status = json.loads((run / "run_status.json").read_bytes())
    rewrite(run, "run_status.json", canonical({**status, "state": "failed", "error": "no"}) + b"\n")


def _set_world(run: Path) -> None:
    status = json.loads((run / "run_status.json").read_bytes())
    rewrite(run, "run_status.json", canonical({**status, "world_id": "elsewhere"}) + b"\n")


def _add_manifest(run: Path) -> None:
    (run / "run_manifest.json").write_bytes(canonical({"run_id": "run-2", "world_id": "x"}))

    def add(index: dict[str, Any]) -> None:
        index["artifacts"].append({**index["artifacts"][0], "path": "out/run-1/run_manifest.json"})

    edit_index(run, add)
    rewrite(run, "run_manifest.json", canonical({"run_id": "run-2", "world_id": "elsewhere"}))


def _pretty(run: Path) -> None:
    path = run / "artifact_index.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=2))


def _missing(index: dict[str, Any]) -> None:
    index["missing"].append("out/run-1/notes.json")
    index["artifacts"] = [entry for entry in index["artifacts"] if not entry["path"].endswith("notes.json")]
    index["status"] = "partial"


#: What is done to a committed run with `stdout`, `notes.json` and `deep/file`, and which rule refuses it as what.
DAMAGE: dict[str, tuple[Callable[[Path], object], str, type[reader.Refused]]] = {
    "a byte": (lambda run: (run / "stdout").write_bytes(b"hellO\n"), "RD3", reader.ArtifactDiffers),
    "a byte more": (lambda run: (run / "stdout").write_bytes(b"hello\n\n"), "RD3", reader.ArtifactDiffers),
    "a file gone": (lambda run: os.unlink(run / "deep" / "file"), "RD3", reader.ArtifactDiffers),
    "a document's byte": (lambda run: (run / "notes.json").write_bytes(b'{"schema_version":"y"}\n'), "RD3", reader.ArtifactDiffers),  # noqa: E501
    "a file more": (lambda run: (run / "deep" / "more").write_bytes(b""), "RD4", reader.NotIndexed),
    "a symlink more": (lambda run: (run / "link").symlink_to("stdout"), "RD4", reader.NotIndexed),
    "a FIFO more": (lambda run: os.mkfifo(run / "pipe"), "RD4", reader.NotIndexed),
    "another run id": (lambda run: edit_index(run, lambda index: index.update(run_id="run-2")), "RD2", reader.IndexRefused),  # noqa: E501
    "another state": (_set_state, "RD6", reader.Contradicted),
    "another world": (_set_world, "RD5", reader.Contradicted),
    "a manifest of another run": (_add_manifest, "RD5", reader.Contradicted),
    "another status": (lambda run: edit_index(run, lambda index: index.update(status="failed")), "RD6", reader.Contradicted),  # noqa: E501
    "another schema": (lambda run: edit_index(run, lambda index: entry_in(index, "notes.json").update(schema_version="y")), "RD7", reader.Contradicted),  # noqa: E501
    "no schema": (lambda run: edit_index(run, lambda index: entry_in(index, "notes.json").update(schema_version=None)), "RD7", reader.Contradicted),  # noqa: E501
    "a schema of a file that has none": (lambda run: edit_index(run, lambda index: entry_in(index, "stdout").update(schema_version="y")), "RD7", reader.Contradicted),  # noqa: E501
    "missing, and there": (lambda run: edit_index(run, _missing), "RD8", reader.Contradicted),
    "not canonical": (_pretty, "RD10", reader.IndexRefused),
    "no digest": (lambda run: edit_index(run, lambda index: entry_in(index, "stdout").pop("sha256")), "RD2", reader.IndexRefused),  # noqa: E501
    "no size": (lambda run: edit_index(run, lambda index: entry_in(index, "stdout").pop("file_size")), "RD2", reader.IndexRefused),  # noqa: E501
    "no entries": (lambda run: edit_index(run, lambda index: index.update(artifacts=[])), "RD2", reader.IndexRefused),
    "an unknown schema": (lambda run: edit_index(run, lambda index: index.update(schema_version="x.v1")), "RD2", reader.IndexRefused),  # noqa: E501
    "no JSON": (lambda run: (run / "artifact_index.json").write_bytes(b"{"), "RD2", reader.IndexRefused),
    "a status that is no JSON": (lambda run: rewrite(run, "run_status.json", b"{"), "RD9", reader.DocumentRefused),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_is_refused_by_its_rule(tmp_path: Path, damage: str) -> None:
    files = {"stdout": b"hello\n", "notes.json": b'{"schema_version":"x"}\n', "deep/file": b""}
    run = commit_run(tmp_path / "out", "run-1", files)
    harm, rule_id, kind = DAMAGE[damage]
    harm(run)
    assert rule_id in {found.rule_id for found in validate(run).findings}
    with pytest.raises(reader.Refused) as caught:
        load_bundle(run)
    if rule_id not in ("RD4", "RD8", "RD9", "RD10"):  # these come with others
        assert type(caught.value) is kind
    for part in (caught.value.expected, caught.value.found, str(run)):
        assert part in caught.value.message
    open_bundle_unverified(run)  # never raises for content


def test_known_documents_are_verified_where_they_stand(tmp_path: Path) -> None:
    wrong = {**RUN_EXAMPLE, "run_id": "run-1", "kernel_result_kind": "MAYBE"}
    run = commit_run(tmp_path, "run-1", {"run.json": canonical(wrong) + b"\n"})
    report = validate(run)
    assert ("RD9", "run.json") in {(found.rule_id, found.path) for found in report.findings}
    assert any(found.within.startswith("RS2: /kernel_result_kind") for found in report.findings)
    with pytest.raises(reader.DocumentRefused):
        load_bundle(run)


def test_the_result_names_the_run_it_is_of(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1", {"run.json": canonical(RUN_EXAMPLE) + b"\n"})
    assert found_in(run) == [("RD5", "run.json")]


def test_a_copy_verifies_against_its_own_files(tmp_path: Path) -> None:
    """A tampered copy beside its original fails on its own bytes; moved, the original still verifies."""
    run = commit_run(tmp_path / "out", "run-1", {"stdout": b"hello\n"})
    copy = tmp_path / "elsewhere" / "run-1"
    shutil.copytree(run, copy)
    assert load_bundle(copy).read("stdout") == b"hello\n"
    (copy / "stdout").write_bytes(b"hellO\n")
    assert found_in(copy) == [("RD3", "stdout")]
    assert found_in(run) == []
    os.rename(tmp_path / "out", tmp_path / "moved")
    assert load_bundle(tmp_path / "moved").path == str(tmp_path / "moved" / "run-1")


def test_a_directory_of_another_name_is_refused_and_told_at_compat(tmp_path: Path) -> None:
    run = commit_run(tmp_path / "out", "run-1")
    os.rename(run, tmp_path / "out" / "run-2")
    assert found_in(tmp_path / "out" / "run-2") == [("RD5", "artifact_index.json")]
    report = validate(tmp_path / "out" / "run-2", level="compat")
    assert report.ok
    assert [left.rule_id for left in report.not_checked] == ["RD5"]


def test_unindexed_files_are_told_at_compat(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1")
    (run / "notes.txt").write_bytes(b"")
    assert found_in(run) == [("RD4", "notes.txt")]
    report = validate(run, level="compat")
    assert report.ok
    assert [left.reason.partition(":")[0] for left in report.not_checked] == ["notes.txt"]


def test_a_run_without_a_status_is_loaded(tmp_path: Path) -> None:
    """Promotion says that it is missing; reading does not refuse it (contracts 4.4)."""
    run = commit_run(tmp_path, "run-1")
    os.unlink(run / "run_status.json")

    def drop(index: dict[str, Any]) -> None:
        index["artifacts"] = [entry for entry in index["artifacts"] if not entry["path"].endswith("run_status.json")]

    edit_index(run, drop)
    bundle = load_bundle(run)
    assert bundle.status is None
    assert any(left.rule_id == "RD1" for left in bundle.report.not_checked)


def test_an_unverified_bundle_tells_what_is_wrong(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1", {"a": b"1", "b": b"2", "c": b"3"})
    (run / "a").write_bytes(b"0")
    os.unlink(run / "b")
    (run / "d").write_bytes(b"")
    bundle = open_bundle_unverified(tmp_path)
    assert (bundle.integrity, bundle.run_id, bundle.missing, bundle.unindexed) == ("unverified", "run-1", ["b"], ["d"])
    assert [path for path, _, _ in bundle.digest_mismatches] == ["a"]
    assert bundle.document("run_status.json") == bundle.status
    assert bundle.document("b") is None


@pytest.mark.parametrize("name", ["empty", "file", "absent"])
def test_a_path_that_holds_no_run_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for read in (load_bundle, open_bundle_unverified, validate):
        with pytest.raises(NoBundle if name == "empty" else ReadFailed):
            read(tmp_path / name)


def test_what_is_read_of_a_verified_run_is_what_was_verified(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1", {"stdout": b"hello\n"})
    bundle = load_bundle(run)
    (run / "stdout").write_bytes(b"hellO\n")
    with pytest.raises(reader.ChangedSince) as caught:
        bundle.read("stdout")
    assert caught.value.code == "artifact.changed"
    (run / "stdout").write_bytes(b"hello\n!")
    with pytest.raises(ReadFailed):
        bundle.read("stdout")
    with pytest.raises(ReadFailed, match="no entry"):
        bundle.read("../run-1/stdout")


@pytest.mark.parametrize(
    "latest",
    [
        b"../x\n", b"/etc\n", b"", b"\n", b" \n", b"run-1/..\n", b"run-1\n\n", b"run-9\n", b"run-1\0\n", b"\xff\n",
        b".\n", b"..\n", b"file\n", b"link\n", b"bare\n", b"x" * 5_000_000,
    ],
)  # fmt: skip
def test_a_latest_that_names_no_committed_run_is_invalid(tmp_path: Path, latest: bytes) -> None:
    commit_run(tmp_path, "run-1")
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to("run-1")
    (tmp_path / "bare").mkdir()
    (tmp_path / "LATEST").write_bytes(latest)
    with pytest.raises(LatestInvalid) as caught:
        load_bundle(tmp_path)
    assert caught.value.code == "latest.invalid"
    assert load_bundle(tmp_path / "run-1").run_id == "run-1"


@pytest.mark.parametrize("kind", ["symlink", "FIFO", "directory"])
def test_a_latest_that_is_no_file_is_invalid(tmp_path: Path, kind: str) -> None:
    commit_run(tmp_path, "run-1")
    os.rename(tmp_path / "LATEST", tmp_path / "kept")
    if kind == "symlink":
        (tmp_path / "LATEST").symlink_to("kept")
    elif kind == "FIFO":
        os.mkfifo(tmp_path / "LATEST")
    else:
        (tmp_path / "LATEST").mkdir()
    with pytest.raises(LatestInvalid):
        load_bundle(tmp_path)


def test_a_latest_inside_a_run_is_just_a_file(tmp_path: Path) -> None:
    run = commit_run(tmp_path / "out", "run-1", {"LATEST": b"../../elsewhere\n"})
    assert load_bundle(run).run_id == "run-1"


def test_a_symlink_to_a_run_is_not_followed(tmp_path: Path) -> None:
    commit_run(tmp_path / "out", "run-1")
    (tmp_path / "run-1").symlink_to("out/run-1")
    with pytest.raises(ReadFailed, match="a symlink"):
        load_bundle(tmp_path / "run-1")


def test_only_loading_makes_a_verified_bundle(tmp_path: Path) -> None:
    run = commit_run(tmp_path, "run-1")
    unverified = open_bundle_unverified(run)
    assert require_verified(load_bundle(run)).run_id == "run-1"
    with pytest.raises(TypeError, match="UnverifiedBundle"):
        require_verified(unverified)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="load_bundle"):
        reader.VerifiedBundle(object(), str(run), unverified, unverified)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="subclasses"):
        type("Sly", (reader.VerifiedBundle,), {})
    assert not isinstance(unverified, reader.VerifiedBundle)


def test_a_type_checker_tells_the_two_apart(tmp_path: Path) -> None:
    """The refusal is mypy's, and it is the only thing that is wrong with the probe."""
    probe = tmp_path / "probe.py"
    probe.write_text(
        "from affidavit.store.reader import VerifiedBundle, load_bundle, open_bundle_unverified\n"
        "def promote(bundle: VerifiedBundle) -> None: ...\n"
        "promote(load_bundle('x'))\n"
        "promote(open_bundle_unverified('x'))\n"
    )
    cache = os.path.join(ROOT, ".mypy_cache", "probe")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "--config-file", "", str(probe)],
        capture_output=True,
        env={**os.environ, "MYPYPATH": os.path.join(ROOT, "src") + os.pathsep + os.path.join(ROOT, "typings")},
        cwd=tmp_path,
        text=True,
        timeout=300,
        check=False,
    )
    wrong = [line for line in ran.stdout.splitlines() if ": error:" in line]
    assert len(wrong) == 1, ran.stdout + ran.stderr
    assert wrong[0].startswith("probe.py:4:")
    assert 'incompatible type "UnverifiedBundle"; expected "VerifiedBundle"' in wrong[0]

"""Runs of older writers of the family (contracts 4.3, 4.4): repo-relative paths, an older schema's name, indices that
are indented, lists that are partial; moved and copied."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.contracts.artifact_index import OLD_SCHEMA_VERSION, SCHEMA_VERSION
from affidavit.store.reader import Refused, load_bundle, validate
from affidavit.store.reindex import reindex_bundle

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "book/evidence/experiments/probe/out"
RUN = "027ae9a0-50c0-4bd7-b541-2a3d2a9a3e0b"
STATUS = {
    "schema_version": "runtime-tools.run_status.v0.1", "run_id": RUN, "world_id": "sonoma-14.4.1-23E224-arm64",
    "channel": "launchd_clean", "plan_id": "hardened-runtime:v1", "plan_digest": "3f0e", "state": "complete",
    "writer_pid": 4711, "updated_at_unix": 1769000000.25, "error": None, "failure_stage": None,
}  # fmt: skip
MANIFEST = {
    "schema_version": "runtime-tools.run_manifest.v0.1", "run_id": RUN, "world_id": "sonoma-14.4.1-23E224-arm64",
    "channel": "launchd_clean", "plan_id": "hardened-runtime:v1", "plan_digest": "3f0e", "dry_run": False,
    "apply_preflight": None,
}  # fmt: skip


def old_run(place: Path, schema: str, *, listed: tuple[str, ...] = (), more: dict[str, bytes] | None = None) -> Path:
    """A run as it was written then, with the files of `more`; only those in `listed` are in the index, or all."""
    run = place / PREFIX / RUN
    run.mkdir(parents=True)
    files = {
        "run_status.json": json.dumps(STATUS, indent=2).encode(),
        "run_manifest.json": json.dumps(MANIFEST, indent=2).encode(),
        "probe.log": b"deny file-read-data\n",
        **(more or {}),
    }
    entries: list[dict[str, Any]] = []
    for name, data in files.items():
        (run / name).write_bytes(data)
        if not listed or name in listed:
            entry = {
                "path": f"{PREFIX}/{RUN}/{name}",
                "file_size": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            if name.endswith(".json"):
                entry["schema_version"] = json.loads(data)["schema_version"]
            entries.append(entry)
    index = {
        "schema_version": schema, "run_id": RUN, "world_id": STATUS["world_id"], "artifacts": entries, "missing": [],
        "status": "ok",
    }  # fmt: skip
    (run / "artifact_index.json").write_text(json.dumps(index, indent=2) + "\n")
    (run.parent / "LATEST").write_text(RUN + "\n")
    return run


@pytest.mark.parametrize("schema", [SCHEMA_VERSION, OLD_SCHEMA_VERSION])
def test_an_old_run_loads_at_compat_by_directory_and_by_latest(tmp_path: Path, schema: str) -> None:
    run = old_run(tmp_path, schema)
    for path in (run, run.parent):
        bundle = load_bundle(path, level="compat")
        assert (bundle.run_id, bundle.read("probe.log")) == (RUN, b"deny file-read-data\n")
        assert bundle.document("run_manifest.json") == MANIFEST


@pytest.mark.parametrize("schema", [SCHEMA_VERSION, OLD_SCHEMA_VERSION])
def test_an_old_run_that_is_complete_is_as_the_specification_wants_it(tmp_path: Path, schema: str) -> None:
    """What spec asks of it beyond compat is in its documents, not in the index."""
    found = {(found.rule_id, found.path) for found in validate(old_run(tmp_path, schema)).findings}
    assert found <= {("RD9", "run_status.json"), ("RD9", "run_manifest.json")}


def test_moved_and_copied_it_verifies_against_its_own_files(tmp_path: Path) -> None:
    run = old_run(tmp_path / "repo", OLD_SCHEMA_VERSION)
    copy = tmp_path / "elsewhere" / RUN
    shutil.copytree(run, copy)
    assert load_bundle(copy, level="compat").run_id == RUN
    (copy / "probe.log").write_bytes(b"allow file-read-data")
    with pytest.raises(Refused, match=r"probe\.log"):
        load_bundle(copy, level="compat")
    assert load_bundle(run, level="compat").run_id == RUN
    os.rename(tmp_path / "repo", tmp_path / "moved")
    assert load_bundle(tmp_path / "moved" / PREFIX, level="compat").run_id == RUN


def test_an_index_that_lists_some_files_is_told_at_compat_and_a_finding_otherwise(tmp_path: Path) -> None:
    run = old_run(tmp_path, SCHEMA_VERSION, listed=("run_status.json", "run_manifest.json"), more={"extra.txt": b"x"})
    report = validate(run, level="compat")
    assert report.ok
    assert {left.reason.partition(":")[0] for left in report.not_checked if left.rule_id == "RD4"} == {
        "extra.txt", "probe.log",
    }  # fmt: skip
    unlisted = {found.path for found in validate(run).findings if found.rule_id == "RD4"}
    assert unlisted == {"extra.txt", "probe.log"}
    load_bundle(run, level="compat")
    with pytest.raises(Refused):
        load_bundle(run)


def test_an_index_without_the_status_has_the_longest_common_directory(tmp_path: Path) -> None:
    run = old_run(tmp_path, SCHEMA_VERSION, listed=("run_manifest.json", "probe.log"))
    assert set(load_bundle(run, level="compat").entries) == {"run_manifest.json", "probe.log"}


def test_a_prefix_that_does_not_end_in_the_run_id_is_enough_at_compat(tmp_path: Path) -> None:
    run = old_run(tmp_path, SCHEMA_VERSION)
    path = run / "artifact_index.json"
    path.write_text(path.read_text().replace(f"{PREFIX}/{RUN}/", f"{PREFIX}/"))
    assert load_bundle(run, level="compat").run_id == RUN
    with pytest.raises(Refused, match="index"):
        load_bundle(run)


def test_an_older_schema_for_run_dependent_documents_is_unknown(tmp_path: Path) -> None:
    run = old_run(tmp_path, "hardened-runtime.artifact_index.v0.2")
    with pytest.raises(Refused, match="IX1"):
        load_bundle(run, level="compat")


def test_a_partial_list_is_kept_by_a_repair_and_completed(tmp_path: Path) -> None:
    run = old_run(tmp_path, OLD_SCHEMA_VERSION, listed=("run_status.json", "run_manifest.json"))
    report = reindex_bundle(run, repair=True, level="compat")
    assert report.ok
    assert report.facts["repaired"] == ["probe.log"]
    bundle = load_bundle(run, level="compat")
    assert set(bundle.entries) == {"probe.log", "repair_log.json", "run_manifest.json", "run_status.json"}
    assert bundle.index["artifacts"][0]["path"].startswith(PREFIX), "the prefix was not kept"

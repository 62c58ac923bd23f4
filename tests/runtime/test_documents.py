"""The documents of a plan run, from recordings alone, and that a committed run of them verifies (contracts 4.2)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.reader import read
from affidavit.contracts.probing import CHANNELS
from affidavit.kernel.compare import Seen
from affidavit.runtime.job import Job
from affidavit.runtime.recording import Recorded
from affidavit.runtime.refused import WorkerFailed
from affidavit.store.reader import load_bundle
from tests.support.plan_runs import MOUNT, READ, TOLD, commit, planned, recorded

if TYPE_CHECKING:
    from pathlib import Path


def document(run: str, name: str) -> Any:
    with open(os.path.join(run, name), "rb") as file:
        return read(file.read())


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_committed_run_verifies_at_the_strictest_level(tmp_path: Path, channel: str) -> None:
    run = commit(str(tmp_path / "out"), channel=channel)
    bundle = load_bundle(run, level="strict")
    assert bundle.index["status"] == "ok"
    assert bundle.missing == []


def test_lanes_that_are_off_leave_no_documents(tmp_path: Path) -> None:
    plan = planned(lanes={"baseline": False, "oracle": False})
    run = commit(str(tmp_path / "out"), plan=plan)
    assert load_bundle(run, level="strict").index["status"] == "ok"
    assert not {"baseline_results.json", "oracle_results.json"} & set(os.listdir(run))


def test_a_dry_run_says_what_would_be_tried_and_tries_nothing(tmp_path: Path) -> None:
    run = commit(str(tmp_path / "out"), channel="direct", dry_run=True)
    assert load_bundle(run, level="strict").index["status"] == "ok"
    assert document(run, "summary.json")["status"] == "dry"
    assert document(run, "run_manifest.json")["dry_run"] is True
    assert len(document(run, "expected_matrix.json")["profiles"]["strict"]["probes"]) == 2
    assert not {"runtime_results.json", "apply_preflight.json", "oracle_results.json"} & set(os.listdir(run))


def test_what_a_lane_that_was_on_did_not_write_is_missing(tmp_path: Path) -> None:
    def without(name: str, data: bytes) -> bytes | None:
        return None if name == "oracle_results.json" else data

    bundle = load_bundle(commit(str(tmp_path / "out"), change=without), level="strict")
    assert bundle.index["status"] == "partial"
    assert [path.rpartition("/")[2] for path in bundle.missing] == ["oracle_results.json"]


def test_the_oracle_speaks_of_each_probe_that_it_supports(tmp_path: Path) -> None:
    rows = document(commit(str(tmp_path / "out")), "oracle_results.json")["results"]
    assert [(row["decision"], row["stage"]) for row in rows] == [("deny", "sandbox"), ("deny", "sandbox")]


def test_a_recording_survives_its_way_from_the_worker() -> None:
    before = recorded(
        worker={"pid": 5}, scenario={READ: Seen(reached=False, stage="bootstrap", kind="x"), MOUNT: Seen(reached=True)}
    )
    after = Recorded.from_bytes(before.to_bytes())
    assert after.to_bytes() == before.to_bytes()
    assert after.scenario[READ].answer() == before.scenario[READ].answer()
    assert after.scenario.keys() == before.scenario.keys()


def test_a_recording_is_what_the_job_asked_for() -> None:
    job = Job.of(planned(), {"baseline": True, "scenario": True, "oracle": True})
    recorded().require_of(job)
    one_too_few = recorded(scenario={READ: Seen(reached=True)})
    one_too_many = recorded(baseline={READ: Seen(reached=True), MOUNT: Seen(reached=True)})
    for wrong in (
        one_too_few,
        one_too_many,
        recorded(preflight=None),
        recorded(preflight={**TOLD, "apply_ok": False}),
        recorded(preflight={**TOLD, "run_id": 5}),
    ):
        with pytest.raises(WorkerFailed):
            wrong.require_of(job)
    # a lane that is off is recorded by nobody
    with pytest.raises(WorkerFailed):
        recorded().require_of(Job.of(planned(), {"baseline": False, "scenario": True, "oracle": True}))


def test_a_job_survives_its_way_to_the_worker() -> None:
    job = Job.of(planned(), {"baseline": True, "scenario": False, "oracle": True}, degraded=["seccomp"], folder="/x")
    again = Job.from_bytes(job.to_bytes())
    assert again.to_bytes() == job.to_bytes()
    assert (again.lanes, again.degraded, again.folder) == (job.lanes, ("seccomp",), None)
    assert again.resolved.digest() == job.resolved.digest()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b'{"baseline":[],"scenario":[{}],"preflight":null,"worker":{}}',
        b'{"baseline":[],"scenario":[],"preflight":null,"worker":{},"more":1}',
        recorded().to_bytes() + b"x",
        recorded().to_bytes().replace(b'"stage":null', b'"stage":"elsewhere"'),
        recorded().to_bytes().replace(b'"errno":2', b'"errno":"2"'),
    ],
)
def test_what_is_no_recording_is_refused(data: bytes) -> None:
    with pytest.raises(WorkerFailed):
        Recorded.from_bytes(data)

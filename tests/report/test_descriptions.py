"""What the pages say about documents, and that they say it of any sound ones."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from affidavit.canon.reader import read
from affidavit.contracts import (
    apply_preflight,
    bundle,
    evidence,
    expected_matrix,
    mismatch_summary,
    run,
    run_status,
    runner,
    runtime_results,
    summary,
)
from affidavit.contracts.engine_family import INPUT, META, OUTPUT
from affidavit.report import engine_run, kernel_run, plan_run
from affidavit.report.page import render
from affidavit.report.parts import Excerpt
from tests.support.engines import sealed_files
from tests.support.pages import Seen
from tests.support.vectors import Vector, all_vectors

KERNEL: dict[str, Any] = {
    "bundle.json": bundle.EXAMPLE,
    "runner.json": runner.EXAMPLE,
    "evidence.json": evidence.EXAMPLE,
}
PLAN: dict[str, Any] = {
    "apply_preflight.json": apply_preflight.EXAMPLE,
    "expected_matrix.json": expected_matrix.EXAMPLE,
    "mismatch_summary.json": mismatch_summary.EXAMPLE,
    "runtime_results.json": runtime_results.EXAMPLE,
    "summary.json": summary.EXAMPLE,
}


def test_a_run_shows_its_decision_its_policy_and_what_was_written() -> None:
    streams = {"stdout": Excerpt(b"<b>built</b>\n", b"", 13), "stderr": Excerpt(b"", b"", 0)}
    text = Seen(render(kernel_run.describe("Run", run.EXAMPLE, KERNEL, streams))).text
    for told in (
        run.EXAMPLE["run_id"],
        run.EXAMPLE["intent"]["sha256"],
        bundle.EXAMPLE["root_node"]["goal"],
        "Profile " + run.EXAMPLE["policy"]["name"],
        runner.EXAMPLE["sandbox"]["isolation_level"],
        "<b>built</b>",
        "nothing was written",
    ):
        assert told in text


def test_long_output_is_shown_from_both_ends_and_the_page_says_so() -> None:
    streams = {"stdout": Excerpt(b"first", b"last", 5_000_000)}
    text = Seen(render(kernel_run.describe("Run", run.EXAMPLE, {}, streams))).text
    assert "first" in text
    assert "last" in text
    assert "that are not shown" in text


def test_a_plan_run_shows_what_was_expected_and_what_was_observed() -> None:
    seen = Seen(render(plan_run.describe(run_status.EXAMPLE, PLAN)))
    for profile in expected_matrix.EXAMPLE["profiles"].values():
        for probe in profile["probes"]:
            assert probe["name"] in seen.text
            assert probe["target"] in seen.text


def test_a_probe_that_was_not_reached_is_unknown_and_no_denial() -> None:
    results = {
        name: {**profile, "probes": [{**probe, "actual": None, "match": None} for probe in profile["probes"]]}
        for name, profile in runtime_results.EXAMPLE.items()
    }
    documents = {"expected_matrix.json": expected_matrix.EXAMPLE, "runtime_results.json": results}
    assert "not reached" in Seen(render(plan_run.describe(run_status.EXAMPLE, documents))).text


#: The documents that the page shows, by their contract.
MODULES = {name.removesuffix(".json"): name for name in PLAN}

RUNS = [vector for vector in all_vectors() if vector.document == "run" and not vector.expected]


@pytest.mark.parametrize("vector", RUNS, ids=lambda vector: vector.name)
def test_every_sound_run_has_a_page(vector: Vector) -> None:
    found: Any = read(vector.body)
    for documents in ({}, KERNEL):
        assert Seen(render(kernel_run.describe("Run", found, documents, {}))).torn == []


@pytest.mark.parametrize(
    ("state", "told"), [("in_progress", "not finished"), ("failed", "failed"), ("complete", "as expected")]
)
def test_a_plan_run_says_how_it_ended_whatever_else_is_there(state: str, told: str) -> None:
    status = {**run_status.EXAMPLE, "state": state, "error": "no disk" if state == "failed" else None}
    for documents in ({}, PLAN):
        seen = Seen(render(plan_run.describe(status, documents)))
        assert told in seen.text
        assert ("no disk" in seen.text) == (state == "failed")


def test_an_engine_run_shows_what_binds_input_and_output() -> None:
    files = sealed_files()
    documents = {name: read(files[name].encode()) for name in (INPUT, OUTPUT, META)}
    texts = {name: files[name].encode() for name in (INPUT, OUTPUT)}
    output: Any = documents[OUTPUT]
    seen = Seen(render(engine_run.describe("run-0001", documents, texts)))
    for told in (output["inputs_hash"], output["outputs_hash"], output["semantics"], files[OUTPUT]):
        assert told in seen.text
    assert seen.torn == []
    assert Seen(render(engine_run.describe("run-0001", {}, {}))).torn == []


VALID = [vector for vector in all_vectors() if vector.document in MODULES and not vector.expected]


@pytest.mark.parametrize("vector", VALID, ids=lambda vector: vector.name)
def test_every_sound_document_of_a_plan_run_has_its_place_on_the_page(vector: Vector) -> None:
    """Whatever its contract leaves free: an absent target, an answer that is not there."""
    documents = {**PLAN, MODULES[vector.document]: read(vector.body)}
    assert Seen(render(plan_run.describe(run_status.EXAMPLE, documents))).torn == []


def test_a_probe_without_a_target_is_shown() -> None:
    matrix = copy.deepcopy(expected_matrix.EXAMPLE)
    for profile in matrix["profiles"].values():
        for probe in profile["probes"]:
            probe["target"] = None
    assert expected_matrix.verify_expected_matrix(matrix).ok
    assert Seen(render(plan_run.describe(run_status.EXAMPLE, {"expected_matrix.json": matrix}))).torn == []

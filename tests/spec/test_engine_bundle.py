"""Sealed runs in memory: each vector gives the findings that its header states, and the hashes are those of the
contract (seed 002; contracts 3)."""

from __future__ import annotations

from typing import Any

import pytest

from affidavit.canon.profiles import ENGINE
from affidavit.canon.reader import read
from affidavit.contracts import run_input, run_output
from affidavit.contracts.run_output import outputs_hash
from tests.support.engines import OUTPUT, examined, sealed_files, value
from tests.support.vectors import Vector, all_vectors


@pytest.mark.parametrize(
    "vector", [found for found in all_vectors() if found.document == "engine_bundle"], ids=lambda vector: vector.name
)
def test_a_bundle_is_judged_as_its_header_says(vector: Vector) -> None:
    body: Any = read(vector.body)
    report = examined(body["files"], body["folder"])
    found = sorted(f"{finding.rule_id} {finding.path}".rstrip() for finding in report.findings)
    assert found == vector.expected, report


def test_the_hashes_are_those_of_the_contract() -> None:
    """The vectors of contracts 3, to the digit."""
    given = run_input.EXAMPLE
    inputs_hash = "1b412bf748730e63ef63915c70358bd188744cebc70d334d2a9f7f7031af7d78"
    assert ENGINE.digest(given).hex == inputs_hash
    output = {
        "run_id": "run-0001",
        "engine": {"engine_code": "SPECTRA", "engine_version": "1.0.0"},
        "outputs": {"peak": {"unit": "Hz", "value": 12.5}},
        "metrics": {"iterations": 3},
        "semantics": "DETERMINISTIC_TRANSFORM",
        "inputs_hash": inputs_hash,
    }
    whole = outputs_hash(output)
    assert whole == "c4b472ea1044ab870c8ef0a3d8b4c3eb5b6f3f75ace421071877ba1723283abc"
    assert outputs_hash(output, "OUTPUTS_PAYLOAD") == "0beda4057803774f9646cca1dd5af0e1cab39854632a297a4911c411fee67a31"
    file = ENGINE.digest(output | {"outputs_hash": whole}).hex
    assert file == "3e3859de35edf97122963da7155c1f62b8ad4adabd05f571cfd5dade847fac77"
    sealed = value(sealed_files(), OUTPUT)
    assert (sealed["inputs_hash"], sealed["outputs_hash"]) == (inputs_hash, whole)
    assert sealed == run_output.EXAMPLE


def test_RI2_the_hash_speaks_of_the_value_alone() -> None:
    given = b'{"project_id":"p", "run_id":"r","inputs":{"x":1.0},"parameters":{}}'
    same = b'{"run_id":"r","project_id":"\\u0070","inputs":{"x":1},"parameters":{}}'
    assert ENGINE.digest(read(given)) == ENGINE.digest(read(same))
    other = b'{"run_id":"r","project_id":"p","inputs":{"x":1.5},"parameters":{}}'
    assert ENGINE.digest(read(given)) != ENGINE.digest(read(other))

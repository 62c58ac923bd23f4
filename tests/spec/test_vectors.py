"""Each conformance vector gives exactly the findings that its header states."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit.canon.reader import read
from tests.support.contracts import ROOT, verifier_of
from tests.support.vectors import Vector, all_vectors

if TYPE_CHECKING:
    from pathlib import Path

#: Vectors of these are not single JSON documents; their own tests read them.
NOT_ONE_DOCUMENT = frozenset({"pack", "ledger", "engine_bundle"})


def _single_documents() -> list[Vector]:
    return [vector for vector in all_vectors() if vector.document not in NOT_ONE_DOCUMENT]


@pytest.mark.parametrize("vector", _single_documents(), ids=lambda vector: vector.name)
def test_a_vector_is_judged_as_its_header_says(vector: Vector) -> None:
    report = verifier_of(vector.document)(read(vector.body), level=vector.level)
    found = sorted(f"{finding.rule_id} {finding.path}".rstrip() for finding in report.findings)
    assert found == vector.expected


def test_the_vectors_are_what_their_generator_writes(tmp_path: Path) -> None:
    """A vector that was edited by hand would be lost with the next `make vectors`."""
    generator = os.path.join(ROOT, "tests", "vectors", "generate.py")
    subprocess.run([sys.executable, generator, str(tmp_path)], check=True, cwd=ROOT)
    written = {vector.name: (vector.header, vector.body) for vector in all_vectors(str(tmp_path))}
    assert {vector.name: (vector.header, vector.body) for vector in all_vectors()} == written

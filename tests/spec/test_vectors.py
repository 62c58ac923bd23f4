"""Each conformance vector gives exactly the findings that its header states."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.contracts import ROOT
from tests.support.judging import judged
from tests.support.vectors import Vector, all_vectors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("vector", list(all_vectors()), ids=lambda vector: vector.name)
def test_a_vector_is_judged_as_its_header_says(vector: Vector) -> None:
    found = sorted(f"{finding.rule_id} {finding.path}".rstrip() for finding in judged(vector).findings)
    assert found == vector.expected


def test_the_vectors_are_what_their_generator_writes(tmp_path: Path) -> None:
    """A vector that was edited by hand would be lost with the next `make vectors`."""
    generator = os.path.join(ROOT, "tests", "vectors", "generate.py")
    subprocess.run([sys.executable, generator, str(tmp_path)], check=True, cwd=ROOT)
    written = {vector.name: (vector.header, vector.body) for vector in all_vectors(str(tmp_path))}
    assert {vector.name: (vector.header, vector.body) for vector in all_vectors()} == written

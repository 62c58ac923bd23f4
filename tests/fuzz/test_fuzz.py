"""The short fuzz runs that every test run makes; `make fuzz` makes the long ones."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from tests.fuzz.targets import TARGETS
from tests.support.contracts import ROOT


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_short_fuzz_run_finds_nothing(name: str) -> None:
    done = subprocess.run(
        [sys.executable, os.path.join(ROOT, "tests", "fuzz", "run.py"), "3", name],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-3000:]
    assert done.stdout.decode().splitlines()[-1] == f"{name}: nothing found"


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_target_takes_random_bytes(name: str) -> None:
    source = random.Random(name)
    for _ in range(20):
        TARGETS[name](source.randbytes(source.randrange(64)))

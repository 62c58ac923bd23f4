"""No mutant of a promotable run, or of its packet, may be promoted: some each time, `make mutants` makes thousands."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tests.runtime.mutants import mutants

if TYPE_CHECKING:
    from pathlib import Path


def test_no_mutant_is_promotable(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    survivors = [(told, how) for told, how in mutants(800, seed, str(tmp_path)) if how]
    assert survivors == [], f"seed {seed}"

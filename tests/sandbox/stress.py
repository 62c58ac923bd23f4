"""`make stress`: a hundred runs at once, then again under a supervisor that is killed; nothing may be lost or left."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.sandbox.test_survival import many_runs, test_nothing_inside_survives_our_own_death

RUNS, DEATHS = 100, 200


def main() -> int:
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        many_runs(Path(place), threads=RUNS, each=1)
    print(f"{RUNS} runs at once in {time.monotonic() - start:.1f} s: nothing lost, nothing left")
    for number in range(DEATHS):
        with tempfile.TemporaryDirectory() as place:
            test_nothing_inside_survives_our_own_death(number * 0.15, Path(place))
    print(f"{DEATHS} supervisors killed between 0 and {DEATHS * 0.15:.0f} ms after their start: nothing survived")
    return 0


if __name__ == "__main__":
    sys.exit(main())

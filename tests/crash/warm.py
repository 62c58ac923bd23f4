"""`python -m tests.crash.warm`: a process that has everything loaded and forks to act out a scenario, so that cutting
it off at another system call costs milliseconds.

It reads `SCENARIO PLACE`, forks, and tells the child's pid; the child waits until a line says that it was attached to.
Then how it ended is told: 0 done, 3 an error of ours, 9 any other exception, or minus the signal.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import tempfile
import traceback

from affidavit.errors import AffidavitError
from tests.crash.scenarios import SCENARIOS

DONE, ERROR, BUG = 0, 3, 9
_PR_SET_PTRACER, _ANYBODY = 0x59616D61, ctypes.c_ulong(-1)


def _act(name: str, place: str) -> int:
    try:
        SCENARIOS[name].act(place)
    except AffidavitError:
        return ERROR
    except BaseException:  # noqa: BLE001 -- whatever it is, it is a bug, and it is told as one
        traceback.print_exc()
        return BUG
    return DONE


def _fork(name: str, place: str) -> int:
    waiting, going = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(going)
        # where only children may be traced, as distributions have it: we are traced by a sibling
        ctypes.CDLL(None).prctl(_PR_SET_PTRACER, _ANYBODY, 0, 0, 0)
        print(os.getpid(), flush=True)
        os.read(waiting, 1)
        os._exit(_act(name, place))
    os.close(waiting)
    sys.stdin.readline()
    os.close(going)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    for name, scenario in SCENARIOS.items():  # whatever is loaded at the first time is loaded now
        with tempfile.TemporaryDirectory() as place:
            scenario.prepare(place)
            assert _act(name, place) == DONE, name
    gc.freeze()
    print("warm", flush=True)
    while line := sys.stdin.readline():
        name, _, place = line.rstrip("\n").partition(" ")
        print(_fork(name, place), flush=True)


if __name__ == "__main__":
    main()

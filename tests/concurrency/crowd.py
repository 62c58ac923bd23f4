"""`python -m tests.concurrency.crowd OUT LOG WRITERS RUNS KILLS SEED`: many processes that write runs into one folder
at once, some of which are killed at random moments.

Writers take turns between waiting for the lock and failing at it. Each notes what it did in LOG, a line at a time:
`begun ID`, `committed ID` when commit has returned, `held FROM TO` for each time it had the lock, `error TEXT`. Killed
writers are told on standard output, by the number of the writer.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from typing import TYPE_CHECKING

from affidavit.errors import AffidavitError
from affidavit.store.ledger import entry_of_run
from affidavit.store.out import OutFolder
from affidavit.store.refused import Locked
from affidavit.store.writer import begin
from tests.support.runs import result_of

if TYPE_CHECKING:
    from types import TracebackType

    from affidavit.store.lock import LockMode

_FILES = 4
_TIMEOUT = 300.0


class Noted:
    """The log: whole lines, each in one write."""

    def __init__(self, path: str) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def __call__(self, line: str) -> None:
        os.write(self.descriptor, line.encode() + b"\n")


def watch_the_lock(note: Noted) -> None:
    """Notes from when to when this process has the lock: from after it was taken to before it is let go."""
    enter, leave = OutFolder.__enter__, OutFolder.__exit__
    since = [0]

    def entered(folder: OutFolder) -> OutFolder:
        enter(folder)
        since[0] = time.monotonic_ns()
        return folder

    def left(
        folder: OutFolder,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        note(f"held {since[0]} {time.monotonic_ns()}")
        leave(folder, kind, error, trace)

    OutFolder.__enter__ = entered  # type: ignore[method-assign, assignment]
    OutFolder.__exit__ = left  # type: ignore[method-assign]


def write_one(out: str, run_id: str, lock: LockMode, note: Noted) -> None:
    until = time.monotonic() + _TIMEOUT
    while True:
        try:
            writer = begin(
                out, run_id, plan_id="harness", plan_digest="0" * 64, world_id="w", channel="direct", lock=lock,
                lock_timeout=_TIMEOUT,
            )  # fmt: skip
            break
        except Locked:
            if lock != "fail" or time.monotonic() > until:
                raise
            time.sleep(0.005)
    note(f"begun {run_id}")
    run = result_of(run_id)
    with writer:
        writer._lock_timeout = _TIMEOUT  # of the commit, which waits in any mode
        writer.put_json("run.json", run)
        for number in range(_FILES):
            writer.put(f"outputs/{number}", f"{run_id} {number}\n".encode() * 100)
        writer.commit(ledger=entry_of_run(run))
    note(f"committed {run_id}")


def _be_a_writer(number: int, out: str, log: str, runs: int) -> None:
    note = Noted(log)
    watch_the_lock(note)
    try:
        for turn in range(runs):
            write_one(out, f"run-{number}-{turn}", "wait" if number % 2 else "fail", note)
    except AffidavitError as error:
        note(f"error {error.message}")


def main(out: str, log: str, writers: int, runs: int, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    pids: dict[int, int] = {}
    for number in range(writers):
        pid = os.fork()
        if pid == 0:
            try:
                _be_a_writer(number, out, log, runs)
            finally:
                os._exit(0)
        pids[number] = pid
    doomed = chance.sample(range(writers), kills)
    for number in doomed:
        time.sleep(chance.random() * 0.08)
        os.kill(pids[number], signal.SIGKILL)  # not waited for yet, so the pid is still its own
    killed = [number for number, pid in pids.items() if os.waitpid(pid, 0)[1] == signal.SIGKILL]
    print(*killed)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(word) for word in sys.argv[3:7]))

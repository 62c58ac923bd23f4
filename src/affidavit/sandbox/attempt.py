"""Starts a small program of the host, gives it a moment, and takes what it said: how the host is asked what it can.

Not how sandboxed commands run (runner.py): what starts here is a trial of our own, with a bounded answer and a bounded
life, and nothing of it is kept.
"""

from __future__ import annotations

import os
import select
import signal
import time

from .spawn import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: A trial takes milliseconds; a host on which one takes this long cannot run sandboxes either.
SECONDS = 10.0
_MOST_BYTES = 1 << 16

#: Messages in one language, programs from where the system has them.
ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}


class Attempt:
    """How a trial ended: the exit status (negative for a signal, None when it was given up) and what was said."""

    __slots__ = ("err", "out", "status")

    def __init__(self, status: int | None, out: str, err: str) -> None:
        self.status = status
        self.out = out
        self.err = err

    @property
    def worked(self) -> bool:
        return self.status == 0

    def why(self) -> str:
        """One line for a person: the first that the program said, else how it ended."""
        said = self.err.strip().split("\n", 1)[0][:200]
        if self.status is None:
            return said or f"gave no answer within {SECONDS:.0f} seconds"
        return said or (
            f"ended with status {self.status}" if self.status >= 0 else f"was killed by signal {-self.status}"
        )


def attempt(
    argv: Sequence[str],
    *,
    descriptors: Mapping[int, int] | None = None,
    started: Callable[[int], None] | None = None,
    seconds: float = SECONDS,
) -> Attempt:
    """Runs `argv` (argv[0] an absolute path); standard input is empty unless `descriptors`, {theirs: ours}, has one.
    `started` is called with the pid while the program may still be reading its standard input."""
    out, their_out = os.pipe()
    err, their_err = os.pipe()
    null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    taken = {0: null, 1: their_out, 2: their_err, **(descriptors or {})}
    try:
        pid = spawn(argv, ENVIRONMENT, taken)
    except OSError as error:
        os.close(out)
        os.close(err)
        return Attempt(127, "", f"{argv[0]}: {error.strerror}")
    finally:
        os.close(their_out)
        os.close(their_err)
        os.close(null)
    said = None
    try:
        if started is not None:
            started(pid)
        said = _listen(out, err, time.monotonic() + seconds)
    finally:
        if said is None:  # given up, or broken off
            os.killpg(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        os.close(out)
        os.close(err)
    return Attempt(None, "", "") if said is None else Attempt(os.waitstatus_to_exitcode(status), *said)


def _listen(out: int, err: int, deadline: float) -> tuple[str, str] | None:
    """What comes from both until both are closed; None when that takes longer than it may."""
    said = {out: b"", err: b""}
    waiting = select.poll()
    waiting.register(out, select.POLLIN)
    waiting.register(err, select.POLLIN)
    open_now = {out, err}
    while open_now:
        left = deadline - time.monotonic()
        ready = waiting.poll(max(0.0, left) * 1000)
        if not ready:
            return None
        for descriptor, _ in ready:
            piece = os.read(descriptor, 65536)
            if not piece:
                waiting.unregister(descriptor)
                open_now.discard(descriptor)
            said[descriptor] = (said[descriptor] + piece)[:_MOST_BYTES]
    return said[out].decode(errors="replace"), said[err].decode(errors="replace")

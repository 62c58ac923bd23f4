"""Runs a function as an ordinary user: what holds for root alone holds for nobody else."""

from __future__ import annotations

import os
import pickle
import select
import signal
import traceback
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

#: `nobody`, who owns nothing.
ORDINARY = 65534


def as_ordinary_user(function: Callable[[], Result], *, timeout: float = 120) -> Result:
    """What `function` returns in a forked child without root's rights, or the assertion that failed there. Everything
    it needs must be imported already: the ordinary user may not be able to read where it came from."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reading)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(ORDINARY, ORDINARY, ORDINARY)
                os.setresuid(ORDINARY, ORDINARY, ORDINARY)
            try:
                answer = pickle.dumps((True, function()))
            except BaseException:  # noqa: BLE001 -- told to the parent, which fails with it
                answer = pickle.dumps((False, traceback.format_exc()))
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(answer)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    pieces = []
    try:
        while True:
            assert select.select([reading], [], [], timeout)[0], "the ordinary user's part takes too long"
            piece = os.read(reading, 65536)
            if not piece:
                break
            pieces.append(piece)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    worked, result = pickle.loads(b"".join(pieces))
    assert worked, result
    return result  # type: ignore[no-any-return]

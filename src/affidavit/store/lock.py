"""The lock of an out folder (contracts 4.6; seed 003, section 3).

`out/.runtime.lock` is held by `flock` on a descriptor, so it ends with its holder however that ends. The file is never
unlinked: who opened it before and who opens it after would each hold a lock of their own. Should somebody else have
removed it, the file that was locked is no longer the one that stands there, and the next try locks that one.

Into the file its holder writes one line: who it is, and what it is about to do. Whoever comes next reads what was left
undone; a line of another boot, or none, says that nobody knows.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time

from ..canon.jcs import canonical
from ..canon.reader import read
from ..errors import ParseError, UsageError
from . import fs
from .durable import FILE_MODE, writing
from .process import Process, this_process
from .refused import Locked, Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Literal, Self

    LockMode = Literal["fail", "wait"]

NAME = ".runtime.lock"
TIMEOUT = 30.0
_MOST_BYTES = 512
#: What a holder left undone that nobody knows of: it may be anything.
ANYTHING: dict[str, Any] = {"anything": True}
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class Lock:
    """The lock of one out folder, held until `release`. `undone` is what the last holder was about to do and may not
    have done: ANYTHING where there is no telling, None where nothing is."""

    __slots__ = ("_descriptor", "_owner", "undone")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._owner = this_process()
        left = _line(descriptor)
        if left is None or left.get("boot_id") is None or left["boot_id"] != self._owner.boot_id:
            self.undone: dict[str, Any] | None = ANYTHING
        else:
            doing = left.get("doing", ANYTHING)
            self.undone = doing if doing is None or type(doing) is dict else ANYTHING
        self._write(self.undone)  # who dies with this lock has done none of it

    def doing(self, what: dict[str, Any] | None) -> None:
        """Notes what is done next, for the next holder; None when it is done. Needs no sync: after a power cut the
        boot is another one, and the next holder looks at everything."""
        self._write(what)

    def _write(self, doing: dict[str, Any] | None) -> None:
        line = {
            "boot_id": self._owner.boot_id,
            "doing": doing,
            "pid": self._owner.pid,
            "start_ticks": self._owner.start_ticks,
        }
        with writing(NAME):
            # blanks up to one length, and one write: a reader never finds half a line, nor the rest of a longer one
            os.pwrite(self._descriptor, canonical(line).ljust(_MOST_BYTES - 1) + b"\n", 0)

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def acquire(out: int, place: str, mode: LockMode = "wait", timeout: float = TIMEOUT) -> Lock:
    """The lock of the out folder behind the descriptor `out`; `place` is its path, for messages. Raises Locked where
    somebody else has it: at once, or after `timeout` seconds of waiting."""
    if mode not in ("fail", "wait"):
        raise UsageError("USAGE", f"expected the lock mode fail or wait, found {mode!r}")
    until = time.monotonic() + (timeout if mode == "wait" else 0)
    pause = _FIRST_PAUSE
    while True:
        with writing(NAME):
            descriptor = os.open(NAME, _FLAGS, FILE_MODE, dir_fd=out)
        lock = None
        try:
            if _is_ours_now(out, descriptor, place):
                lock = Lock(descriptor)
                return lock
            owner = _owner(descriptor)
        finally:
            if lock is None:
                os.close(descriptor)
        left = until - time.monotonic()
        if left <= 0:
            raise Locked(os.path.join(place, NAME), owner)
        time.sleep(min(pause, left))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _is_ours_now(out: int, descriptor: int, place: str) -> bool:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise Unfit(os.path.join(place, NAME), "a regular file", fs.what(found.st_mode))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    try:
        there = os.stat(NAME, dir_fd=out, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (found.st_dev, found.st_ino) == (there.st_dev, there.st_ino)


def _line(descriptor: int) -> dict[str, Any] | None:
    """What the last holder wrote; anything else is no answer."""
    found = os.pread(descriptor, _MOST_BYTES, 0)
    try:
        line = read(found.rstrip(b" \n"))
    except ParseError:
        return None
    return line if type(line) is dict else None


def owner_of(line: dict[str, Any] | None) -> Process | None:
    if line is None or type(line.get("pid")) is not int:
        return None
    ticks, boot = line.get("start_ticks"), line.get("boot_id")
    return Process(line["pid"], ticks if type(ticks) is int else None, boot if type(boot) is str else None)


def _owner(descriptor: int) -> str:
    owner = owner_of(_line(descriptor))
    return f"process {owner.pid}" if owner else "a process that did not write its name yet"

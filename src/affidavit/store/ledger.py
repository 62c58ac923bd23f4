"""`OUT/ledger.jsonl`: one line for each run that ended with a result, appended under the lock (contracts 2.6).

A line that a crash tore is taken off before anything is appended, and kept in `ledger.torn.jsonl`: when it was found,
where it stood, what was left of it.
"""

from __future__ import annotations

import os
import stat
import time

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL, RAW
from ..canon.reader import read
from ..contracts.ledger import MOST_LINE_BYTES, verify_entry
from ..errors import ParseError
from ..shown import shown
from ..values import parse_timestamp, timestamp
from . import durable, fs
from .durable import writing
from .refused import BundleRefused, Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

NAME = "ledger.jsonl"
TORN = "ledger.torn.jsonl"
#: What the caller tells of a run; the rest is the ledger's own.
MEMBERS = ("accepted", "bundle_sha256", "intent_sha256", "mode", "policy", "result_kind", "run_id")
_CHUNK = 1 << 20
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


class LedgerRefused(BundleRefused):
    """A ledger that no line can be appended to, or a line that no ledger can have."""

    def __init__(self, code: str, expected: str, found: str) -> None:
        super().__init__(code, NAME, expected, found)


def entry_of_run(run: dict[str, Any]) -> dict[str, Any]:
    """What a ledger tells of a run, from its (valid) run.json."""
    bundle = run["bundle"]
    return {
        "run_id": run["run_id"],
        "intent_sha256": run["intent"]["sha256"],
        "bundle_sha256": bundle["sha256"] if bundle is not None else None,
        "result_kind": run["kernel_result_kind"],
        "accepted": run["decision"]["accepted"],
        "mode": run["model_mode"],
        "policy": run["policy"]["name"],
    }


class Ledger:
    """The ledger of an out folder whose lock is held. With `only_read` it is neither made nor mended."""

    __slots__ = ("_descriptor", "_out", "_previous", "_size", "was_torn")

    def __init__(self, out: int, *, only_read: bool = False) -> None:
        self._out = out
        self.was_torn = False  # a line was: what it told is listed nowhere now
        with writing(NAME):
            try:
                flags = _FLAGS & ~(os.O_CREAT | os.O_RDWR) if only_read else _FLAGS
                self._descriptor = os.open(NAME, flags, durable.FILE_MODE, dir_fd=out)
            except FileNotFoundError:
                if not only_read:
                    raise
                self._descriptor, self._size = -1, 0
                return
        is_sound = False
        try:
            found = os.fstat(self._descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Unfit(NAME, "a regular file", fs.what(found.st_mode))
            self._size = found.st_size
            self._previous = None if only_read else self._last()
            is_sound = True
        finally:
            if not is_sound:
                self.close()

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def lists(self, run_id: str) -> bool:
        """Whether a line of this run stands in the ledger."""
        told = b'"run_id":' + canonical(run_id)
        at, held = 0, b""
        while at < self._size:
            piece = os.pread(self._descriptor, _CHUNK, at)
            if not piece:
                break
            if told in held + piece:
                return True
            held = piece[-len(told) :]
            at += len(piece)
        return False

    def append(self, run_id: str, entry: dict[str, Any]) -> None:
        """The line of a run, unless it stands there already. Durable when this returns."""
        if set(entry) != set(MEMBERS):
            raise LedgerRefused("ledger.entry", f"the members {', '.join(MEMBERS)}", ", ".join(sorted(entry)))
        if entry["run_id"] != run_id:
            raise LedgerRefused("ledger.entry", f"the run_id {shown(run_id)}", shown(entry["run_id"]))
        if self.lists(run_id):
            return
        previous = self._previous
        line = {**entry, "timestamp": self._now(previous), "prev_sha256": None}
        if previous is not None:
            line["prev_sha256"] = KERNEL.digest(previous).content_hash
        report = verify_entry(line)
        if not report.ok:
            first = report.findings[0]
            raise LedgerRefused("ledger.entry", f"{first.expected} at {first.path}", first.found)
        text = canonical(line) + b"\n"
        with writing(NAME):
            rest = memoryview(text)
            at = self._size
            while rest:
                done = os.pwrite(self._descriptor, rest, at)
                rest, at = rest[done:], at + done
            os.fsync(self._descriptor)
            if not self._size:
                durable.sync_directory(self._out)
        self._size, self._previous = at, line

    def _now(self, previous: object) -> str:
        """This instant, or the last line's where the clock was set back."""
        now = time.time_ns() // 1_000_000
        last = previous.get("timestamp") if type(previous) is dict else None
        before = parse_timestamp(last) if type(last) is str else None
        return timestamp(now if before is None else max(now, before))

    def _last(self) -> object:
        """What the last line says, after a torn one was moved aside. None of an empty ledger."""
        while self._size:
            tail = os.pread(self._descriptor, MOST_LINE_BYTES + 2, max(0, self._size - MOST_LINE_BYTES - 2))
            start = tail.rfind(b"\n", 0, -1) + 1
            line = tail[start:]
            if len(line) > MOST_LINE_BYTES:
                raise LedgerRefused("ledger.line", f"a last line of at most {MOST_LINE_BYTES} bytes", "a longer one")
            if line.endswith(b"\n"):
                try:
                    return read(line)
                except ParseError:
                    pass
            self._move_aside(line, self._size - len(line))
        return None

    def _move_aside(self, line: bytes, offset: int) -> None:
        """The audit line first, then the torn one goes; done again after a crash between the two, it is told twice."""
        audit = {
            "at": timestamp(time.time_ns() // 1_000_000),
            "bytes_hex": line.hex(),
            "offset": offset,
            "sha256": RAW.digest(line).hex,
        }
        with writing(TORN):
            descriptor = os.open(TORN, _FLAGS | os.O_APPEND, durable.FILE_MODE, dir_fd=self._out)
            try:
                mode = os.fstat(descriptor).st_mode
                if not stat.S_ISREG(mode):
                    raise Unfit(TORN, "a regular file", fs.what(mode))
                durable.write_all(descriptor, canonical(audit) + b"\n")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            durable.sync_directory(self._out)
        with writing(NAME):
            os.ftruncate(self._descriptor, offset)
            os.fsync(self._descriptor)
        self._size = offset
        self.was_torn = True

"""Writes a run directory: begun under the lock, filled without it, committed under it (seed 003, sections 1.2 and 3;
contracts 4.2, 4.6).

    with begin("out", run_id, plan_id=..., plan_digest=..., world_id=..., channel="direct") as writer:
        writer.put_json("run.json", run)
        writer.commit(expected=("run.json",))

The directory appears with its `run_status.json` in it, so a run is visible and unfinished from its first moment. It
counts as committed once its index is there, and the index is written when everything else is durable.
"""

from __future__ import annotations

import os
import time

from ..canon.jcs import canonical
from ..contracts import artifact_index, run_status
from ..errors import AffidavitError, UsageError
from ..shown import plain
from . import durable, publish
from .durable import writing
from .index import files_of, index_bytes, prefix_for, settle_with_status, written
from .ledger import Ledger
from .lock import TIMEOUT
from .out import OutFolder, is_run_id
from .process import this_process
from .publish import Folder, Written
from .refused import RunExists, Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Any, Self

    from .lock import LockMode

_LONGEST_ERROR = 2000
#: Names in a run directory that only the store writes.
OWN = frozenset(name for own in (run_status.NAME, artifact_index.NAME) for name in (own, durable.aside(own)))


def begin(
    out: str,
    run_id: str,
    *,
    plan_id: str,
    plan_digest: str,
    world_id: str,
    channel: str,
    lock: LockMode = "wait",
    lock_timeout: float = TIMEOUT,
) -> Writer:
    """A new run in the out folder, which is made where it is not there. Raises Locked, RunExists, WriteFailed."""
    if not is_run_id(run_id):
        raise UsageError("USAGE", f"expected a run id of letters, digits, '.', '_' and '-', found {plain(run_id)!r}")
    status = {
        "schema_version": run_status.SCHEMA_VERSION,
        "run_id": run_id,
        "world_id": world_id,
        "channel": channel,
        "plan_id": plan_id,
        "plan_digest": plan_digest,
        "state": "in_progress",
        "updated_at_unix": int(time.time()),
        "error": None,
        "failure_stage": None,
        **writer_members(),
    }
    report = run_status.verify_run_status(status)
    if not report.ok:
        first = report.findings[0]
        raise UsageError("USAGE", f"{first.path}: {first.message}")
    make_out(out)
    prefix = prefix_for(out, run_id)
    with OutFolder(out, lock, lock_timeout) as folder:
        with Ledger(folder.descriptor, only_read=True) as lines:
            if lines.lists(run_id):
                raise RunExists(os.path.join(out, run_id), "its line in the ledger")
        try:
            made = publish.begin(folder.descriptor, out, run_id, {run_status.NAME: canonical(status) + b"\n"})
        except publish.Exists:
            raise RunExists(os.path.join(out, run_id), "a directory of this name") from None
    return Writer(out, made, status, prefix, lock_timeout)


def writer_members() -> dict[str, Any]:
    """Who writes a run, for its status."""
    process = this_process()
    return {
        "writer_pid": process.pid,
        "writer_start_ticks": process.start_ticks,
        "writer_boot_id": process.boot_id,
    }


def make_out(out: str) -> None:
    """The out folder, and what is missing above it; each new name is durable."""
    missing: list[str] = []
    place = os.path.abspath(out)
    while not os.path.lexists(place):
        missing.append(place)
        place = os.path.dirname(place)
    for made in reversed(missing):
        with writing(made):
            try:
                os.mkdir(made, durable.DIRECTORY_MODE)
            except FileExistsError:
                continue  # somebody else made it
            above = os.open(os.path.dirname(made), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                durable.sync_directory(above)
            finally:
                os.close(above)


class Writer:
    """A run that is being written. What others put into `directory` is indexed as well, when the run is committed."""

    __slots__ = (
        "_folder",
        "_has_ended",
        "_lock_timeout",
        "_out",
        "_prefix",
        "_schemas",
        "_status",
        "directory",
        "run_id",
    )

    def __init__(self, out: str, folder: Folder, status: dict[str, Any], prefix: str, lock_timeout: float) -> None:
        self._out = out
        self._folder = folder
        self._status = status
        self._prefix = prefix
        self._lock_timeout = lock_timeout
        self._schemas: dict[str, str | None] = {}
        self._has_ended = False
        self.directory = folder.path
        self.run_id: str = status["run_id"]

    def put(self, path: str, data: bytes) -> Written:
        """A file of the run."""
        self._may_write(path)
        if artifact_index.has_schema_version(path):
            self._schemas[path] = artifact_index.schema_version_in(path, data)
        return self._folder.put(path, data)

    def put_json(self, path: str, value: object) -> Written:
        """A JSON document: its canonical bytes and one line end."""
        return self.put(path, canonical(value) + b"\n")

    def put_stream(self, path: str, chunks: Iterable[bytes]) -> Written:
        """A file of any size, hashed while it is written."""
        self._may_write(path)
        return self._folder.put_stream(path, chunks)

    def commit(
        self, *, expected: Iterable[str] = (), ledger: dict[str, Any] | None = None, move_latest: bool = True
    ) -> None:
        """Ends the run as complete: durable and indexed when this returns. `expected` are the paths that should be
        there; what is not is told in `missing`, and the index is `partial`. `ledger` is the run's line, without what
        the ledger adds itself. Until the index is written, a commit that failed may be tried again, or `fail`."""
        self._end({"state": "complete"}, expected, ledger=ledger, move_latest=move_latest)

    def fail(self, error: str, *, expected: Iterable[str] = (), stage: str | None = run_status.EXCEPTION) -> None:
        """Ends the run as failed. It is indexed too, and LATEST names it; the ledger lists results, and has none."""
        told = plain(error)[:_LONGEST_ERROR] or "failed"
        self._end({"state": "failed", "error": told, "failure_stage": stage}, expected)

    def _end(
        self,
        ended: dict[str, Any],
        expected: Iterable[str],
        *,
        ledger: dict[str, Any] | None = None,
        move_latest: bool = True,
    ) -> None:
        self._may_write("")
        folder = self._folder
        status = {**self._status, **ended, "updated_at_unix": int(time.time())}
        files = self._files(forgiving=status["state"] == "failed")
        settle_with_status(folder.descriptor, status, files)
        index = index_bytes(status, self._prefix, files, expected)
        with OutFolder(self._out, "wait", self._lock_timeout) as out:
            self._require_own_place(out)
            try:
                out.commit(folder.descriptor, self.run_id, index, ledger=ledger, move_latest=move_latest)
            finally:
                self._has_ended = out.has_index(self.run_id)
        self.close()

    def _files(self, *, forgiving: bool) -> dict[str, tuple[Written, str | None]]:
        """Every file of the directory: those we wrote as we know them, all others as they stand there. A run that
        failed is closed whatever happened to its directory; what is wrong in there, readers tell."""
        there = files_of(self._folder.descriptor, self.directory, skip_irregular=forgiving)
        gone = self._folder.files.keys() - set(there)
        if gone and not forgiving:
            raise Unfit(os.path.join(self.directory, min(gone)), "the file that was written", "no such file")
        found: dict[str, tuple[Written, str | None]] = {}
        for path in there:
            if path == run_status.NAME:
                continue  # its last form is about to be written
            known = self._folder.files.get(path)
            if known is None or (artifact_index.has_schema_version(path) and path not in self._schemas):
                found[path] = written(self._folder.descriptor, path)
            else:
                found[path] = (known, self._schemas.get(path))
        return found

    def _require_own_place(self, out: OutFolder) -> None:
        """The directory that was begun still has its name."""
        with writing(self.run_id):
            own = os.fstat(self._folder.descriptor)
            there = os.stat(self.run_id, dir_fd=out.descriptor, follow_symlinks=False)
        if (own.st_dev, own.st_ino) != (there.st_dev, there.st_ino):
            raise Unfit(self.directory, "the directory that was begun", "another one")

    def _may_write(self, path: str) -> None:
        if self._has_ended or self._folder.descriptor < 0:
            raise UsageError("USAGE", f"{plain(self.directory)}: the run has ended")
        if path.lower() in OWN:
            raise UsageError("USAGE", f"{plain(path)}: only the store itself writes this file")

    def close(self) -> None:
        """Lets go of the directory. A run that was not ended stays there, unfinished."""
        if self._folder.descriptor >= 0:
            os.close(self._folder.descriptor)
            self._folder.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A run that is left without an end has failed. Where even that cannot be written it stays unfinished, and the
        error that led here is the one that is told."""
        try:
            if not self._has_ended and self._folder.descriptor >= 0:
                self.fail("ended without a commit" if error is None else f"{type(error).__name__}: {error}")
        except AffidavitError:
            if error is None:
                raise
        finally:
            self.close()

"""Closes a run whose writer is gone: its state becomes failed, then it is indexed as it stands (contracts 4.6)."""

from __future__ import annotations

import os
import time

from ..canon.reader import read
from ..contracts import artifact_index, run_status
from ..contracts.run_directory import FIRST, most_bytes
from ..contracts.run_members import expected_members
from ..errors import ParseError, ReadFailed
from . import fs
from .held import Held, clear_asides, held, open_run, status_in
from .index import files_of, index_bytes, prefix_for, settle_with_status, written
from .locate import runs_in
from .lock import TIMEOUT
from .out import MOST_RUNS, OutFolder
from .refused import Alive, BundleRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .lock import LockMode

_GONE = {
    "in_progress": "abandoned: its writer ended before the run did",
    "complete": "abandoned: its writer ended before the run was committed",
    "failed": "abandoned: it failed, and its writer ended before it was committed",
}


class NotAbandoned(BundleRefused):
    """A run that nobody has to close."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__("run.committed", place, expected, found)


class NoStatus(BundleRefused):
    """A run of which nothing says what it was."""

    def __init__(self, place: str) -> None:
        super().__init__("run.status", place, "a run status that can be read", "none; affidavit rm removes the run")


def abandon(path: str, *, lock: LockMode = "wait", lock_timeout: float = TIMEOUT) -> None:
    """Closes the run at `path`. LATEST is not moved, the ledger has no line of it. Raises Alive, NotAbandoned,
    NoStatus, Locked."""
    with held(path, lock, lock_timeout) as run:
        _close(run)


def abandon_all(out: str, *, lock: LockMode = "wait", lock_timeout: float = TIMEOUT) -> list[tuple[str, str]]:
    """Closes every run in the out folder that its writer left; (run, why not) of those that are not committed and still
    are not closed, and (run, "") of the closed ones."""
    told: list[tuple[str, str]] = []
    with OutFolder(out, lock, lock_timeout) as folder:
        for name in runs_in(folder.descriptor, MOST_RUNS):
            if not folder.has_index(name):
                path = os.path.join(out, name)
                descriptor = open_run(folder, name, path)
                try:
                    _close(Held(folder, descriptor, name, path))
                    told.append((name, ""))
                except (Alive, NoStatus) as error:
                    told.append((name, error.message))
                finally:
                    os.close(descriptor)
    return told


def _close(run: Held) -> None:
    if run.out.has_index(run.name):
        index_place = os.path.join(run.path, artifact_index.NAME)
        raise NotAbandoned(index_place, "a run that was not committed", "its index")
    status = status_in(run.descriptor)
    if status is None:
        raise NoStatus(os.path.join(run.path, run_status.NAME))
    run.require_no_writer(status)
    if status["run_id"] != run.name:
        raise NotAbandoned(run.path, f"the directory of run {run.name}", f"that of {status['run_id']}")
    clear_asides(run.descriptor, run_status.NAME, artifact_index.NAME)
    state = status["state"]
    failed = {
        **status,
        "state": "failed",
        "error": (status["error"] if state == "failed" else None) or _GONE[state],
        "updated_at_unix": int(time.time()),
    }
    there = files_of(run.descriptor, run.path, skip_irregular=True)
    files = {path: written(run.descriptor, path) for path in there if path != run_status.NAME}
    settle_with_status(run.descriptor, failed, files)
    expected = expected_members(_documents(run.descriptor))
    index = index_bytes(failed, prefix_for(run.out.path, run.name), files, expected)
    run.out.commit(run.descriptor, run.name, index, ledger=None, move_latest=False)


def _documents(directory: int) -> dict[str, Any]:
    """The documents that say what else the run should have; what a crash tore says nothing."""
    found: dict[str, Any] = {}
    for name in FIRST:
        try:
            found[name] = read(fs.read_member(directory, name, most_bytes(name)), max_bytes=most_bytes(name))
        except (ReadFailed, ParseError):
            continue
    return found

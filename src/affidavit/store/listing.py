"""What an out folder holds, for looking at it: nothing is verified here, and nothing of it is believed.

`Listed.state` is the run's own word, but for two that only the system can tell: `crashed`, in progress without a
writer, and `uncommitted`, ended without an index.
"""

from __future__ import annotations

import os
import stat

from ..canon.reader import read
from ..contracts import artifact_index, repair_log, run_status
from ..contracts.ledger import split_lines
from ..contracts.run_directory import most_bytes
from ..contracts.run_members import RUN, SUMMARY, member
from ..errors import ParseError, ReadFailed
from . import fs, ledger
from .held import writer_of
from .index import MOST_FILES
from .locate import runs_in
from .out import MOST_RUNS, LatestInvalid, read_latest
from .process import is_alive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CRASHED, UNCOMMITTED, UNREADABLE = "crashed", "uncommitted", "unreadable"


class Listed:
    """One run, as it says of itself."""

    __slots__ = ("files", "is_alive", "is_committed", "is_repaired", "outcome", "run_id", "size", "state", "updated")

    def __init__(self, directory: fs.Dir, name: str) -> None:
        status = document(directory, run_status.NAME)
        self.run_id = name
        self.updated = _time_of(status)
        self.is_committed = fs.mode_of(directory, artifact_index.NAME) is not None
        self.is_repaired = fs.mode_of(directory, repair_log.NAME) is not None
        writer = writer_of(status) if type(status) is dict else None
        self.is_alive = writer is not None and is_alive(writer)
        self.state = self._state(member(status, "state"))
        self.outcome = outcome_of(document(directory, RUN), document(directory, SUMMARY))
        self.files = self.size = 0
        for _, found in sizes(directory):
            self.files += 1
            self.size += found

    def _state(self, told: object) -> str:
        if told == "in_progress":
            return "in_progress" if self.is_alive else CRASHED
        if told not in ("complete", "failed"):
            return UNREADABLE if not self.is_committed else "committed"
        return str(told) if self.is_committed else UNCOMMITTED

    def as_json(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "state": self.state,
            "outcome": self.outcome,
            "committed": self.is_committed,
            "repaired": self.is_repaired,
            "files": self.files,
            "bytes": self.size,
            "updated_at_unix": self.updated,
        }


class OutListing:
    """The runs of an out folder, the newest first; `removed` are those that only the ledger knows any more."""

    __slots__ = ("latest", "latest_is_invalid", "removed", "runs")

    def __init__(self, path: str) -> None:
        out = fs.open_root(path)
        try:
            self.latest: str | None = None
            self.latest_is_invalid = False
            try:
                self.latest = read_latest(out)
            except LatestInvalid:
                self.latest_is_invalid = True
            self.runs: list[Listed] = []
            for name in runs_in(out, MOST_RUNS):
                run = _look(out, name)
                if run is not None:
                    self.runs.append(run)
            self.runs.sort(key=lambda run: (-(run.updated or 0), run.run_id))
            there = {run.run_id for run in self.runs}
            self.removed = [run_id for run_id in _listed_in_ledger(out) if run_id not in there]
            self.latest_is_invalid |= self.latest is not None and self.latest not in there
        finally:
            fs.close(out)

    def as_json(self) -> dict[str, Any]:
        return {"latest": self.latest, "runs": [run.as_json() for run in self.runs], "removed": self.removed}


def _look(out: fs.Dir, name: str) -> Listed | None:
    """A run; None of one that was removed meanwhile."""
    try:
        directory = fs.open_directory(out, name)
    except ReadFailed:
        return None
    try:
        return Listed(directory, name)
    except ReadFailed as error:
        if error.code == fs.ABSENT:
            return None
        raise
    finally:
        fs.close(directory)


def document(directory: fs.Dir, name: str) -> object:
    """A document of a run as it stands there; None where none can be read."""
    try:
        return read(fs.read_member(directory, name, most_bytes(name)))
    except (ReadFailed, ParseError):
        return None


def outcome_of(run: object, summary: object) -> str | None:
    """What came of a run in one word: of an intent accepted or what else it was, of a plan its summary's status."""
    decision, kind = member(run, "decision"), member(run, "kernel_result_kind")
    if kind in ("CLARIFY", "REFUSE"):
        return "clarify" if kind == "CLARIFY" else "refused"
    accepted = member(decision, "accepted")
    if accepted in (True, False) and type(accepted) is bool:
        return "accepted" if accepted else "rejected"
    status = member(summary, "status")
    return status if status in ("ok", "partial", "failed", "dry") else None


def _time_of(status: object) -> int | None:
    told = member(status, "updated_at_unix")
    return int(told) if type(told) in (int, float) and 0 <= told < 1 << 40 else None


def sizes(directory: fs.Dir) -> Iterator[tuple[str, int]]:
    """(path, bytes) of the regular files, without opening one."""
    for path, mode in fs.files_below(directory, MOST_FILES):
        if stat.S_ISREG(mode):
            yield path, _size_below(directory, path)


def _size_below(directory: fs.Dir, path: str) -> int:
    above, _, name = path.rpartition("/")
    if not above:
        return fs.status(directory, name).st_size
    opened: list[fs.Dir] = []
    try:
        for part in above.split("/"):
            opened.append(fs.open_directory(opened[-1] if opened else directory, part))
        return fs.status(opened[-1], name).st_size
    finally:
        for folder in opened:
            fs.close(folder)


def _listed_in_ledger(out: fs.Dir) -> list[str]:
    """The run ids in the ledger, in its order; lines that cannot be read are `verify`'s to tell."""

    try:
        descriptor = fs.open_member(out, ledger.NAME)
    except ReadFailed:
        return []
    found: list[str] = []
    try:
        for line in split_lines(iter(lambda: os.read(descriptor, 1 << 20), b"")):
            try:
                run_id = member(read(line), "run_id")
            except ParseError:
                continue
            if type(run_id) is str:
                found.append(run_id)
    finally:
        os.close(descriptor)
    return found

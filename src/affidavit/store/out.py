"""An out folder: runs beside each other, a lock, a ledger, and LATEST (seed 003, sections 1.1 and 3)."""

from __future__ import annotations

import os
import stat

from ..canon.reader import read
from ..contracts import artifact_index, run_status
from ..contracts.run_status import HARNESS
from ..errors import AffidavitError, ParseError, ReadFailed
from ..shown import plain, shown
from . import durable, fs, publish
from .durable import writing
from .ledger import Ledger, entry_of_run
from .lock import ANYTHING, TIMEOUT, Lock, acquire
from .refused import BundleRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from .lock import LockMode

LATEST = "LATEST"
#: What an out folder holds beside its runs, in lower case: no run can be called so.
RESERVED = frozenset({"latest", "ledger.jsonl", "ledger.torn.jsonl", ".runtime.lock"})
#: Removed runs stand under such a name until they are gone.
REMOVED = ".removed-"
RUN = "run.json"
_LONGEST_NAME = 200
_MOST_DOCUMENT = 64 * 1024 * 1024
MOST_RUNS = 1_000_000


class LatestInvalid(BundleRefused):
    """A LATEST that does not name a run beside it."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__("latest.invalid", LATEST, expected, found)


def is_run_id(text: str) -> bool:
    """Whether a directory of an out folder may be called so: one visible name that every system can have."""
    return (
        bool(text)
        and len(text) <= _LONGEST_NAME
        and text.isascii()
        and text[0].isalnum()
        and all(character.isalnum() or character in "._-" for character in text)
        and not text.endswith(".")
        and text.lower() not in RESERVED
    )


def is_segment(text: str) -> bool:
    """One safe path segment: what another writer may have called a run."""
    return (
        0 < len(text) <= _LONGEST_NAME
        and text not in (".", "..")
        and not any(character in "/\\\0" for character in text)
        and plain(text) == text
        and not text.startswith(".")
    )


def read_latest(out: fs.Dir) -> str | None:
    """The run that LATEST names, None without a LATEST. What it names is not looked at."""
    try:
        found = fs.read_member(out, LATEST, _LONGEST_NAME * 4)
    except ReadFailed as error:
        if error.code == fs.ABSENT:
            return None
        raise LatestInvalid("a regular file that holds a run id", error.message) from None
    try:
        text = found.decode().removesuffix("\n")
    except UnicodeDecodeError:
        raise LatestInvalid("a run id and one line end", "bytes that are no UTF-8") from None
    if not is_segment(text):
        raise LatestInvalid("a run id and one line end", shown(text))
    return text


class OutFolder:
    """An out folder whose lock is held. On entry, what the last holder left undone is completed, so that no committed
    run stays unlisted (contracts 2.6)."""

    __slots__ = ("_lock", "_mode", "_timeout", "descriptor", "path")

    _lock: Lock | None

    def __init__(self, path: str, mode: LockMode = "wait", timeout: float = TIMEOUT) -> None:
        self.path = path
        self._mode = mode
        self._timeout = timeout

    def __enter__(self) -> Self:
        self.descriptor = durable.open_directory(self.path)
        self._lock = None
        is_entered = False
        try:
            self._lock = acquire(self.descriptor, self.path, self._mode, self._timeout)
            self._complete(self._lock)
            is_entered = True
        finally:
            if not is_entered:
                self._leave()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        if self._lock is not None:
            self._lock.release()
        os.close(self.descriptor)

    def _doing(self, what: dict[str, Any] | None) -> None:
        assert self._lock is not None  # between entering and leaving
        self._lock.doing(what)

    # What is noted in the lock before it is done, and completed by whoever comes next.

    def commit(self, run: int, run_id: str, index: bytes, *, ledger: dict[str, Any] | None, move_latest: bool) -> None:
        """The commit barrier and what follows it: index, ledger line, LATEST, each durable before the next."""
        self._doing({"commit": run_id, "ledger": ledger is not None, "latest": move_latest})
        durable.replace(run, artifact_index.NAME, index)
        if ledger is not None:
            with Ledger(self.descriptor) as lines:
                lines.append(run_id, ledger)
                if lines.was_torn:
                    self._list_all(lines)
        if move_latest:
            self.move_latest(run_id)
        self._doing(None)

    def remove(self, run_id: str, latest: str | None) -> None:
        """Takes a run away: LATEST first, should it name this run, then the directory, by one rename."""
        self._doing({"remove": run_id, "latest": latest})
        self._remove(run_id, latest)
        self._doing(None)

    def move_latest(self, run_id: str | None) -> None:
        if run_id is not None:
            durable.replace(self.descriptor, LATEST, run_id.encode() + b"\n")
            return
        with writing(LATEST):
            try:
                os.unlink(LATEST, dir_fd=self.descriptor)
            except FileNotFoundError:
                return
            durable.sync_directory(self.descriptor)

    def _remove(self, run_id: str, latest: str | None) -> None:
        if self._latest() == run_id:
            self.move_latest(latest)
        hidden = REMOVED + os.urandom(8).hex()
        with writing(run_id):
            try:
                os.rename(run_id, hidden, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
            except FileNotFoundError:
                return
            durable.sync_directory(self.descriptor)
        publish.remove_tree(self.descriptor, hidden)

    def _latest(self) -> str | None:
        try:
            return read_latest(self.descriptor)
        except LatestInvalid:
            return None

    def _complete(self, lock: Lock) -> None:
        undone = lock.undone
        if undone is None:
            return
        commit, remove = undone.get("commit"), undone.get("remove")
        if type(commit) is str and is_segment(commit):
            if self.has_index(commit):
                if undone.get("ledger"):
                    with Ledger(self.descriptor) as lines:
                        if lines.was_torn:
                            self._list_all(lines)
                        self._list(lines, commit)
                if undone.get("latest"):
                    self.move_latest(commit)
        elif type(remove) is str and is_segment(remove):
            latest = undone.get("latest")
            self._remove(remove, latest if type(latest) is str and self.has_index(latest) else None)
        elif undone == ANYTHING:
            self._complete_anything()
        lock.doing(None)

    def _complete_anything(self) -> None:
        """After a power cut, or where an older tool wrote: every committed run is in the ledger, nothing half built
        lies around."""
        self.tidy()
        with writing("."):
            there = os.listdir(self.descriptor)
        if any(is_segment(name) and self._has(name, RUN) for name in there):
            with Ledger(self.descriptor) as lines:
                self._list_all(lines)

    def tidy(self) -> None:
        """Removes what was half built or half removed by processes that are gone."""
        publish.sweep(self.descriptor)
        with writing("."):
            there = os.listdir(self.descriptor)
        for name in there:
            if name.startswith(REMOVED):
                publish.remove_tree(self.descriptor, name)

    def _list_all(self, lines: Ledger) -> None:
        with writing("."):
            there = sorted(os.listdir(self.descriptor))
        for name in there:
            if is_segment(name) and self._has(name, RUN):
                self._list(lines, name)

    def _list(self, lines: Ledger, run_id: str) -> None:
        if lines.lists(run_id):
            return
        entry = self._entry(run_id)
        if entry is not None:
            lines.append(run_id, entry)

    def _entry(self, run_id: str) -> dict[str, Any] | None:
        """What the ledger tells of a committed run of ours; None of what is none, or is not sound (verify tells it)."""
        from ..canon.profiles import RAW
        from ..contracts.run import verify_run

        try:
            folder = fs.open_directory(self.descriptor, run_id)
            try:
                status: Any = read(fs.read_member(folder, run_status.NAME, _MOST_DOCUMENT))
                index: Any = read(fs.read_member(folder, artifact_index.NAME, _MOST_DOCUMENT))
                raw = fs.read_member(folder, RUN, _MOST_DOCUMENT)
            finally:
                fs.close(folder)
            run: Any = read(raw)
        except (ReadFailed, ParseError):
            return None
        sound = (
            run_status.verify_run_status(status).ok
            and artifact_index.verify_artifact_index(index).ok
            and verify_run(run, level="compat").ok
        )
        if not sound or status["state"] != "complete" or status["plan_id"] != HARNESS:
            return None
        if index["run_id"] != run_id or run["run_id"] != run_id:
            return None
        listed = RAW.digest(raw).hex, "/" + RUN
        if not any(entry["sha256"] == listed[0] and entry["path"].endswith(listed[1]) for entry in index["artifacts"]):
            return None
        return entry_of_run(run)

    def has_index(self, run_id: str) -> bool:
        """Whether a run was committed."""
        return self._has(run_id, artifact_index.NAME)

    def _has(self, run_id: str, name: str) -> bool:
        try:
            folder = fs.open_directory(self.descriptor, run_id)
        except AffidavitError:
            return False
        assert isinstance(folder, int)  # an out folder is only ever opened where there are descriptors
        try:
            return stat.S_ISREG(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        except OSError:
            return False
        finally:
            os.close(folder)

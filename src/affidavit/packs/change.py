"""Several files changed as one, below a directory that others use: all of them, or none (ADR 0500).

No system call renames several files at once, so there is a journal. In the target a hidden directory is made that
holds the new files, durable, and then the journal that says what is about to happen. After that each file changes
places with its new one, so that the hidden directory holds the old ones. When all have, and that is durable, the
journal is renamed to say so: this is the moment at which the patch is applied. Whatever is found with a journal is
undone by whoever comes next, step by step and by where the files are, so it can be interrupted as often as it likes;
whatever is found without one was not begun, or is done, and is only cleared away.
"""

from __future__ import annotations

import fcntl
import os
import signal

from ..canon.jcs import canonical
from ..errors import AffidavitError, ReadFailed, WriteFailed
from ..store import durable, fs, renames
from ..store.durable import writing
from .journal import (
    DONE,
    IGNORE,
    JOURNAL,
    Changed,
    Unrecovered,
    clear,
    descriptor_of,
    digest_at,
    number_of,
    parent_of,
    read_journal,
    sync_parents,
    undo,
    undo_step,
)
from .target import STAGE, found_instead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType
    from typing import Literal, Self

    from ..errors import Kind
    from ..store.survey import Progress
    from .journal import Step

_PERMISSIONS = 0o777
#: Files that are written and then made durable together.
_AT_ONCE = 256
#: Signals that end a program when it does not listen: they wait until the files are all old or all new.
_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}


class Interrupted(AffidavitError):
    """Writing failed, and so did undoing it."""

    kind: Kind = "io"

    def __init__(self, error: WriteFailed) -> None:
        message = f"the target is half written, and undoing it failed: {error.message}; --recover tries again"
        super().__init__("apply.interrupted", message, **error.details)


class Busy(AffidavitError):
    """Another process is changing the target."""

    kind: Kind = "io"

    def __init__(self) -> None:
        super().__init__("apply.busy", "expected a target that nobody else is changing, found one being applied to")


class undisturbed:  # noqa: N801 -- reads as `with undisturbed():`
    """Signals that would end the program wait until this is over."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


class Claim:
    """The target, claimed by this process: by a lock on the directory itself, which leaves nothing behind."""

    __slots__ = ("root",)

    def __init__(self, root: int) -> None:
        self.root = root

    def __enter__(self) -> Self:
        try:
            with writing("the target"):
                fcntl.flock(self.root, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except AffidavitError as error:
            if isinstance(error.__cause__, BlockingIOError):
                raise Busy from None
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        fcntl.flock(self.root, fcntl.LOCK_UN)

    def left(self) -> bool:
        """Whether an earlier apply left something."""
        return fs.mode_of(self.root, STAGE) is not None

    def recover(self) -> Literal["nothing", "rolled back", "cleared"]:
        """Undoes or clears away what an interrupted apply left. Raises Unrecovered."""
        if not self.left():
            return "nothing"
        try:
            stage = descriptor_of(fs.open_directory(self.root, STAGE))
        except ReadFailed as error:
            raise Unrecovered("a directory that an apply made", error.message) from None
        try:
            journal = read_journal(stage)
            if journal is not None:
                with undisturbed():
                    undo(self.root, stage, *journal)
        finally:
            os.close(stage)
        clear(self.root)
        return "cleared" if journal is None else "rolled back"


class Change:
    """Files being changed as one. What is not `keep`t is undone when this is left, whatever the reason."""

    __slots__ = ("_directories", "_is_begun", "_is_kept", "_progress", "_root", "_stage", "_steps")

    def __init__(
        self, claim: Claim, steps: Sequence[Step], directories: Sequence[str], progress: Progress | None = None
    ) -> None:
        """`directories` are those to be made, each after the one above it. `progress` is told of the bytes that are
        durable, and of all; that is what takes long."""
        self._progress = progress
        self._root = claim.root
        self._steps = steps
        self._directories = directories
        self._stage = -1
        self._is_begun = False
        self._is_kept = False

    def __enter__(self) -> Self:
        """Makes all that is needed durable beside the files; none of them is touched."""
        try:
            with writing(STAGE):
                os.mkdir(STAGE, 0o700, dir_fd=self._root)
                self._stage = descriptor_of(fs.open_directory(self._root, STAGE))
                self._write(IGNORE, b"*\n", 0)  # git shall not see it
            new = [(number, step) for number, step in enumerate(self._steps) if step.content is not None]
            for start in range(0, len(new), _AT_ONCE):
                self._stage_files(new[start : start + _AT_ONCE])
            durable.settle(self._stage, [IGNORE])
            journal = {
                "inode": number_of(os.fstat(self._stage)),
                "directories": list(self._directories),
                "steps": [step.as_json() for step in self._steps],
            }
            durable.replace(self._stage, JOURNAL, canonical(journal) + b"\n")
            with writing(STAGE):
                durable.sync_directory(self._root)
            self._is_begun = True
        finally:
            if not self._is_begun:
                self._leave()
        return self

    def _stage_files(self, new: Sequence[tuple[int, Step]]) -> None:
        for number, step in new:
            with writing(step.path):
                step.inode = self._write(str(number), step.content or b"", step.mode)
        durable.settle(self._stage, [str(number) for number, _ in new])
        if self._progress is not None:
            last = new[-1][0]
            sizes = [len(step.content or b"") for step in self._steps]
            self._progress(sum(sizes[: last + 1]), sum(sizes))

    def _write(self, name: str, data: bytes, mode: int) -> int:
        descriptor = durable.create(self._stage, name)
        try:
            durable.write_all(descriptor, data)
            if mode:
                os.fchmod(descriptor, mode & _PERMISSIONS)
            return number_of(os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def carry_out(self, *, each_alone: bool = False) -> dict[str, str]:
        """Changes all files; returns by path why one could not be. Then none was, unless each stands alone."""
        failed: dict[str, str] = {}
        with undisturbed():
            for directory in self._directories:
                try:
                    _make(self._root, directory)
                except (Changed, OSError):
                    continue  # the steps below it tell
            for number, step in enumerate(self._steps):
                try:
                    self._carry_out(number, step)
                except Changed as error:
                    failed[step.path] = f"expected what was there before, found {error.found}"
                except OSError as error:
                    failed[step.path] = f"expected to write it, found: {error.strerror or error}"
                if step.path in failed:
                    if not each_alone:
                        break
                    undo_step(self._root, self._stage, number, step)
            else:
                sync_parents(self._root, self._steps, self._directories)
        return failed

    def _carry_out(self, number: int, step: Step) -> None:
        parent, name = parent_of(self._root, step.path)
        try:
            if step.before is None:
                renames.move_file(self._stage, str(number), parent, name)
            elif step.content is None:
                renames.move_file(parent, name, self._stage, f"{number}.old")
                self._require(f"{number}.old", step.before)
            elif renames.exchange(self._stage, str(number), parent, name):
                self._require(str(number), step.before)
            else:
                renames.move_file(parent, name, self._stage, f"{number}.old")
                self._require(f"{number}.old", step.before)
                renames.move_file(self._stage, str(number), parent, name)
        except FileExistsError:
            raise Changed("something of this name") from None
        except FileNotFoundError:
            raise Changed("no file") from None
        finally:
            os.close(parent)

    def _require(self, name: str, digest: str) -> None:
        """What was taken out of its place is what had been looked at."""
        try:
            found = digest_at(self._stage, name)
        except ReadFailed as error:
            raise Changed(found_instead(error)) from None
        if found != digest:
            raise Changed("other contents")

    def keep(self) -> None:
        """From here on the new files are the files, also after a crash."""
        with writing(STAGE), undisturbed():
            os.rename(JOURNAL, DONE, src_dir_fd=self._stage, dst_dir_fd=self._stage)
            durable.sync_directory(self._stage)
        self._is_kept = True

    def take_back(self) -> None:
        """What was kept is not: it is undone when this is left."""
        with writing(STAGE), undisturbed():
            os.rename(DONE, JOURNAL, src_dir_fd=self._stage, dst_dir_fd=self._stage)
            durable.sync_directory(self._stage)
        self._is_kept = False

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        if self._stage < 0:
            return
        try:
            if self._is_begun and not self._is_kept:
                with undisturbed(), writing(STAGE):
                    if fs.mode_of(self._stage, DONE) is not None:  # keeping it failed half way
                        os.rename(DONE, JOURNAL, src_dir_fd=self._stage, dst_dir_fd=self._stage)
                    undo(self._root, self._stage, self._steps, self._directories)
        except WriteFailed as error:
            raise Interrupted(error) from error
        finally:
            os.close(self._stage)
            self._stage = -1
        try:
            with undisturbed():
                clear(self._root)
        except (AffidavitError, OSError):
            pass  # the files are what they should be; what is left of the work the next apply clears away


def _make(root: int, path: str) -> None:
    parent, name = parent_of(root, path)
    try:
        os.mkdir(name, durable.DIRECTORY_MODE, dir_fd=parent)
    finally:
        os.close(parent)

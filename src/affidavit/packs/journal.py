"""What a change of several files is going to do, written down before it is done; and how that is undone (ADR 0500).

It is undone step by step and by where the files are, so it can be interrupted as often as it likes. A file is known by
its inode and its hash. A journal that names another inode for its own directory was not made here (it was copied, or
checked out): it is refused, and nothing is moved at its word.
"""

from __future__ import annotations

import errno
import os

from ..canon.reader import read
from ..contracts.patch import unsafe_path
from ..errors import AffidavitError, ParseError, ReadFailed
from ..rules.checks import content_hash
from ..rules.shape import Arr, Int, Nullable, Obj, Text
from ..shown import shown
from ..store import durable, fs, renames
from ..store.durable import writing
from .target import STAGE, digest_of, found_instead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from ..errors import Kind

#: In the hidden directory: what is about to happen; the same once it has; and what keeps git from seeing it.
JOURNAL, DONE, IGNORE = "journal.json", "done.json", ".gitignore"
_MOST_JOURNAL = 64 << 20
_MOST_LEFT = 1_000_000

_IS_PATH = Text(lambda text: unsafe_path(text) is None, "a safe path")
_SHAPE = Obj(
    {
        "inode": Int(0),
        "directories": Arr(_IS_PATH),
        "steps": Arr(
            Obj(
                {
                    "path": _IS_PATH,
                    "before": Nullable(content_hash()),
                    "after": Nullable(content_hash()),
                    "inode": Nullable(Int(0)),
                }
            )
        ),
    }
)


class Unrecovered(AffidavitError):
    """What an interrupted apply left cannot be undone without losing what came after it."""

    kind: Kind = "refused"

    def __init__(self, expected: str, found: str) -> None:
        place = f"{STAGE} in the target"
        super().__init__(
            "apply.unrecovered",
            f"{place}: expected {expected}, found {found}; nothing more was changed: what was there before is in it, "
            "so look at it, and remove it when nothing in it is needed",
            expected=expected,
            found=found,
        )


class Changed(Exception):
    """A file that is not as it was when it was looked at."""

    def __init__(self, found: str) -> None:
        super().__init__(found)
        self.found = found


class Step:
    """One file: its path, the hash that it has and what it shall hold, each None for no file; and its mode then."""

    __slots__ = ("after", "before", "content", "inode", "mode", "path")

    def __init__(
        self, path: str, before: str | None, after: str | None, content: bytes | None = None, mode: int = 0
    ) -> None:
        self.path = path
        self.before = before
        self.after = after
        self.content = content
        self.mode = mode
        self.inode: int | None = None  # of the file that holds `content`

    def as_json(self) -> dict[str, Any]:
        return {"path": self.path, "before": self.before, "after": self.after, "inode": self.inode}


def read_journal(stage: int) -> tuple[list[Step], list[str]] | None:
    """What was about to happen; None where nothing had begun, or all was done."""
    try:
        found: Any = read(fs.read_member(stage, JOURNAL, _MOST_JOURNAL))
    except ReadFailed as error:
        if error.code == fs.ABSENT:
            return None
        raise Unrecovered("a journal", error.message) from None
    except ParseError as error:
        raise Unrecovered("a journal", error.message) from None
    if not _SHAPE.fits(found):
        raise Unrecovered("a journal", "another document")
    if found["inode"] != number_of(os.fstat(stage)):
        raise Unrecovered("a directory that an apply made in this place", "a copy of one")
    steps: list[Step] = []
    for told in found["steps"]:
        step = Step(told["path"], told["before"], told["after"])
        step.inode = told["inode"]
        steps.append(step)
    return steps, found["directories"]


def undo(root: int, stage: int, steps: Sequence[Step], directories: Sequence[str]) -> None:
    """Every file is what it was and where it was, durably, and the journal is gone. May be begun again at any point."""
    for number in range(len(steps) - 1, -1, -1):
        undo_step(root, stage, number, steps[number])
    for directory in reversed(directories):
        _remove_if_empty(root, directory)
    sync_parents(root, steps, directories)
    with writing(STAGE):
        for name in (JOURNAL, durable.aside(JOURNAL)):
            _unlink(stage, name)
        durable.sync_directory(stage)


def undo_step(root: int, stage: int, number: int, step: Step) -> None:
    try:
        parent, name = parent_of(root, step.path)
    except Changed as error:
        if _old(stage, number, step):
            raise Unrecovered(f"the directory of {shown(step.path)}", error.found) from None
        return  # was never reached
    try:
        with writing(step.path):
            old = _old(stage, number, step)
            here = _inode(parent, name)
            if here is not None and here == step.inode:
                if digest_at(parent, name) != step.after:
                    raise Unrecovered(f"{shown(step.path)} as it was applied", "other contents")
                if old and renames.exchange(stage, old, parent, name):
                    return
                os.unlink(name, dir_fd=parent)
                here = None
            if not old:
                return
            if here is not None and here == _inode(stage, old):  # it was being moved, where that takes two steps
                os.unlink(old, dir_fd=stage)
            elif here is not None:
                raise Unrecovered(f"nothing at {shown(step.path)}", "something new")
            else:
                renames.move_file(stage, old, parent, name)
    except ReadFailed as error:
        raise Unrecovered(f"{shown(step.path)} as it was applied", error.message) from None
    finally:
        os.close(parent)


def _old(stage: int, number: int, step: Step) -> str:
    """Where the file of before is; empty where it is still in its place, or there was none."""
    if _inode(stage, f"{number}.old") is not None:
        return f"{number}.old"
    found = _inode(stage, str(number))
    return str(number) if found is not None and found != step.inode else ""


def number_of(found: os.stat_result) -> int:
    """What a file keeps when it changes its name, and no copy of it has."""
    return found.st_ino


def _inode(directory: int, name: str) -> int | None:
    try:
        return number_of(os.stat(name, dir_fd=directory, follow_symlinks=False))
    except FileNotFoundError:
        return None


def digest_at(directory: int, name: str) -> str:
    descriptor = fs.open_member(directory, name)
    try:
        return digest_of(descriptor, name)
    finally:
        os.close(descriptor)


def parent_of(root: int, path: str) -> tuple[int, str]:
    """A descriptor of the directory that a path's last name stands in, and that name. No symlink on the way."""
    *parents, name = path.split("/")
    opened = os.dup(root)
    for parent in parents:
        above = opened
        try:
            opened = descriptor_of(fs.open_directory(above, parent))
        except ReadFailed as error:
            raise Changed(f"{found_instead(error)} at {shown(parent)}") from None
        finally:
            os.close(above)
    return opened, name


def _remove_if_empty(root: int, path: str) -> None:
    try:
        parent, name = parent_of(root, path)
    except Changed:
        return
    try:
        with writing(path):
            os.rmdir(name, dir_fd=parent)
    except AffidavitError as error:
        cause = error.__cause__
        # what somebody else put into it meanwhile, or made of it, is theirs
        if not isinstance(cause, OSError) or cause.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.ENOTDIR):
            raise
    finally:
        os.close(parent)


def sync_parents(root: int, steps: Sequence[Step], directories: Collection[str]) -> None:
    above = {path.rpartition("/")[0] for path in (*(step.path for step in steps), *directories)}
    for path in sorted(above, key=len, reverse=True):
        try:
            parent, _ = parent_of(root, f"{path}/." if path else ".")
        except Changed:
            continue  # gone, and with it what would have to be synced
        try:
            with writing(path or "the target"):
                durable.sync_directory(parent)
        finally:
            os.close(parent)


def clear(root: int) -> None:
    """Removes what we made in the hidden directory, and the directory. What is not ours stays, and says so."""
    with writing(STAGE):
        stage = descriptor_of(fs.open_directory(root, STAGE))
        try:
            for name in sorted(fs.names(stage, _MOST_LEFT)):
                if _is_ours(name):
                    _unlink(stage, name)
        finally:
            os.close(stage)
        try:
            os.rmdir(STAGE, dir_fd=root)
        except OSError as error:
            if error.errno == errno.ENOTEMPTY:
                raise Unrecovered("nothing but what an apply leaves", "other files") from None
            raise


def _is_ours(name: str) -> bool:
    number = name.removesuffix(".old")
    return (number.isascii() and number.isdigit()) or name in (JOURNAL, DONE, IGNORE, durable.aside(JOURNAL))


def _unlink(directory: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=directory)
    except FileNotFoundError:
        pass


def descriptor_of(directory: fs.Dir) -> int:
    assert isinstance(directory, int)  # the target was opened by a handle
    return directory

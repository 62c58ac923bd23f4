"""What a run left below its write roots: the files that it made or changed, and those that it removed
(contracts 2.2, Outputs). Everything is asked of the copy itself, by directory handle, after the last command."""

from __future__ import annotations

import os
import stat

from ..canon.order import utf16
from ..canon.profiles import RAW, raw_hasher
from ..errors import ReadFailed
from ..kernel.refusals import is_below
from ..rules.checks import stays_below
from ..shown import plain
from ..store import fs
from ..store.removal import open_owned
from .workspace import signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .workspace import Copied, Kept

_MOST_NESTED = 256
#: Beyond what was copied: a run that leaves more is not collected to the end, and rejected for it.
_MOST_NEW_ENTRIES = 200_000
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PATH = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Left:
    """What was found. `unseen` says what could not be looked at, and speaks against the run."""

    __slots__ = ("left_out", "outputs", "removed", "unseen")

    def __init__(self) -> None:
        #: Path and permissions of each output, by path.
        self.outputs: list[tuple[str, int]] = []
        #: What was there before and is gone, with its digest; None where nobody can say what it was.
        self.removed: list[tuple[str, str | None]] = []
        #: What is no output and is not overlooked either: (path as it is shown, what it is).
        self.left_out: list[tuple[str, str]] = []
        self.unseen: list[str] = []


class Changes:
    """One comparison of a copy with what it was when it was made."""

    __slots__ = ("_copied", "_entries", "_files", "_left", "_links", "_roots")

    def __init__(self, copied: Copied, roots: list[str]) -> None:
        self._copied = copied
        self._roots = roots
        self._left = Left()
        self._files: set[str] = set()
        self._links: set[str] = set()
        self._entries = 0

    def collect(self) -> Left:
        left = self._left
        top = os.open(self._copied.path, _DIRECTORY)
        try:
            self._directory(top, "", 0)
        finally:
            os.close(top)
        if not left.unseen:  # else nobody knows what is gone
            self._removed()
        left.outputs.sort(key=lambda output: utf16(output[0]))
        left.removed.sort(key=lambda removed: utf16(removed[0]))
        left.left_out.sort()
        return left

    def _removed(self) -> None:
        for path, kept in self._copied.files.items():
            if path not in self._files and is_below(path, self._roots) and _is_utf8(path):
                self._left.removed.append((path, self._digest_of_original(path, kept)))
        for path in self._copied.links.keys() - self._links:
            if is_below(path, self._roots):
                self._left.left_out.append((plain(path), "a symlink that was removed"))

    def _directory(self, directory: int, prefix: str, depth: int) -> None:
        if depth > _MOST_NESTED:
            self._left.unseen.append(f"{plain(prefix)}: more than {_MOST_NESTED} directories within each other")
            return
        for name, kind in sorted(fs.entries(directory)):
            path = prefix + name
            self._entries += 1
            if self._entries > len(self._copied.files) + _MOST_NEW_ENTRIES:
                if not self._left.unseen:
                    self._left.unseen.append(f"more than {_MOST_NEW_ENTRIES} new files and directories")
                return
            if stat.S_ISDIR(kind):
                self._below(directory, name, path, depth)
            elif not is_below(path, self._roots):
                continue  # nobody could write there
            elif path in self._copied.excluded:
                self._left.left_out.append((plain(path), "where runs are committed"))
            elif not stat.S_ISREG(kind):
                if stat.S_ISLNK(kind):
                    self._links.add(path)
                if not self._is_old_link(directory, name, path, kind):
                    self._left.left_out.append((plain(path), fs.what(kind)))
            else:
                self._regular(directory, name, path)

    def _below(self, directory: int, name: str, path: str, depth: int) -> None:
        if path in self._copied.excluded:
            self._left.left_out.append((plain(path), "where runs are committed"))
            return
        opened = open_owned(directory, name)
        try:
            self._directory(opened, path + "/", depth + 1)
        finally:
            os.close(opened)

    def _regular(self, directory: int, name: str, path: str) -> None:
        found = os.stat(name, dir_fd=directory, follow_symlinks=False)
        kept = self._copied.files.get(path)
        self._files.add(path)
        if kept is not None and not self._is_changed(directory, name, path, kept, found):
            return
        if not _is_utf8(path):
            self._left.left_out.append((plain(path), "a name that is not UTF-8"))
        elif not stays_below(path):
            self._left.left_out.append((plain(path), "a name that climbs elsewhere"))
        else:
            self._left.outputs.append((path, stat.S_IMODE(found.st_mode)))

    def _is_old_link(self, directory: int, name: str, path: str, kind: int) -> bool:
        return stat.S_ISLNK(kind) and self._copied.links.get(path) == os.readlink(name, dir_fd=directory)

    def _is_changed(self, directory: int, name: str, path: str, kept: Kept, found: os.stat_result) -> bool:
        """Whether the bytes are others than those that were copied. Where the original was changed meanwhile, nobody
        can say that they are the same, and the file counts as what the run left."""
        if signature(found) == kept.copy:
            return False
        if found.st_size != kept.size:
            return True
        original = self._original(path, kept)
        if original < 0:
            return True
        try:
            copy = open_output(directory, name)
            try:
                return _differ(original, copy)
            finally:
                os.close(copy)
        finally:
            os.close(original)

    def _original(self, path: str, kept: Kept) -> int:
        """A descriptor of the file that was copied, as long as it is the same; -1 when it is not."""
        top = os.open(self._copied.original, _DIRECTORY)
        try:
            opened = fs.open_below(top, path)
        except ReadFailed:
            return -1
        finally:
            os.close(top)
        if signature(os.fstat(opened)) == kept.original:
            return opened
        os.close(opened)
        return -1

    def _digest_of_original(self, path: str, kept: Kept) -> str | None:
        opened = self._original(path, kept)
        if opened < 0:
            return None
        try:
            return digest_of(opened)
        finally:
            os.close(opened)


def open_output(directory: int, name: str) -> int:
    """A descriptor of a regular file that a command of ours left, also one that says nobody may read it."""
    try:
        opened = os.open(name, _READ, dir_fd=directory)
    except PermissionError:
        handle = os.open(name, _PATH, dir_fd=directory)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise ReadFailed(fs.NOT_REGULAR, f"{plain(name)}: expected a regular file") from None
            place = f"/proc/self/fd/{handle}"
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
            os.chmod(place, mode | 0o400)
            opened = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
            os.chmod(place, mode)
        finally:
            os.close(handle)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise ReadFailed(fs.NOT_REGULAR, f"{plain(name)}: expected a regular file, found something else meanwhile")
    return opened


def open_output_below(top: int, path: str) -> int:
    """The same for a path of several names, none of them a symlink."""
    *parents, name = path.split("/")
    here = os.dup(top)
    try:
        for parent in parents:
            below = open_owned(here, parent)
            os.close(here)
            here = below
        return open_output(here, name)
    finally:
        os.close(here)


def digest_of(descriptor: int) -> str:
    """The RAW digest of an open file, from where it stands."""
    hasher = raw_hasher()
    while piece := os.read(descriptor, fs.CHUNK):
        hasher.update(piece)
    return RAW.digest_hex(hasher.hexdigest()).content_hash


def _differ(one: int, other: int) -> bool:
    while True:
        piece = os.read(one, fs.CHUNK)
        against = b""
        while len(against) < len(piece):
            more = os.read(other, len(piece) - len(against))
            if not more:
                return True
            against += more
        if piece != against:
            return True
        if not piece:
            return bool(os.read(other, 1))


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True

"""The copy of a workspace that commands run in. The original is only ever read (contracts 2.9).

Everything goes by directory handle, one name at a time, never through a symlink: whoever changes the original while it
is being copied gets a copy of something that stood there, never of something elsewhere.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat

from ..errors import ReadFailed
from ..shown import plain
from ..store import fs
from ..store.lock import NAME as LOCK
from .errors import SANDBOX, RunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_BYTES = 2 * 1024**3
MOST_ENTRIES = 200_000
_MOST_NESTED = 256
_CHUNK = 1 << 20
_FICLONE = 0x40049409
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_RAISE_IT = "raise it with --max-workspace-{}, or name a smaller --workspace"


class Kept:
    """A regular file as it was copied: what tells, without reading it, that nobody has touched the copy since, or the
    original."""

    __slots__ = ("copy", "mode", "original", "size")

    def __init__(self, original: os.stat_result, copy: os.stat_result) -> None:
        self.original = signature(original)
        self.copy = signature(copy)
        self.size = copy.st_size
        self.mode = stat.S_IMODE(copy.st_mode)


def signature(found: os.stat_result) -> tuple[int, int, int, int, int]:
    """Two equal ones, and the bytes are the same: nobody but the kernel sets the time of change."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


class Copied:
    """A finished copy: its files by path, and what was left out."""

    __slots__ = ("excluded", "files", "links", "original", "path", "skipped")

    def __init__(self, original: str, path: str) -> None:
        self.original = original
        self.path = path
        self.files: dict[str, Kept] = {}
        #: Symlinks, by path, with what they lead to.
        self.links: dict[str, str] = {}
        #: Special files, which were not copied: (path, what it is).
        self.skipped: list[tuple[str, str]] = []
        #: Directories of runs, which are no part of a workspace.
        self.excluded: list[str] = []


class Stopped(Exception):
    """Somebody asked to stop while the workspace was being copied."""


class Limits:
    """How much of a workspace is copied before somebody has to say that it may be more."""

    __slots__ = ("most_bytes", "most_entries")

    def __init__(self, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES) -> None:
        self.most_bytes = most_bytes
        self.most_entries = most_entries


def copy_workspace(
    original: str, target: str, *, out: str, limits: Limits, is_stopped: Callable[[], bool] = lambda: False
) -> Copied:
    """Copies the directory `original` into `target`, an empty directory of ours, without the out folder. Raises
    RUN_E005 for what cannot be read or is too much."""
    original = os.path.realpath(original)
    copied = Copied(original, target)
    try:
        source = os.open(original, _DIRECTORY)
        try:
            there = os.open(target, _DIRECTORY)
            try:
                _Copy(copied, os.stat(out), limits, is_stopped).run(source, there)
            finally:
                os.close(there)
        finally:
            os.close(source)
    except OSError as error:
        raise _unreadable(error, original) from None
    except ReadFailed as error:
        raise RunError(SANDBOX, f"the workspace cannot be copied: {error.message}", cause=error.code) from None
    return copied


def _unreadable(error: OSError, place: str) -> RunError:
    told = plain(os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else place)
    return RunError(
        SANDBOX, f"the workspace cannot be copied: {told}: {error.strerror}", path=told, cause="WORKSPACE_UNREADABLE"
    )


class _Copy:
    """One walk, with as many directories open as the tree is deep."""

    __slots__ = ("_bytes", "_copied", "_entries", "_is_stopped", "_limits", "_links_work", "_out")

    def __init__(self, copied: Copied, out: os.stat_result, limits: Limits, is_stopped: Callable[[], bool]) -> None:
        self._copied = copied
        self._out = (out.st_dev, out.st_ino)
        self._limits = limits
        self._is_stopped = is_stopped
        self._entries = 0
        self._bytes = 0
        self._links_work = True  # reflinks, until the first that does not

    def run(self, source: int, target: int) -> None:
        if self._holds_runs(source):
            raise RunError(
                SANDBOX,
                f"{plain(self._copied.original)} is a folder of runs, and these are no part of a workspace; "
                "name another --workspace, or another --out",
                cause="WORKSPACE_IS_OUT",
            )
        self._directory(source, target, "", 0)

    def _holds_runs(self, directory: int) -> bool:
        found = os.fstat(directory)
        if (found.st_dev, found.st_ino) == self._out:
            return True
        return fs.mode_of(directory, LOCK) is not None

    def _directory(self, source: int, target: int, prefix: str, depth: int) -> None:
        if depth > _MOST_NESTED:
            raise RunError(
                SANDBOX,
                f"the workspace cannot be copied: more than {_MOST_NESTED} directories within each other",
                cause="WORKSPACE_TOO_DEEP",
            )
        with os.scandir(source) as listed:
            names = []
            for entry in listed:
                self._count(1)
                names.append(entry.name)
        for name in sorted(names):
            if self._is_stopped():
                raise Stopped
            found = os.stat(name, dir_fd=source, follow_symlinks=False)
            path = prefix + name
            if stat.S_ISDIR(found.st_mode):
                self._below(source, target, name, path, depth)
            elif stat.S_ISREG(found.st_mode):
                self._file(source, target, name, path)
            elif stat.S_ISLNK(found.st_mode):
                leads_to = os.readlink(name, dir_fd=source)
                os.symlink(leads_to, name, dir_fd=target)
                self._copied.links[path] = leads_to
            else:
                self._copied.skipped.append((path, fs.what(found.st_mode)))

    def _below(self, source: int, target: int, name: str, path: str, depth: int) -> None:
        inner = os.open(name, _DIRECTORY, dir_fd=source)
        try:
            if self._holds_runs(inner):
                self._copied.excluded.append(path)
                return
            os.mkdir(name, 0o700, dir_fd=target)
            made = os.open(name, _DIRECTORY, dir_fd=target)
            try:
                self._directory(inner, made, path + "/", depth + 1)
                found = os.fstat(inner)
                os.fchmod(made, _mode(found))
                os.utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))
            finally:
                os.close(made)
        finally:
            os.close(inner)

    def _file(self, source: int, target: int, name: str, path: str) -> None:
        opened = fs.open_member(source, name)
        try:
            found = os.fstat(opened)
            made = os.open(name, _NEW_FILE, 0o600, dir_fd=target)
            try:
                self._bytes_of(opened, made, found.st_size)
                os.fchmod(made, _mode(found))
                os.utime(made, ns=(found.st_atime_ns, found.st_mtime_ns))
                self._copied.files[path] = Kept(found, os.fstat(made))
            finally:
                os.close(made)
        finally:
            os.close(opened)

    def _bytes_of(self, source: int, target: int, size: int) -> None:
        self._add(size)
        if size and self._links_work and self._clone(source, target):
            return
        copied = 0
        while piece := _piece(source, target):
            copied += piece
            if copied > size:  # it grows while we read
                self._add(piece)

    def _clone(self, source: int, target: int) -> bool:
        try:
            fcntl.ioctl(target, _FICLONE, source)
        except OSError:  # another filesystem, or one that shares no blocks
            self._links_work = False
            return False
        return True

    def _count(self, entries: int) -> None:
        self._entries += entries
        if self._entries > self._limits.most_entries:
            raise _too_much(f"more than {self._limits.most_entries} files and directories", "entries")

    def _add(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._limits.most_bytes:
            raise _too_much(f"more than {self._limits.most_bytes} bytes", "bytes")


def _piece(source: int, target: int) -> int:
    """The next bytes, within the kernel where it can; how many."""
    try:
        return os.copy_file_range(source, target, _CHUNK)
    except OSError as error:
        if error.errno not in (errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF):
            raise
    data = os.read(source, _CHUNK)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(target, rest) :]
    return len(data)


def _mode(found: os.stat_result) -> int:
    """Permissions without set-id bits; whoever owns the copy can use what the original's owner could."""
    return stat.S_IMODE(found.st_mode) & 0o777


def _too_much(found: str, option: str) -> RunError:
    return RunError(
        SANDBOX,
        f"the workspace holds {found}; {_RAISE_IT.format(option)}",
        cause="WORKSPACE_TOO_LARGE",
        option=f"--max-workspace-{option}",
    )

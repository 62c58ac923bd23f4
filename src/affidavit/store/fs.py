"""Opens and reads files that somebody else may be changing: by directory handle, one name at a time, never through a
symlink, regular files only, each read once and no further than its bound.

`O_NONBLOCK` so that a FIFO or a device cannot make us wait; what was opened is then asked what it is, so nothing can
be swapped between the question and the reading. Where a system has no directory handles (no `O_NOFOLLOW`, no
`openat`), a handle is the directory's path, and a file counts only if it was the same regular file before it was
opened and after. Imports nothing that only POSIX has.
"""

from __future__ import annotations

import errno
import os
import stat

from ..errors import ReadFailed
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    #: A directory that is open: its descriptor, or its path where the system has no such descriptors.
    Dir: TypeAlias = int | str

ABSENT = "ENTRY_ABSENT"
SYMLINK = "ENTRY_SYMLINK"
NOT_REGULAR = "ENTRY_NOT_REGULAR"
NOT_DIRECTORY = "ENTRY_NOT_DIRECTORY"
TOO_LARGE = "ENTRY_TOO_LARGE"
UNREADABLE = "ENTRY_UNREADABLE"
NAME = "ENTRY_NAME"

HAS_HANDLES = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_SEPARATORS = (os.sep, os.altsep or os.sep)
CHUNK = 1 << 20
#: Directories within directories: a deeper tree is refused, it would cost a descriptor per level.
MOST_NESTED = 128


def open_root(path: str) -> Dir:
    """The directory at `path`, which the caller named: symlinks above it are the caller's, it itself must be none,
    also where a trailing `/` or `/.` would have the system follow it."""
    path = itself(path)
    found = _stat(lambda: os.lstat(path), path)
    if not stat.S_ISDIR(found.st_mode):
        raise _unfit(found.st_mode, path, NOT_DIRECTORY, "a directory")
    if not HAS_HANDLES:
        return os.path.abspath(path)
    return _open(path, _READ | _NOFOLLOW | _DIRECTORY, None, path)


def itself(path: str) -> str:
    """The path that names what stands there, and not what that leads to."""
    while len(path) > 1 and (path[-1] in _SEPARATORS or (path[-1] == "." and path[-2] in _SEPARATORS)):
        path = path[:-1]
    return path


def open_directory(directory: Dir, name: str) -> Dir:
    """The directory `name` in `directory`; never a symlink to one."""
    _check_name(name)
    if isinstance(directory, str):
        return open_root(os.path.join(directory, name))
    return _open(name, _READ | _NOFOLLOW | _DIRECTORY, directory, name)


def close(directory: Dir) -> None:
    if not isinstance(directory, str):
        os.close(directory)


def open_file(path: str) -> int:
    """A descriptor of the regular file at `path`, which the caller named; as `open_root`, it itself is no symlink."""
    path = itself(path)
    if not HAS_HANDLES:
        return _open_by_path(path, path)
    descriptor = _open(path, _READ | _NOFOLLOW | _NO_WAIT, None, path)
    _require_regular(descriptor, path)
    return descriptor


def open_member(directory: Dir, name: str) -> int:
    """A descriptor of the regular file `name` in `directory`. Raises ReadFailed for anything else, without waiting."""
    _check_name(name)
    if isinstance(directory, str):
        return _open_by_path(os.path.join(directory, name), name)
    descriptor = _open(name, _READ | _NOFOLLOW | _NO_WAIT, directory, name)
    _require_regular(descriptor, name)
    return descriptor


def status(directory: Dir, name: str) -> os.stat_result:
    """What stands under `name` now, itself and not what it may lead to."""
    _check_name(name)
    if isinstance(directory, str):
        return _stat(lambda: os.lstat(os.path.join(directory, name)), name)
    return _stat(lambda: os.stat(name, dir_fd=directory, follow_symlinks=False), name)


def open_below(directory: Dir, path: str) -> int:
    """As `open_member` for a relative path of several names: no name on the way may be a symlink."""
    *parents, name = path.split("/")
    opened: list[Dir] = []
    try:
        for parent in parents:
            opened.append(open_directory(opened[-1] if opened else directory, parent))
        return open_member(opened[-1] if opened else directory, name)
    finally:
        for parent_directory in opened:
            close(parent_directory)


def read_member(directory: Dir, name: str, max_bytes: int) -> bytes:
    """The bytes of the regular file `name`, read once. One of more than `max_bytes` is refused, and not read on."""
    descriptor = open_member(directory, name)
    try:
        return read_open(descriptor, name, max_bytes)
    finally:
        os.close(descriptor)


def read_below(directory: Dir, path: str, max_bytes: int) -> bytes:
    """As `read_member` for a relative path of several names."""
    descriptor = open_below(directory, path)
    try:
        return read_open(descriptor, path, max_bytes)
    finally:
        os.close(descriptor)


def read_open(descriptor: int, name: str, max_bytes: int) -> bytes:
    """The bytes of an open file, within the bound. The size that the file has now says only how much to ask
    for at a time, and when not to begin."""
    return b"".join(pieces(descriptor, name, max_bytes, max_bytes))


def pieces(descriptor: int, name: str, max_bytes: int, chunk: int = CHUNK) -> Iterator[bytes]:
    """As `read_open`, in pieces of at most `chunk` bytes. That there is too much may be known only at the end of it."""
    left = max_bytes + 1
    try:
        size = os.fstat(descriptor).st_size
        chunk = min(chunk, size + 1 if size else CHUNK)  # some files have no size, and bytes
        while left and size <= max_bytes:
            piece = os.read(descriptor, min(left, chunk))
            if not piece:
                return
            left -= len(piece)
            if left:
                yield piece
    except OSError as error:
        raise _failed(error, name) from None
    raise ReadFailed(TOO_LARGE, f"{plain(name)}: expected at most {max_bytes} bytes, found more", path=name)


def names(directory: Dir, most: int) -> list[str]:
    """The names in a directory, unsorted. Bounded: a directory of more than `most` entries is refused."""
    found: list[str] = []
    try:
        with os.scandir(directory) as listed:
            for entry in listed:
                if len(found) == most:
                    raise ReadFailed(TOO_LARGE, f"expected at most {most} entries in a directory, found more")
                found.append(entry.name)
    except OSError as error:
        raise _failed(error, ".") from None
    return found


def files_below(directory: Dir, most: int, *, directories: bool = False) -> Iterator[tuple[str, int]]:
    """(path, mode) of everything below a directory, of directories only if asked for; they are walked without following
    symlinks. Bounded in number and in depth: as many directories are open at once as the tree is deep."""
    seen = 0
    open_now: list[tuple[Dir, str, list[str]]] = []
    opened, prefix = directory, ""
    try:
        while True:
            below: list[str] = []
            open_now.append((opened, prefix, below))
            for name, mode in entries(opened, prefix):
                seen += 1
                if seen > most:
                    raise ReadFailed(TOO_LARGE, f"expected at most {most} entries below a directory, found more")
                if stat.S_ISDIR(mode):
                    below.append(name)
                if directories or not stat.S_ISDIR(mode):
                    yield prefix + name, mode
            while not open_now[-1][2]:
                done, _, _ = open_now.pop()
                if not open_now:
                    return
                close(done)
            if len(open_now) > MOST_NESTED:
                raise ReadFailed(TOO_LARGE, f"expected at most {MOST_NESTED} directories within each other, found more")
            above, above_prefix, waiting = open_now[-1]
            name = waiting.pop()
            opened, prefix = open_directory(above, name), f"{above_prefix}{name}/"
    finally:
        for left, _, _ in open_now[1:]:
            close(left)


def entries(directory: Dir, told: str = ".") -> Iterator[tuple[str, int]]:
    """(name, mode) of everything in a directory, not followed, as the system lists it; the caller bounds it."""
    try:
        with os.scandir(directory) as found:
            for entry in found:
                if entry.is_file(follow_symlinks=False):  # known without asking the inode
                    yield entry.name, stat.S_IFREG
                elif entry.is_dir(follow_symlinks=False):
                    yield entry.name, stat.S_IFDIR
                else:
                    yield entry.name, entry.stat(follow_symlinks=False).st_mode
    except OSError as error:
        raise _failed(error, told or ".") from None


def mode_of(directory: Dir, name: str) -> int | None:
    """The mode of what stands under `name`, not followed; None where nothing does."""
    _check_name(name)
    try:
        if isinstance(directory, str):
            return os.lstat(os.path.join(directory, name)).st_mode
        return os.stat(name, dir_fd=directory, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failed(error, name) from None


def what(mode: int) -> str:
    """What a file of this mode is, for a message."""
    kinds = (
        (stat.S_ISREG, "a regular file"),
        (stat.S_ISLNK, "a symlink"),
        (stat.S_ISDIR, "a directory"),
        (stat.S_ISFIFO, "a FIFO"),
        (stat.S_ISSOCK, "a socket"),
    )
    return next((told for is_kind, told in kinds if is_kind(mode)), "a device")


def _check_name(name: str) -> None:
    separators = "/\0" if HAS_HANDLES else "/\\:\0"
    if name in ("", ".", "..") or any(character in name for character in separators):
        raise ReadFailed(NAME, f"expected one name of a file, found {plain(name)!r}", path=plain(name))


def _open(name: str, flags: int, directory: int | None, told: str) -> int:
    try:
        return os.open(name, flags, dir_fd=directory)
    except OSError as error:
        if flags & _DIRECTORY and error.errno in (errno.ENOTDIR, errno.ELOOP):
            found = _stat(lambda: os.stat(name, dir_fd=directory, follow_symlinks=False), told)
            raise _unfit(found.st_mode, told, NOT_DIRECTORY, "a directory") from None
        raise _failed(error, told) from None
    except ValueError:  # a NUL, or characters that no file name has
        raise ReadFailed(NAME, f"{plain(told)}: no file can have this name", path=plain(told)) from None


def _open_by_path(path: str, told: str) -> int:
    before = _stat(lambda: os.lstat(path), told)
    if not stat.S_ISREG(before.st_mode):
        raise _unfit(before.st_mode, told, NOT_REGULAR, "a regular file")
    descriptor = _open(path, _READ | _NO_WAIT, None, told)
    _require_regular(descriptor, told)
    after = os.fstat(descriptor)
    if (before.st_dev, before.st_ino) != (after.st_dev, after.st_ino):
        os.close(descriptor)
        raise ReadFailed(UNREADABLE, f"{plain(told)}: was replaced while it was being opened", path=plain(told))
    return descriptor


def _require_regular(descriptor: int, told: str) -> None:
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise _unfit(mode, told, NOT_REGULAR, "a regular file")


def _stat(ask: Callable[[], os.stat_result], told: str) -> os.stat_result:
    try:
        return ask()
    except OSError as error:
        raise _failed(error, told) from None
    except ValueError:
        raise ReadFailed(NAME, f"{plain(told)}: no file can have this name", path=plain(told)) from None


def _unfit(mode: int, told: str, code: str, expected: str) -> ReadFailed:
    if stat.S_ISLNK(mode):
        code = SYMLINK
    message = f"{plain(told)}: expected {expected}, found {what(mode)}"
    return ReadFailed(code, message, path=plain(told), expected=expected, found=what(mode))


def _failed(error: OSError, told: str) -> ReadFailed:
    if error.errno in (errno.ENOENT, errno.ENAMETOOLONG):
        code = ABSENT
    elif error.errno in (errno.ELOOP, errno.EMLINK):  # how O_NOFOLLOW says symlink, here and on other systems
        code = SYMLINK
    elif error.errno == errno.ENXIO:  # a socket, or a FIFO nobody reads
        code = NOT_REGULAR
    elif error.errno == errno.ENOTDIR:
        code = NOT_DIRECTORY
    else:
        code = UNREADABLE
    found = "a symlink" if code == SYMLINK else error.strerror or str(error)
    return ReadFailed(code, f"{plain(told)}: {found}", path=plain(told))

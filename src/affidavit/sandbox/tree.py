"""Copies of directory trees between file systems of which one may be an attacker's work: by handle, never through a
link, regular files, directories and links only, and never more than was said."""

from __future__ import annotations

import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    #: Which file, and when it was last touched: a file with the same mark has the same bytes.
    Mark = tuple[int, int, int, int]

_PIECE = 1 << 20
_DEEPEST = 256

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW


class Entry:
    """Something in a tree: its path below the tree's top and what it is."""

    __slots__ = ("path", "seen")

    def __init__(self, path: str, seen: os.stat_result) -> None:
        self.path = path
        self.seen = seen

    @property
    def mark(self) -> Mark:
        return mark(self.seen)


def mark(seen: os.stat_result) -> Mark:
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def open_below(top: int, path: str) -> int:
    """The directory `path` below the handle `top`, no component of it a link."""
    here = os.dup(top)
    try:
        for part in path.split("/") if path not in ("", ".") else ():
            below = _open(part, _FOLDER, here)
            os.close(here)
            here = below
    except OSError:
        os.close(here)
        raise
    return here


def _open(name: str, flags: int, folder: int) -> int:
    """Also what its owner took the permission from himself to read: nothing is hidden from us by a mode."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except PermissionError:
        # by handle: a name could be a link by now, and lead to a file of the host
        found = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.chmod(f"/proc/self/fd/{found}", 0o700)
        finally:
            os.close(found)
        return os.open(name, flags, dir_fd=folder)


def walk(top: int, most: int) -> Iterator[Entry]:
    """Everything below the handle, directories before what is in them; at most `most` entries and no deeper than a
    sound tree goes. What vanishes meanwhile was not there."""
    waiting = [""]
    seen = 0
    while waiting:
        folder = waiting.pop()
        try:
            handle = open_below(top, folder)
        except OSError:
            continue
        try:
            for name in sorted(os.listdir(handle), reverse=True):
                path = f"{folder}/{name}" if folder else name
                try:
                    found = os.stat(name, dir_fd=handle, follow_symlinks=False)
                except OSError:
                    continue
                seen += 1
                if seen > most:
                    return
                yield Entry(path, found)
                if stat.S_ISDIR(found.st_mode) and path.count("/") < _DEEPEST:
                    waiting.append(path)
        finally:
            os.close(handle)


def copy_entry(entry: Entry, source: int, target: int, *, most: int) -> int:
    """Makes the entry below the handle `target`, in a directory that is there; the bytes it took. A file of more than
    `most` bytes is cut there."""
    parent, _, name = entry.path.rpartition("/")
    from_folder, to_folder = open_below(source, parent), open_below(target, parent)
    try:
        kind = entry.seen.st_mode
        if stat.S_ISDIR(kind):
            os.mkdir(name, stat.S_IMODE(kind) & 0o777 | 0o700, dir_fd=to_folder)
        elif stat.S_ISLNK(kind):
            os.symlink(os.readlink(name, dir_fd=from_folder), name, dir_fd=to_folder)
        elif stat.S_ISREG(kind):
            return _copy_file(name, stat.S_IMODE(kind), from_folder, to_folder, most)
        return 0
    finally:
        os.close(from_folder)
        os.close(to_folder)


def _copy_file(name: str, mode: int, from_folder: int, to_folder: int, most: int) -> int:
    reading = _open(name, _READ, from_folder)
    try:
        seen = os.fstat(reading)
        writing = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=to_folder)
        try:
            left = min(seen.st_size, most)
            while left and (sent := os.sendfile(writing, reading, None, min(left, _PIECE))):
                left -= sent
            os.fchmod(writing, mode & 0o777)  # set-id bits are dropped
            os.utime(writing, ns=(seen.st_atime_ns, seen.st_mtime_ns))
        finally:
            os.close(writing)
        return min(seen.st_size, most) - left
    finally:
        os.close(reading)


def drop_set_ids(entry: Entry, top: int) -> None:
    """Of a regular file that nobody is changing any more: it is chosen by its name, and its bits by what was seen."""
    if not entry.seen.st_mode & (stat.S_ISUID | stat.S_ISGID):
        return
    parent, _, name = entry.path.rpartition("/")
    folder = open_below(top, parent)
    try:
        os.chmod(name, stat.S_IMODE(entry.seen.st_mode) & 0o777, dir_fd=folder)
    finally:
        os.close(folder)


def remove_entry(entry: Entry, top: int) -> None:
    """Takes one entry away; a directory must be empty by now."""
    parent, _, name = entry.path.rpartition("/")
    folder = open_below(top, parent)
    try:
        if stat.S_ISDIR(entry.seen.st_mode):
            os.rmdir(name, dir_fd=folder)
        else:
            os.unlink(name, dir_fd=folder)
    finally:
        os.close(folder)

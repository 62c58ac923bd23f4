"""A pack in a directory (contracts 2.10): the directory is opened once, and its members below that handle.

Nothing is followed. What turns out to be no regular file when it is opened is told as such, whatever the listing said.
"""

from __future__ import annotations

import os
import stat

from ..contracts.pack import MEMBERS, MOST_ENTRIES
from ..errors import ReadFailed
from ..manifest import Entry, Manifest, Unfit
from ..shown import plain
from ..store import fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..manifest import Kind


def open_directory(path: str, mode: int) -> tuple[Manifest, DirectoryReader]:
    """The directory at `path`, where something of that mode stands, as what it holds and a reader of its members."""
    if not stat.S_ISDIR(mode):
        wanted = "a directory or a zip archive"
        raise ReadFailed("IO", f"{plain(path)}: expected {wanted}, found {fs.what(mode)}", path=plain(path))
    directory = fs.open_root(path)
    try:
        entries, too_many = _listed(directory)
    except ReadFailed:
        fs.close(directory)
        raise
    return Manifest(path, entries, resolved=resolved(path), too_many=too_many), DirectoryReader(directory)


def resolved(path: str) -> str:
    """Where a path with `..` leads; of any other nobody asks."""
    return os.path.realpath(path) if ".." in path else ""


def _listed(directory: fs.Dir) -> tuple[list[Entry], bool]:
    entries: list[Entry] = []
    for name, mode in fs.entries(directory):
        if len(entries) == MOST_ENTRIES:
            # which entries came first is chance: only those count that are asked for by name
            kinds = {name: fs.mode_of(directory, name) for name in MEMBERS}
            return [Entry(name, kind_of(mode)) for name, mode in kinds.items() if mode is not None], True
        entries.append(Entry(name, kind_of(mode)))
    return entries, False


def kind_of(mode: int) -> Kind:
    kind = stat.S_IFMT(mode)
    return _KINDS.get(kind, "device")


_KINDS: dict[int, Kind] = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "FIFO",
    stat.S_IFSOCK: "socket",
}


class DirectoryReader:
    """Reads the members of an open directory; each is opened when it is read, and read once."""

    __slots__ = ("_directory",)

    def __init__(self, directory: fs.Dir) -> None:
        self._directory = directory

    def read(self, name: str, most: int) -> bytes | Unfit:
        try:
            return fs.read_member(self._directory, name, most)
        except ReadFailed as error:
            return _unfit(error, name, most)

    def stream(self, name: str, most: int) -> Iterator[bytes | Unfit]:
        try:
            descriptor = fs.open_member(self._directory, name)
            try:
                yield from fs.pieces(descriptor, name, most)
            finally:
                os.close(descriptor)
        except ReadFailed as error:
            yield _unfit(error, name, most)

    def close(self) -> None:
        fs.close(self._directory)


def _unfit(error: ReadFailed, name: str, most: int) -> Unfit:
    """What is wrong with a member that was listed as a file and is none, or too large; any other error is raised."""
    if error.code == fs.TOO_LARGE:
        return Unfit("too large", name, f"at most {most} bytes", "more")
    if error.code == fs.SYMLINK:
        return Unfit("symlink", name, "a regular file", "a symlink")
    if error.code == fs.NOT_REGULAR:
        return Unfit(
            "irregular", name, "a regular file", str(error.details.get("found", "a FIFO, a socket or a device"))
        )
    raise ReadFailed("IO", error.message, **error.details) from None

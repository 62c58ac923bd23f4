"""Digests of files below one directory: by handle, never through a symlink, regular files only, each read once.

What is wrong with an entry is a value in its place among the results, never an exception: a verifier says everything
that is wrong. The paths may be anything that somebody wrote into an index: absolute, with `..`, the same twice.

Whoever asks says what size he expects; a file of another is not read. A file that one read takes whole is the file that
stood there when it was opened. One that takes longer is asked again afterwards: it must still stand under its name and
must not have changed.
"""

from __future__ import annotations

import os
import stat

from ..canon.profiles import raw_hashers
from ..errors import ReadFailed
from . import fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self, TypeAlias

    from .fs import Dir

    #: (path, expected size)
    Wanted: TypeAlias = Sequence[tuple[str, int]]
    #: A digest, or (code, expected, found): what passes between processes.
    Raw: TypeAlias = str | tuple[str, str, str]
    #: Told how many bytes were read since it was last told.
    Tick: TypeAlias = Callable[[int], None]

SIZE = "ENTRY_SIZE"
CHANGED = "ENTRY_CHANGED"

#: One read takes such a file whole. Below malloc's threshold for mapping memory, which would cost more than the read.
SMALL = 96 << 10
_CHUNK = 256 << 10
#: What stays as it is while nobody touches a file.
_SAME = ("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


class Unmeasured:
    """Why a path has no digest; `code` is one of those of `fs`, or SIZE, or CHANGED."""

    __slots__ = ("code", "expected", "found")

    def __init__(self, code: str, expected: str, found: str) -> None:
        self.code = code
        self.expected = expected
        self.found = found

    def __eq__(self, other: object) -> bool:
        mine = (self.code, self.expected, self.found)
        return isinstance(other, Unmeasured) and mine == (other.code, other.expected, other.found)

    def __hash__(self) -> int:
        return hash((self.code, self.expected, self.found))

    def __repr__(self) -> str:
        return f"Unmeasured({self.code!r}, {self.expected!r}, {self.found!r})"


class Digester:
    """What one process has open while it digests: the directories down to the last file's, and a buffer."""

    __slots__ = ("_hashers", "_opened", "_parent", "_root", "_tick", "_uncounted", "_wanted")

    def __init__(self, root: Dir, wanted: Wanted, tick: Tick) -> None:
        self._root = root
        self._wanted = wanted
        self._tick = tick
        self._uncounted = 0
        self._parent = ""
        self._opened: list[tuple[str, Dir]] = []
        self._hashers = raw_hashers()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_from(0)

    def digest(self, share: Sequence[int]) -> list[Raw]:
        """The results of some of `wanted`, in their order; quickest where neighbours stand in one directory."""
        found: list[Raw] = []
        counted = 0
        place, directory = "", self._root
        for index in share:
            path, size = self._wanted[index]
            name = path[path.rfind("/") + 1 :]
            descriptor = -1
            try:
                if place != (its_place := path[: len(path) - len(name)]):
                    place, directory = "", self._root  # what is known if the next line fails
                    directory = self._directory(its_place)
                    place = its_place
                try:
                    descriptor = os.open(name, _FLAGS, dir_fd=directory)  # type: ignore[arg-type]
                except (OSError, ValueError, TypeError):  # this says why not; or opens what has come in between
                    descriptor = fs.open_member(directory, name)
                before = os.fstat(descriptor)
                if not stat.S_ISREG(before.st_mode):
                    found.append((fs.NOT_REGULAR, "a regular file", fs.what(before.st_mode)))
                elif before.st_size != size:
                    found.append((SIZE, f"{size} bytes", f"{before.st_size} bytes"))
                elif size > SMALL:
                    found.append(self._long_file(descriptor, before, directory, name))
                elif len(data := os.read(descriptor, size + 1)) == size:  # one more, to see that it ends there
                    counted += size
                    found.append(self._hashers(data).hexdigest())
                else:
                    found.append((CHANGED, f"{size} bytes", f"{len(data)} bytes while it was being read"))
            except ReadFailed as error:
                found.append((error.code, str(error.details.get("expected", "a regular file")), _found(error)))
            except OSError as error:
                found.append((fs.UNREADABLE, "a regular file", error.strerror or str(error)))
            finally:
                if descriptor >= 0:
                    os.close(descriptor)
        self._tick(counted)
        return found

    def _directory(self, place: str) -> Dir:
        """The directory `a/b/`, from the root on; what it shares with the last is still open."""
        names = place.split("/")[:-1]
        if len(names) > fs.MOST_NESTED:
            most = f"at most {fs.MOST_NESTED} directories within each other"
            raise ReadFailed(fs.TOO_LARGE, f"expected {most}, found {len(names)}", expected=most, found=f"{len(names)}")
        same = 0
        while same < min(len(names), len(self._opened)) and names[same] == self._opened[same][0]:
            same += 1
        self._close_from(same)
        for name in names[same:]:
            above = self._opened[-1][1] if self._opened else self._root
            self._opened.append((name, fs.open_directory(above, name)))
        return self._opened[-1][1] if self._opened else self._root

    def _close_from(self, level: int) -> None:
        for _, directory in self._opened[level:]:
            fs.close(directory)
        del self._opened[level:]

    def _long_file(self, descriptor: int, before: os.stat_result, directory: Dir, name: str) -> Raw:
        hasher = self._hashers()
        left = before.st_size + 1
        while left and (piece := os.read(descriptor, min(left, _CHUNK))):
            hasher.update(piece)
            left -= len(piece)
            self._tick(len(piece))
        if left != 1:
            many = "more" if left == 0 else f"{before.st_size + 1 - left} bytes"
            return (CHANGED, f"{before.st_size} bytes", f"{many} while it was being read")
        try:
            after = fs.status(directory, name)
        except ReadFailed as error:
            return (CHANGED, "one file while it was being read", _found(error))
        if any(getattr(before, member) != getattr(after, member) for member in _SAME):
            return (CHANGED, "one file while it was being read", "another, or changed content")
        return hasher.hexdigest()


def _found(error: ReadFailed) -> str:
    told = error.details.get("found")
    return str(told) if told else error.message.removeprefix(f"{error.details.get('path')}: ")

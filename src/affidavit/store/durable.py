"""Bytes that survive a power cut, in the order in which they must (design.md, Durability).

`settle` owns the sequence for a directory that was built; `replace` is the step that makes it count. Write-back is
started on all files before the first is waited for, so that the waiting is done once and not once a file; no `syncfs`,
which would have us pay for what all others write.
"""

from __future__ import annotations

import errno
import os

from ..errors import WriteFailed
from ..shown import plain
from . import fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from threading import Thread
    from types import TracebackType

FILE_MODE = 0o644
DIRECTORY_MODE = 0o755
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
#: Files that are open at once while they are being synced; far below what any system allows.
_AT_ONCE = 64
_SYNCING_AT_ONCE = 4

_CODES = {
    errno.ENOSPC: "WRITE_NO_SPACE",
    errno.EDQUOT: "WRITE_NO_SPACE",
    errno.EFBIG: "WRITE_NO_SPACE",
    errno.EROFS: "WRITE_READ_ONLY",
    errno.EACCES: "WRITE_DENIED",
    errno.EPERM: "WRITE_DENIED",
    errno.EMFILE: "WRITE_TOO_MANY_OPEN",
    errno.ENFILE: "WRITE_TOO_MANY_OPEN",
    errno.EIO: "WRITE_IO",
}


def write_failed(error: OSError, told: str) -> WriteFailed:
    code = _CODES.get(error.errno or 0, "WRITE_FAILED")
    return WriteFailed(code, f"{plain(told)}: {error.strerror or error}", path=plain(told))


class writing:  # noqa: N801 -- reads as `with writing(path):`
    """What the system says about a write, as the error of this package that names `told`."""

    __slots__ = ("told",)

    def __init__(self, told: str) -> None:
        self.told = told

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise write_failed(error, self.told) from error


def write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def create(directory: int, name: str) -> int:
    """A new file to write; one of this name must not be there."""
    return os.open(name, _NEW, FILE_MODE, dir_fd=directory)


def make_directories(directory: int, names: Sequence[str]) -> int:
    """A descriptor of the directory below `directory` that the names lead to; those not there are made. Never through
    a symlink."""
    opened = os.dup(directory)
    for name in names:
        above = opened
        try:
            try:
                os.mkdir(name, DIRECTORY_MODE, dir_fd=above)
            except FileExistsError:
                pass
            opened = _as_descriptor(fs.open_directory(above, name))
        finally:
            os.close(above)
    return opened


def _open_folder(directory: int, path: str) -> int:
    """A descriptor of a directory some names below; never through a symlink."""
    opened = os.dup(directory)
    for name in path.split("/"):
        above = opened
        try:
            opened = _as_descriptor(fs.open_directory(above, name))
        finally:
            os.close(above)
    return opened


def open_directory(path: str) -> int:
    """A descriptor of a directory that the caller named, itself no symlink."""
    return _as_descriptor(fs.open_root(path))


def _as_descriptor(directory: fs.Dir) -> int:
    if isinstance(directory, str):
        raise WriteFailed("WRITE_FAILED", "writing bundles needs a system with directory handles")
    return directory


def sync_directory(directory: int) -> None:
    """The names in a directory; where the filesystem has no such thing, they need none."""
    try:
        os.fsync(directory)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise


def settle(directory: int, paths: Iterable[str], *, named: Sequence[str] = ()) -> None:
    """Everything that was built below `directory`, durable: write-back is started on all files, then each is synced,
    then each directory once, the deepest first. `paths` are those of the files. Those in `named` were written aside,
    and take their names in between: a power cut leaves what they held before, or all of what they hold now."""
    waiting = [aside(path) if path in named else path for path in paths]
    for start in range(0, len(waiting), _AT_ONCE):
        _sync_files(directory, waiting[start : start + _AT_ONCE])
    for folder in _folders(waiting):
        opened = _open_folder(directory, folder)
        try:
            with writing(folder):
                sync_directory(opened)
        finally:
            os.close(opened)
    for name in named:
        with writing(name):
            rename_aside(directory, name)
    with writing("."):
        sync_directory(directory)


def _folders(paths: Iterable[str]) -> list[str]:
    """Every directory that the paths go through, the deepest first."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(folders, key=lambda folder: (-folder.count("/"), folder))


def _sync_files(directory: int, paths: Sequence[str]) -> None:
    opened: list[int] = []
    try:
        for path in paths:
            descriptor = fs.open_below(directory, path)
            opened.append(descriptor)
            start_write_back(descriptor)
        _sync_all(paths, opened)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _sync_all(paths: Sequence[str], opened: Sequence[int]) -> None:
    """Waits for all of them, some at a time: a disk that is asked to flush by several at once flushes once for them."""
    left = list(zip(paths, opened, strict=True))
    failed: list[WriteFailed] = []

    def sync_some() -> None:
        while not failed:
            try:
                path, descriptor = left.pop()
            except IndexError:
                return
            try:
                os.fsync(descriptor)
            except OSError as error:
                failed.append(write_failed(error, path))

    helpers = _started(sync_some, min(_SYNCING_AT_ONCE, len(left)) - 1)
    sync_some()
    for helper in helpers:
        helper.join()
    if failed:
        raise failed[0]


def _started(work: Callable[[], None], many: int) -> list[Thread]:
    """So many threads, or as many as the system gives: they only make the waiting shorter."""
    if many < 1:
        return []
    from threading import Thread

    started: list[Thread] = []
    for _ in range(many):
        helper = Thread(target=work)
        try:
            helper.start()
        except RuntimeError:
            break
        started.append(helper)
    return started


def start_write_back(descriptor: int) -> None:
    """Asks for what was written to go to the disk now, without waiting for it. A hint: who needs certainty syncs.

    `sync_file_range` without ctypes: on Linux, advice that pages are not needed starts their write-back, and those that
    are being written stay in memory.
    """
    if hasattr(os, "posix_fadvise"):
        try:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        except OSError:
            pass


def replace(directory: int, name: str, data: bytes) -> None:
    """The file `name` holds `data`, or what it held before: never anything between, whatever happens. Durable when
    this returns."""
    with writing(name):
        write_aside(directory, name, data, sync=True)
        rename_aside(directory, name)
        sync_directory(directory)


def write_aside(directory: int, name: str, data: bytes, *, sync: bool = False) -> None:
    """The temporary file that `rename_aside` gives its name. One that a crash left is made anew."""
    try:
        descriptor = create(directory, aside(name))
    except FileExistsError:
        os.unlink(aside(name), dir_fd=directory)
        descriptor = create(directory, aside(name))
    try:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rename_aside(directory: int, name: str) -> None:
    os.rename(aside(name), name, src_dir_fd=directory, dst_dir_fd=directory)


def aside(name: str) -> str:
    """The name under which a file is written before it takes its own."""
    return f".{name}.new"

"""A directory or a file that appears whole or not at all: built aside, synced, then one rename that replaces nothing.

What is being built stands beside its place under a hidden name and is locked by its builder, so whoever cleans up
afterwards can tell what a crash left (nobody holds it) from what is still being built.
"""

from __future__ import annotations

import errno
import fcntl
import os

from ..canon.profiles import RAW, raw_hasher
from ..errors import ReadFailed, UsageError, WriteFailed
from ..rules.checks import stays_below
from ..shown import plain
from . import durable, renames
from .durable import writing
from .refused import BundleRefused
from .removal import open_owned, remove_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..canon.profiles import Hasher
    from ..values import Digest

#: How everything that is being built is called until it has its name.
ASIDE = ".affidavit-building-"
_TAKEN = "something of this name"
_SMALL = 65_536


class Exists(BundleRefused):
    """The name that something should be published under is taken."""

    def __init__(self, place: str, found: str) -> None:
        super().__init__("publish.exists", place, "a name that nothing has", found)


class Written:
    """What a file holds, as it was when it was written."""

    __slots__ = ("digest", "size")

    def __init__(self, digest: Digest, size: int) -> None:
        self.digest = digest
        self.size = size

    def __repr__(self) -> str:
        return f"Written({self.digest!r}, {self.size!r})"


class Folder:
    """A directory that only we write, while it is being filled. Files are hashed as they are written, once."""

    __slots__ = ("descriptor", "files", "path")

    def __init__(self, descriptor: int, path: str) -> None:
        self.descriptor = descriptor
        self.path = path
        self.files: dict[str, Written] = {}

    def put(self, path: str, data: bytes) -> Written:
        """A new file below the directory."""
        self._write(path, (data,), None)
        return self._keep(path, RAW.digest(data), len(data))

    def put_stream(self, path: str, chunks: Iterable[bytes]) -> Written:
        """As `put`, for what is too large to be held: bytes are hashed while they go by."""
        hasher = raw_hasher()
        size = self._write(path, chunks, hasher)
        return self._keep(path, RAW.digest_hex(hasher.hexdigest()), size)

    def _keep(self, path: str, digest: Digest, size: int) -> Written:
        written = self.files[path] = Written(digest, size)
        return written

    def _write(self, path: str, chunks: Iterable[bytes], hasher: Hasher | None) -> int:
        names = checked(path)
        size = 0
        with writing(path):
            folder = durable.make_directories(self.descriptor, names[:-1])
            try:
                descriptor = durable.create(folder, names[-1])
            except FileExistsError:
                raise UsageError("USAGE", f"{plain(path)}: expected each path once, found it again") from None
            finally:
                os.close(folder)
            try:
                for chunk in chunks:
                    if hasher is not None:
                        hasher.update(chunk)
                    durable.write_all(descriptor, chunk)
                    size += len(chunk)
                if size > _SMALL:
                    durable.start_write_back(descriptor)  # the disk has something to do while the next is made
            finally:
                os.close(descriptor)
        return size


def checked(path: str) -> list[str]:
    """The names in the path of a file to be written. Anything but plain names is a mistake of ours."""
    names = path.split("/")
    if not stays_below(path) or "\0" in path or any(name in ("", ".") for name in names) or not _is_utf8(path):
        raise UsageError("USAGE", f"expected a relative path of plain names, found {plain(path)!r}")
    return names


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def publish(parent: str, name: str, build: Callable[[Folder], None]) -> str:
    """The directory `parent`/`name`, made by `build`: there whole and durable when this returns, or not there at all.
    Returns its path. Raises Exists, before and after building, where the name is taken."""
    above = durable.open_directory(parent)
    try:
        sweep(above)
        publish_in(above, parent, name, build)
    finally:
        os.close(above)
    return os.path.join(parent, name)


def publish_in(above: int, parent: str, name: str, build: Callable[[Folder], None]) -> None:
    """As `publish`, in the directory behind a descriptor."""
    place = os.path.join(parent, name)
    _require_free(above, name, place)
    with writing(place):
        hidden, descriptor = begin_aside(above)
    try:
        folder = Folder(descriptor, os.path.join(parent, hidden))
        build(folder)
        _settle_as(folder, above, hidden, name, place)
    finally:
        _clear(above, hidden)
        os.close(descriptor)


def begin(above: int, parent: str, name: str, files: dict[str, bytes]) -> Folder:
    """As `publish`, for a directory that is filled further where it stands, by whoever has the Folder: its descriptor
    stays open and locked, so that the directory of a builder who is gone can be told from that of one who is not."""
    place = os.path.join(parent, name)
    _require_free(above, name, place)
    with writing(place):
        hidden, descriptor = begin_aside(above)
    folder = Folder(descriptor, place)
    is_begun = False
    try:
        for path, data in files.items():
            folder.put(path, data)
        _settle_as(folder, above, hidden, name, place)
        is_begun = True
    finally:
        if not is_begun:
            _clear(above, hidden)
            os.close(descriptor)
    return folder


def _settle_as(folder: Folder, above: int, hidden: str, name: str, place: str) -> None:
    durable.settle(folder.descriptor, folder.files)
    with writing(place):
        rename_no_replace(above, hidden, name, place)
        durable.sync_directory(above)


def publish_file(parent: str, name: str, chunks: Iterable[bytes]) -> Written:
    """As `publish`, for one file."""
    place = os.path.join(parent, name)
    above = durable.open_directory(parent)
    try:
        sweep(above)
        _require_free(above, name, place)
        with writing(place):
            hidden, descriptor = begin_aside(above)
        try:
            folder = Folder(descriptor, os.path.join(parent, hidden))
            written = folder.put_stream(name, chunks)
            durable.settle(descriptor, folder.files)
            with writing(place):
                _name_file(descriptor, above, name, place)
                durable.sync_directory(above)
        finally:
            _clear(above, hidden)
            os.close(descriptor)
    finally:
        os.close(above)
    return written


def _require_free(above: int, name: str, place: str) -> None:
    if len(checked(name)) != 1 or name.startswith("."):
        raise UsageError("USAGE", f"expected one plain name to publish, found {plain(name)!r}")
    with writing(place):
        if _is_there(above, name):
            raise Exists(place, _TAKEN)


def begin_aside(above: int) -> tuple[str, int]:
    """A new directory of a hidden name, and its descriptor, which is locked as long as it is open."""
    while True:
        hidden = ASIDE + os.urandom(8).hex()
        os.mkdir(hidden, durable.DIRECTORY_MODE, dir_fd=above)
        try:
            descriptor = os.open(hidden, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
        except FileNotFoundError:
            continue  # swept away before it was locked
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return hidden, descriptor
        os.close(descriptor)


def rename_no_replace(directory: int, old: str, new: str, place: str) -> None:
    """Gives a directory its name, in one step that replaces nothing. Raises Exists.

    renameat2 says so to the kernel. Where there is none (another system, a filesystem that cannot), a plain rename of
    a directory replaces at most an empty directory, never a file and never one that holds something.
    """
    try:
        if not renames.rename_no_replace(directory, old, directory, new):
            if _is_there(directory, new):
                raise Exists(place, _TAKEN)
            os.rename(old, new, src_dir_fd=directory, dst_dir_fd=directory)
    except OSError as error:
        if error.errno in (errno.EEXIST, errno.ENOTEMPTY, errno.ENOTDIR, errno.EISDIR):
            raise Exists(place, _TAKEN) from None
        raise


def _name_file(directory: int, above: int, name: str, place: str) -> None:
    """The same for a file, out of the directory it was written in; without renameat2 by a link, which replaces nothing
    either."""
    try:
        if not renames.rename_no_replace(directory, name, above, name):
            os.link(name, name, src_dir_fd=directory, dst_dir_fd=above, follow_symlinks=False)
    except FileExistsError:
        raise Exists(place, _TAKEN) from None


def _is_there(directory: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def sweep(above: int) -> list[str]:
    """Removes what builders left that are gone; returns the names."""
    with writing("."):
        hidden = [name for name in os.listdir(above) if name.startswith(ASIDE)]
    return [name for name in hidden if _sweep_one(above, name)]


def _sweep_one(above: int, name: str) -> bool:
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=above)
    except OSError:
        return False  # gone meanwhile, or nothing that we made
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        remove_tree(above, name)
        return True
    finally:
        os.close(descriptor)


def _clear(above: int, hidden: str) -> None:
    """What was built and did not get its name goes. What cannot be removed now is swept later: the reason why it did
    not get its name is what has to be told."""
    try:
        if _is_there(above, hidden):
            remove_tree(above, hidden)
    except (OSError, WriteFailed):
        pass


def remove_tree(above: int, name: str) -> None:
    """Removes a directory and all below it, never following a symlink. One that is not there is removed already."""
    try:
        opened = open_owned(above, name)
        try:
            remove_all(opened)
        finally:
            os.close(opened)
        os.rmdir(name, dir_fd=above)
    except FileNotFoundError:
        pass
    except ReadFailed as error:
        raise WriteFailed("WRITE_FAILED", f"{plain(name)}: {error.message}", path=plain(name)) from error
    except OSError as error:
        raise durable.write_failed(error, name) from error

"""Reads the documents that a command was given: bounded, and never waiting for what will not come."""

from __future__ import annotations

import os
import stat
import sys

from ..canon.reader import MAX_BYTES
from ..errors import ReadFailed
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

#: What a shell makes of `<(command)`: a pipe that was opened for us. No other pipe or device is read.
_DESCRIPTORS = ("/dev/fd/", "/proc/self/fd/")
_CHUNK = 1 << 20


def read_input(path: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file, or of standard input for `-`. One byte more than `max_bytes` is read, never two: the reader
    of the document then says that it is too large."""
    return b"".join(stream_input(path, max_bytes=max_bytes + 1))


def stream_input(path: str, *, max_bytes: int | None = None) -> Generator[bytes, None, None]:
    """The same in pieces, for what need not be held: as far as `max_bytes`, or to the end."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise ReadFailed("IO", "standard input is closed")
            yield from _pieces(sys.stdin.fileno(), max_bytes)
            return
        # without O_NONBLOCK, opening a FIFO would wait for its writer
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            kind = os.fstat(descriptor).st_mode
            if stat.S_ISFIFO(kind) and path.startswith(_DESCRIPTORS):
                os.set_blocking(descriptor, True)
            elif not stat.S_ISREG(kind):
                raise ReadFailed("IO", f"{plain(path)}: expected a regular file, found {_what(kind)}", path=path)
            yield from _pieces(descriptor, max_bytes)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ReadFailed("IO", f"{plain(path)}: {error.strerror or error}", path=path) from None
    except ValueError:  # a NUL in the path
        raise ReadFailed("IO", f"{plain(path)}: no file can have this name", path=path) from None


def watched(pieces: Iterable[bytes], path: str, told: Callable[[int, int], None]) -> Iterator[bytes]:
    """The same pieces; how far they are into the file at `path` is told with each."""
    try:
        total = 0 if path == "-" else os.stat(path).st_size
    except (OSError, ValueError):
        total = 0  # reading it says why
    done = 0
    for piece in pieces:
        done += len(piece)
        told(done, max(total, done))
        yield piece


def _pieces(descriptor: int, max_bytes: int | None) -> Iterator[bytes]:
    left = _CHUNK if max_bytes is None else max_bytes
    while left:
        piece = os.read(descriptor, min(left, _CHUNK))
        if not piece:
            return
        yield piece
        if max_bytes is not None:
            left -= len(piece)


def _what(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a FIFO"
    if stat.S_ISSOCK(mode):
        return "a socket"
    return "a device"

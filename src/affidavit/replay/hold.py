"""How conditions are made: the library that fakes time, what a child inherits, folders that list otherwise."""

from __future__ import annotations

import ctypes
import os
import random
import stat
from contextlib import contextmanager, nullcontext

from ..store import fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FAKETIME = (
    "/usr/lib/{machine}-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
    "/usr/lib/faketime/libfaketimeMT.so.1",
)
_ADDRESSES_AS_THEY_COME = 0x0040000  # ADDR_NO_RANDOMIZE
_ASK = 0xFFFFFFFF
#: Where a file system lists its files in the order in which they were made.
_IN_ORDER = ("/dev/shm", "/run/user/{uid}")  # noqa: S108 -- a directory of our own is made in it
_TMPFS = "tmpfs"


def faketime() -> str | None:
    """The library, where it is installed."""
    for place in _FAKETIME:
        path = place.format(machine=os.uname().machine)
        if os.path.isfile(path):
            return path
    return None


@contextmanager
def inherited(*, address: bool, processor: bool) -> Iterator[None]:
    """What the processes that are started in between inherit: addresses that are not random, one processor."""
    with _addresses_held() if address else nullcontext(), _one_processor() if processor else nullcontext():
        yield


@contextmanager
def _addresses_held() -> Iterator[None]:
    library = ctypes.CDLL(None, use_errno=True)
    before = library.personality(ctypes.c_ulong(_ASK))
    library.personality(ctypes.c_ulong(before | _ADDRESSES_AS_THEY_COME))
    try:
        yield
    finally:
        library.personality(ctypes.c_ulong(before))


@contextmanager
def _one_processor() -> Iterator[None]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def can_hold_addresses() -> bool:
    """Some containers forbid it."""
    with _addresses_held():
        found = ctypes.CDLL(None, use_errno=True).personality(ctypes.c_ulong(_ASK))
    return bool(found & _ADDRESSES_AS_THEY_COME)


def ordered_place() -> str | None:
    """A folder on a file system that lists files in the order in which they were made."""
    for place in _IN_ORDER:
        path = place.format(uid=os.getuid())
        if os.path.isdir(path) and os.access(path, os.W_OK) and _kind_of(path) == _TMPFS:
            return path
    return None


def _kind_of(path: str) -> str:
    """The file system that is mounted there, as the system tells it."""
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as mounts:
        for line in mounts:
            fields = line.split(" ")
            if len(fields) > 2 and fields[1] == path:
                return fields[2]
    return ""


def copy_in_another_order(source: str, target: str, seed: int, most: int = 100_000) -> None:
    """The regular files of a folder, and its symlinks as symlinks, made in another order each time. What lists them as
    they were made lists them otherwise."""
    folder = fs.open_root(os.path.realpath(source))
    try:
        entries = sorted(fs.files_below(folder, most, directories=True))
        random.Random(seed).shuffle(entries)  # noqa: S311 -- an order, not a secret
        for name, mode in entries:
            _copy(folder, name, mode, os.path.join(target, name))
    finally:
        fs.close(folder)


def _copy(folder: fs.Dir, name: str, mode: int, path: str) -> None:
    os.makedirs(path if stat.S_ISDIR(mode) else os.path.dirname(path), exist_ok=True)
    if not stat.S_ISREG(mode):
        return
    source = fs.open_below(folder, name)
    try:
        target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o700)
        try:
            while piece := os.read(source, fs.CHUNK):
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(target, rest) :]
            os.fchmod(target, stat.S_IMODE(os.fstat(source).st_mode) & 0o777)
        finally:
            os.close(target)
    finally:
        os.close(source)

"""One run of an out folder while the folder's lock is held: for what changes a run that is there (contracts 4.6)."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager

from ..contracts import run_status
from ..errors import ReadFailed, UsageError
from ..shown import shown
from . import durable, fs
from .locate import NoBundle, is_run_directory
from .lock import TIMEOUT, owner_of
from .out import OutFolder, is_segment
from .process import Process, is_alive
from .refused import Alive

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .lock import LockMode


class Held:
    """A run directory, and the locked out folder that it stands in."""

    __slots__ = ("descriptor", "name", "out", "path")

    def __init__(self, out: OutFolder, descriptor: int, name: str, path: str) -> None:
        self.out = out
        self.descriptor = descriptor
        self.name = name
        self.path = path

    def require_no_writer(self, status: dict[str, Any] | None) -> None:
        """Raises Alive where somebody still writes the run: the status names a process that is there, or the directory
        is locked, which its writer does as long as it has it."""
        writer = writer_of(status)
        if writer is not None and is_alive(writer):
            raise Alive(os.path.join(self.path, run_status.NAME), f"process {writer.pid}, which is still there")
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Alive(self.path, "a process that holds the directory") from None


def writer_of(status: dict[str, Any] | None) -> Process | None:
    """The process that a status of a run that has not ended names."""
    if status is None or status.get("state") != "in_progress":
        return None
    return owner_of({name.removeprefix("writer_"): told for name, told in status.items() if name.startswith("writer_")})


def split(path: str) -> tuple[str, str]:
    """The out folder of a run, and the run's name in it."""
    place = os.path.realpath(fs.itself(path))
    above, name = os.path.split(place)
    if not is_segment(name):
        raise UsageError("USAGE", f"expected the directory of a run, found {shown(path)}")
    return above, name


@contextmanager
def held(path: str, lock: LockMode = "wait", timeout: float = TIMEOUT) -> Iterator[Held]:
    """The run directory at `path`, with its out folder locked. Raises NoBundle, ReadFailed, Locked."""
    fs.close(fs.open_root(path))  # a symlink to a run is not the run
    above, name = split(path)
    _require_run(path)
    with OutFolder(above, lock, timeout) as out:
        descriptor = open_run(out, name, path)
        try:
            yield Held(out, descriptor, name, path)
        finally:
            os.close(descriptor)


def _require_run(path: str) -> None:
    """Before anything is locked: no lock file is left beside what is no run."""
    directory = fs.open_root(path)
    try:
        if not is_run_directory(directory):
            raise NoBundle(path, "a directory that holds no run")
    finally:
        fs.close(directory)


def open_run(out: OutFolder, name: str, path: str) -> int:
    descriptor = fs.open_directory(out.descriptor, name)
    if isinstance(descriptor, str) or not is_run_directory(descriptor):
        fs.close(descriptor)
        raise NoBundle(path, "a directory that holds no run")
    return descriptor


def clear_asides(directory: int, *names: str) -> None:
    """Removes what a crash left of writing these files."""
    for name in names:
        with durable.writing(name):
            try:
                os.unlink(durable.aside(name), dir_fd=directory)
            except FileNotFoundError:
                pass


def status_in(directory: int) -> dict[str, Any] | None:
    """run_status.json as it stands there, None where none can be read that is valid."""
    from ..canon.reader import read
    from ..errors import ParseError

    try:
        status: Any = read(fs.read_member(directory, run_status.NAME, _MOST_STATUS))
    except (ReadFailed, ParseError):
        return None
    return status if run_status.verify_run_status(status, level="compat").ok else None


_MOST_STATUS = 1 << 20

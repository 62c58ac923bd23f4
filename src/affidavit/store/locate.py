"""Where a run is: a run directory itself, or the one that the LATEST of an out folder names (seed 003, section 1.1)."""

from __future__ import annotations

import os
import stat

from ..contracts import artifact_index, run_status
from ..errors import ReadFailed
from ..shown import shown
from . import fs
from .out import LATEST, LatestInvalid, is_segment, read_latest
from .refused import BundleRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from ..errors import Kind

#: What makes a directory a run's.
_TELLING = (run_status.NAME, artifact_index.NAME)


class NoBundle(BundleRefused):
    """A path at which no run is found."""

    kind: Kind = "io"

    def __init__(self, place: str, found: str) -> None:
        super().__init__("bundle.absent", place, "a run directory, or an out folder with LATEST", found)


class Place:
    """An open run directory, and what it is called."""

    __slots__ = ("directory", "name", "path")

    def __init__(self, directory: fs.Dir, path: str, name: str) -> None:
        self.directory = directory
        self.path = path
        self.name = name

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        fs.close(self.directory)


def is_run_directory(directory: fs.Dir) -> bool:
    """Whether a run's status or index stands there; a LATEST beside them is just a file."""
    return any(fs.mode_of(directory, name) is not None for name in _TELLING)


def locate(path: str) -> Place:
    """The run at `path`. Raises NoBundle, LatestInvalid, or ReadFailed where there is no directory."""
    directory = fs.open_root(path)
    place: Place | None = None
    try:
        if is_run_directory(directory):
            place = Place(directory, path, os.path.basename(os.path.realpath(path)))
            return place
        name = read_latest(directory)
        if name is None:
            raise NoBundle(path, f"a directory without {run_status.NAME}, {artifact_index.NAME} and {LATEST}")
        return named_by_latest(directory, path, name)
    finally:
        if place is None:
            fs.close(directory)


def named_by_latest(out: fs.Dir, path: str, name: str) -> Place:
    """LATEST counts only where it names a real directory that has an index (contracts 4.4)."""
    wanted = "the name of a committed run beside it"
    try:
        directory = fs.open_directory(out, name)
    except ReadFailed as error:
        raise LatestInvalid(wanted, error.message) from None
    try:
        mode = fs.mode_of(directory, artifact_index.NAME)
    except ReadFailed:
        mode = None
    if mode is None or not stat.S_ISREG(mode):
        fs.close(directory)
        raise LatestInvalid(wanted, f"{shown(name)}, which has no {artifact_index.NAME}")
    return Place(directory, os.path.join(path, name), name)


def runs_in(out: fs.Dir, most: int) -> list[str]:
    """The names of the runs in an out folder, sorted. What is no directory, or no run's, is left out."""
    return sorted(name for name in fs.names(out, most) if is_segment(name) and _is_run(out, name))


def _is_run(out: fs.Dir, name: str) -> bool:
    try:
        directory = fs.open_directory(out, name)
    except ReadFailed:  # no directory, or one that was removed meanwhile
        return False
    try:
        return is_run_directory(directory)
    finally:
        fs.close(directory)

"""Verifies run directories and whole out folders where they lie (contracts 5)."""

from __future__ import annotations

import os

from ..contracts.ledger import LedgerReading, split_lines
from ..contracts.out_folder import Folder, examine_out_folder
from ..contracts.run_members import RUN
from ..errors import AffidavitError, ReadFailed
from . import fs, ledger
from .locate import Place, locate, named_by_latest, runs_in
from .out import LATEST, LatestInvalid, read_latest
from .reader import validate_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..rules.model import Report
    from ..values import Level
    from .survey import Progress

_MOST_RUNS = 1_000_000
_PIECE = 1 << 20


def verify_run_directory(path: str, level: Level, progress: Progress | None = None) -> Iterator[tuple[str, Report]]:
    """The run at `path`, or the one that LATEST there names, under its path."""
    with locate(path) as place:
        yield place.path, validate_place(place, level, progress)


def verify_out_folder(
    path: str, level: Level, *, every: bool = False, progress: Progress | None = None
) -> Iterator[tuple[str, Report]]:
    """The run that LATEST names; with `every` each run, the ledger, and what the folder says of them (OF1, OF2)."""
    if not every:
        yield from verify_run_directory(path, level, progress)
        return
    out = fs.open_root(path)
    try:
        results: list[str] = []
        names = runs_in(out, _MOST_RUNS)
        for name in names:
            place = os.path.join(path, name)
            with Place(fs.open_directory(out, name), place, name) as run:
                report = validate_place(run, level, progress)
                if report.ok and report.facts["status"] != "failed" and fs.mode_of(run.directory, RUN) is not None:
                    results.append(name)
            yield place, report
        listed: set[str] = set()
        if fs.mode_of(out, ledger.NAME) is not None:
            reading = _read_ledger(out, level)
            listed = reading.before.run_ids
            yield os.path.join(path, ledger.NAME), reading.report()
        has_latest, fault = latest_in(out, path)
        yield path, examine_out_folder(Folder(names, results, listed, has_latest=has_latest, latest_fault=fault))
    finally:
        fs.close(out)


def _read_ledger(out: fs.Dir, level: Level) -> LedgerReading:
    reading = LedgerReading(level)
    descriptor = fs.open_member(out, ledger.NAME)
    try:
        for line in split_lines(iter(lambda: os.read(descriptor, _PIECE), b"")):
            reading.take(line)
    except OSError as error:
        raise ReadFailed(fs.UNREADABLE, f"{ledger.NAME}: {error.strerror or error}", path=ledger.NAME) from None
    finally:
        os.close(descriptor)
    return reading


def latest_in(out: fs.Dir, path: str) -> tuple[bool, tuple[str, str] | None]:
    """Whether there is a LATEST, and what is wrong with it."""
    try:
        name = read_latest(out)
        if name is not None:
            fs.close(named_by_latest(out, path, name).directory)
        return name is not None, None
    except LatestInvalid as error:
        return True, (error.expected, error.found)


def is_out_folder(path: str) -> bool:
    """Whether a directory holds LATEST or runs."""
    try:
        out = fs.open_root(path)
        try:
            return fs.mode_of(out, LATEST) is not None or bool(runs_in(out, _MOST_RUNS))
        finally:
            fs.close(out)
    except AffidavitError:
        return False

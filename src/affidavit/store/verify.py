"""Verifies run directories and whole out folders where they lie (contracts 5)."""

from __future__ import annotations

import os

from ..contracts.ledger import LedgerReading, split_lines
from ..contracts.run_directory import RUN
from ..errors import AffidavitError, ReadFailed
from ..rules.model import Finding, Report, Unchecked
from ..shown import plain
from . import fs, ledger
from .locate import Place, locate, named_by_latest, runs_in
from .out import LATEST, LatestInvalid, read_latest
from .reader import validate_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..values import Level
    from .survey import Progress

DOCUMENT = "out folder"
_MOST_RUNS = 1_000_000
_PIECE = 1 << 20


def verify_run_directory(path: str, level: Level, progress: Progress | None = None) -> Iterator[tuple[str, Report]]:
    """The run at `path`, or the one that LATEST there names, under its path."""
    with locate(path) as place:
        yield place.path, validate_place(place, level, progress)


def verify_out_folder(
    path: str, level: Level, *, every: bool = False, progress: Progress | None = None
) -> Iterator[tuple[str, Report]]:
    """The run that LATEST names; with `every` each run, then the ledger, then what the folder says of them: OF1, LATEST
    names a committed run; OF2, each run with a result that verifies stands in the ledger. A run that the ledger lists
    and that is gone was removed, and cannot be checked."""
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
        listed = None
        if fs.mode_of(out, ledger.NAME) is not None:
            reading = _read_ledger(out, level)
            listed = reading.before.run_ids
            yield os.path.join(path, ledger.NAME), reading.report()
        yield path, _examine_folder(out, path, names, results, listed)
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


def _examine_folder(out: fs.Dir, path: str, names: list[str], results: list[str], listed: set[str] | None) -> Report:
    findings: list[Finding] = []
    left: list[Unchecked] = []
    try:
        latest = read_latest(out)
        if latest is None:
            left.append(Unchecked("OF1", f"there is no {LATEST}"))
        else:
            fs.close(named_by_latest(out, path, latest).directory)
    except LatestInvalid as error:
        findings.append(Finding("OF1", LATEST, error.expected, error.found))
    lines = listed or set()
    findings += [Finding("OF2", name, f"its line in {ledger.NAME}", "none") for name in results if name not in lines]
    gone = sorted(lines - set(names))
    left += [Unchecked("OF2", f"{plain(name)}: the ledger lists it, its directory is gone") for name in gone]
    return Report(DOCUMENT, findings, ["OF1", "OF2"], left, {"runs": len(names), "removed": len(gone)})


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

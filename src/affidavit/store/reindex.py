"""Holds a run against its index, or makes its index anew and says so (seed 003, section 4; contracts 4.7).

A repair believes what stands there now, so it never makes a failed run good, never forgets what is missing, and leaves
a mark: `repair_log.json`, whose history only grows and which the index lists. The log is written before the index that
lists it. Between the two the run is as broken as it was, and the next repair goes on.
"""

from __future__ import annotations

import os
import time

from ..canon.jcs import canonical
from ..canon.profiles import RAW
from ..canon.reader import read
from ..contracts import artifact_index, repair_log, run_status
from ..errors import ParseError, ReadFailed
from ..rules.model import Report, Unchecked
from ..values import timestamp
from . import durable, fs
from .held import Held, clear_asides, held
from .index import files_of, index_bytes, written
from .locate import locate
from .lock import TIMEOUT
from .publish import Written
from .reader import validate_place
from .refused import BundleRefused
from .survey import survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..values import Level
    from .index import Files
    from .lock import LockMode
    from .survey import Progress

    History = list[dict[str, Any]]

_MOST_LOG = 64 << 20


class NotRepairable(BundleRefused):
    """A run whose index cannot be made anew."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__("repair.refused", place, expected, found)


def reindex_bundle(
    path: str | os.PathLike[str],
    *,
    repair: bool = False,
    level: Level = "spec",
    lock: LockMode = "wait",
    lock_timeout: float = TIMEOUT,
    progress: Progress | None = None,
) -> Report:
    """What is wrong with the run at `path`, a run directory or an out folder with LATEST; with `repair` what is still
    wrong once its index fits the files that are there. `facts["repaired"]` are then the paths that were about. Raises
    NotRepairable, Locked, NoBundle, LatestInvalid."""
    with locate(os.fspath(path)) as place:
        if not repair:
            return validate_place(place, level, progress)
        run_path = place.path
    with held(run_path, lock, lock_timeout) as run:
        changed = _repair(run)
        with locate(run_path) as place:
            report = validate_place(place, level, progress)
    facts = {**report.facts, "repaired": changed}
    if report.ok and changed:
        left = "the files are those that a repair found there, not those that the run wrote"
        return Report(report.document, [], [*report.checked], [*report.not_checked, Unchecked("RD3", left)], facts)
    return Report(report.document, [*report.findings], [*report.checked], [*report.not_checked], facts)


def _repair(run: Held) -> list[str]:
    """Returns the paths whose entries were not right, none where there was nothing to do."""
    clear_asides(run.descriptor, artifact_index.NAME, repair_log.NAME)
    found = survey(run.descriptor, run.name, "compat").run
    index_place = os.path.join(run.path, artifact_index.NAME)
    if found.state == "in_progress":
        raise NotRepairable(os.path.join(run.path, run_status.NAME), "a run that has ended", '"in_progress"')
    if artifact_index.NAME not in found.files:
        raise NotRepairable(index_place, "a run that was committed", "no index; affidavit abandon closes such a run")
    if found.entries is None:
        raise NotRepairable(index_place, "an index that tells what the run held", "one that is not sound")
    index = found.index
    prefix = artifact_index.prefix_of(entry["path"] for entry in index["artifacts"])
    log, history = _log_of(run.descriptor)
    files: Files = {
        path: written(run.descriptor, path)
        for path in files_of(run.descriptor, run.path, skip_irregular=True)
        if path != repair_log.NAME
    }
    entries, missing, old = found.entries, _missing_now(found.missing, found.entries, files), _digests(found.entries)
    changes = [
        (path, old.get(path), files[path][0].digest.hex if path in files else None)
        for path in sorted({*files, *entries} - {repair_log.NAME})
    ]
    changes = [change for change in changes if change[1] != change[2]]
    if log is None and repair_log.NAME in entries:
        changes.append((repair_log.NAME, old[repair_log.NAME], None))  # the history that it held is lost
    if not changes and _tells(index, prefix, files, log):
        return []
    now = time.time_ns() // 1_000_000
    document = {
        "schema_version": repair_log.SCHEMA_VERSION,
        "bundle_dir": prefix.rstrip("/"),
        "repaired_at_unix": now // 1000,
        "before": {
            "missing": index["missing"],
            "digest_mismatches": [prefix + path for path, was, _ in changes if was is not None],
        },
        "after": {"missing": [prefix + path for path in missing], "digest_mismatches": []},
        "history": _grown(history, prefix, changes, now),
    }
    raw = canonical(document) + b"\n"
    durable.settle(run.descriptor, files)
    durable.replace(run.descriptor, repair_log.NAME, raw)
    files[repair_log.NAME] = Written(RAW.digest(raw), len(raw)), repair_log.SCHEMA_VERSION
    status = {
        "run_id": index["run_id"],
        "world_id": index["world_id"],
        "state": "failed" if index["status"] == "failed" or found.state == "failed" else "complete",
    }
    run.out.commit(
        run.descriptor, run.name, index_bytes(status, prefix, files, missing), ledger=None, move_latest=False
    )
    return [path for path, _, _ in changes] or [artifact_index.NAME]


def _missing_now(missing: list[str], entries: dict[str, dict[str, Any]], files: Files) -> list[str]:
    """What was missing and still is, and what the index lists and is gone."""
    return sorted({*missing, *entries} - {*files, repair_log.NAME})


def _digests(entries: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {path: entry["sha256"] for path, entry in entries.items()}


def _tells(index: dict[str, Any], prefix: str, files: Files, log: bytes | None) -> bool:
    """Whether the index says of every file what is to be said: its size and its schema as well as its digest."""
    wanted = {prefix + path: (what.size, schema_version) for path, (what, schema_version) in files.items()}
    if log is not None:
        wanted[prefix + repair_log.NAME] = len(log), repair_log.SCHEMA_VERSION
        if RAW.digest(log).hex not in (entry["sha256"] for entry in index["artifacts"]):
            return False
    told = {entry["path"]: (entry["file_size"], entry.get("schema_version")) for entry in index["artifacts"]}
    return told == wanted and not any(path in wanted for path in index["missing"])


def _log_of(directory: int) -> tuple[bytes | None, History]:
    """The bytes of the log and its history; (None, []) where there is none that can be read."""
    try:
        raw = fs.read_member(directory, repair_log.NAME, _MOST_LOG)
        log: Any = read(raw)
    except (ReadFailed, ParseError):
        return None, []
    if not repair_log.verify_repair_log(log, level="compat").ok:
        return None, []
    return raw, log.get("history", [])


def _grown(history: History, prefix: str, changes: list[tuple[str, str | None, str | None]], now: int) -> History:
    """The history with what is new. What its last item of a path says already is not said again: a repair that a crash
    cut off had written it."""
    last = {item["path"]: (item["old"], item["new"]) for item in history}
    at = max([timestamp(now), *(item["at"] for item in history[-1:])])
    fresh = [
        {"at": at, "path": prefix + path, "old": was, "new": becomes}
        for path, was, becomes in changes
        if last.get(prefix + path) != (was, becomes)
    ]
    return [*history, *fresh]

"""Reads committed runs and believes nothing (seed 003, section 1.4; contracts 4.3, 4.4).

`load_bundle` gives a VerifiedBundle or raises; `open_bundle_unverified` gives an UnverifiedBundle whatever it finds.
The two have no base in common, and only `load_bundle` can make a VerifiedBundle: code that needs one cannot be handed
the other, neither past a type checker nor at run time.
"""

from __future__ import annotations

import os

from ..canon.profiles import RAW
from ..canon.reader import read
from ..contracts import artifact_index, repair_log, run_status
from ..contracts.run_directory import examine_run, most_bytes
from ..errors import ParseError, ReadFailed
from ..shown import plain
from . import fs
from .locate import locate
from .refused import BundleRefused
from .survey import survey

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, final

    from ..rules.model import Finding, Report
    from ..values import Json, Level
    from .locate import Place
    from .survey import Progress, Survey
else:

    def final(made: type) -> type:
        """As typing's, which costs more to import than a small run to verify."""
        return made


class Refused(BundleRefused):
    """Why a run is not loaded; `report` has everything that is wrong with it. Its subclasses say which rule's it is."""

    def __init__(self, code: str, place: str, found: Finding, report: Report) -> None:
        artifact = os.path.join(place, found.path) if found.path else place
        super().__init__(code, artifact, found.expected, found.found + (f" ({found.within})" if found.within else ""))
        self.report = report


class InProgress(Refused):
    """RD1: its writer is still writing, or is gone; `affidavit abandon` closes what was left."""


class IndexRefused(Refused):
    """RD2, RD10: no index, or one that is not as it must be."""


class ArtifactDiffers(Refused):
    """RD3: a file that is not what the index says."""


class NotIndexed(Refused):
    """RD4: something that the index does not list."""


class Contradicted(Refused):
    """RD5-RD8, RD11: index, status, result and files do not say the same."""


class DocumentRefused(Refused):
    """RD9: a document of the run does not keep its own rules."""


_REFUSALS: dict[str, tuple[type[Refused], str]] = {
    "RD1": (InProgress, "bundle.in_progress"),
    "RD2": (IndexRefused, "index.invalid"),
    "RD10": (IndexRefused, "index.not_canonical"),
    "RD3": (ArtifactDiffers, "artifact.differs"),
    "RD4": (NotIndexed, "artifact.not_indexed"),
    "RD5": (Contradicted, "bundle.other_run"),
    "RD6": (Contradicted, "index.status"),
    "RD7": (Contradicted, "index.schema_version"),
    "RD8": (Contradicted, "index.missing"),
    "RD9": (DocumentRefused, "document.invalid"),
    "RD11": (Contradicted, "result.contradicts"),
}


class ChangedSince(BundleRefused):
    """A file of a verified run that is not any more what was verified."""

    def __init__(self, place: str, expected: str, found: str) -> None:
        super().__init__("artifact.changed", place, expected, found)


_SEAL = object()


@final
class VerifiedBundle:
    """A run whose every file was what its index says when it was loaded. What is read of it later is held against the
    index again, so nothing that was changed since is ever taken for what was verified."""

    __slots__ = ("entries", "index", "index_sha256", "level", "path", "report", "run_id", "status", "world_id")

    integrity = "verified"

    def __init__(self, seal: object, place: str, found: Survey, report: Report) -> None:
        if seal is not _SEAL:
            raise TypeError("a VerifiedBundle comes from load_bundle and from nowhere else")
        index = found.run.index
        self.path = place
        self.level = found.run.level
        self.index: dict[str, Any] = index
        #: RAW digest of the index's bytes.
        self.index_sha256 = found.index_sha256 or ""
        self.run_id: str = index["run_id"]
        self.world_id: str = index["world_id"]
        #: run_status.json, None where the run has none.
        self.status: dict[str, Any] | None = found.run.documents.get(run_status.NAME)
        #: What the index says of each file, by its path in the run directory.
        self.entries: dict[str, dict[str, Any]] = found.run.entries or {}
        self.report = report

    def __init_subclass__(cls) -> None:
        raise TypeError("VerifiedBundle has no subclasses: they could be made without verifying")

    @property
    def missing(self) -> list[str]:
        """The paths that the index calls missing, as it has them."""
        return list(self.index["missing"])

    @property
    def repaired(self) -> bool:
        """Whether the index was made anew some time: the files are then what a repair found (contracts 4.7)."""
        return repair_log.NAME in self.entries or any(path.endswith("/" + repair_log.NAME) for path in self.missing)

    def read(self, path: str) -> bytes:
        """The bytes of a file of the run, which are those that were verified. Raises ChangedSince, ReadFailed."""
        entry = self.entries.get(path)
        place = os.path.join(self.path, path)
        if entry is None:
            raise ReadFailed(
                fs.ABSENT, f"{plain(place)}: expected a file of the run, found no entry", path=plain(place)
            )
        directory = fs.open_root(self.path)
        try:
            data = fs.read_below(directory, path, int(entry["file_size"]))
        finally:
            fs.close(directory)
        found = RAW.digest(data).hex
        if found != entry["sha256"]:
            raise ChangedSince(place, f"the SHA-256 {entry['sha256']}", found)
        return data

    def document(self, name: str) -> Json:
        """The value of a JSON document of the run."""
        return read(self.read(name), max_bytes=most_bytes(name))

    def __repr__(self) -> str:
        return f"VerifiedBundle({self.path!r}, run_id={self.run_id!r}, level={self.level!r})"


@final
class UnverifiedBundle:
    """Whatever stands in a run directory. It implies nothing: not that the run has ended, not that any file is what it
    was."""

    __slots__ = ("digest_mismatches", "index", "missing", "path", "run_id", "status", "unindexed")

    integrity = "unverified"

    def __init__(self, place: str, found: Survey) -> None:
        run = found.run
        index = run.index if type(run.index) is dict else None
        there = run.files | run.irregular.keys()
        entries = run.entries or {}
        self.path = place
        #: The index as it stands there, None where there is none that could be read.
        self.index: dict[str, Any] | None = index
        status = run.documents.get(run_status.NAME)
        self.status: dict[str, Any] | None = status if type(status) is dict else None
        told = (index or {}).get("run_id")
        self.run_id: str | None = told if type(told) is str else None
        #: What the index calls missing or lists, and is not there.
        self.missing = sorted({path for path in (*run.missing, *entries) if path not in there})
        #: (path, expected, found) of what is there and is not what the index says.
        self.digest_mismatches = [differs for differs in run.differing if differs[0] in there]
        #: What is there and stands in no entry.
        self.unindexed = sorted(there - entries.keys() - {artifact_index.NAME})

    def document(self, name: str) -> Json | None:
        """The value of a JSON document that stands there now; None where none can be read."""
        try:
            directory = fs.open_root(self.path)
            try:
                return read(fs.read_member(directory, name, most_bytes(name)), max_bytes=most_bytes(name))
            finally:
                fs.close(directory)
        except (ReadFailed, ParseError):
            return None

    def __repr__(self) -> str:
        return f"UnverifiedBundle({self.path!r}, run_id={self.run_id!r})"


def require_verified(bundle: VerifiedBundle) -> VerifiedBundle:
    """The bundle, where it is a verified one; for whoever must not rely on a type checker."""
    if type(bundle) is not VerifiedBundle:
        raise TypeError(f"expected a VerifiedBundle, found a {type(bundle).__name__}")
    return bundle


def load_bundle(
    path: str | os.PathLike[str], *, level: Level = "spec", progress: Progress | None = None
) -> VerifiedBundle:
    """The run at `path`, a run directory or an out folder whose LATEST names one, with every file verified. Raises
    BundleRefused (Refused, LatestInvalid, NoBundle), or ReadFailed where nothing can be read."""
    with locate(os.fspath(path)) as place:
        found, report = _examine(place, level, progress)
    if report.findings:
        raise _refusal(place, report)
    return VerifiedBundle(_SEAL, place.path, found, report)


def validate(path: str | os.PathLike[str], *, level: Level = "spec", progress: Progress | None = None) -> Report:
    """Everything that is wrong with the run at `path` (RD1-RD10). Raises only where no run can be found or read."""
    with locate(os.fspath(path)) as place:
        return validate_place(place, level, progress)


def validate_place(place: Place, level: Level, progress: Progress | None = None) -> Report:
    """As `validate`, of a run that is open."""
    return _examine(place, level, progress)[1]


def open_bundle_unverified(path: str | os.PathLike[str]) -> UnverifiedBundle:
    """Whatever is there of the run at `path`, for looking into what went wrong. Raises only where no run can be found
    or read."""
    with locate(os.fspath(path)) as place:
        return UnverifiedBundle(place.path, survey(place.directory, place.name, "compat"))


def _examine(place: Place, level: Level, progress: Progress | None) -> tuple[Survey, Report]:
    found = survey(place.directory, place.name, level, progress)
    return found, examine_run(found.run)


def _refusal(place: Place, report: Report) -> Refused:
    """The first finding, in the order of the rules: what a run is not comes before what is wrong with a file of it."""
    order = list(_REFUSALS)
    first = min(report.findings, key=lambda found: order.index(found.rule_id))
    kind, code = _REFUSALS[first.rule_id]
    return kind(code, place.path, first, report)

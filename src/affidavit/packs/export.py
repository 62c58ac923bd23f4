"""Writes the pack of a committed run, as a directory, as an archive, or both: verified at level strict before anything
of it appears, and there whole or not at all."""

from __future__ import annotations

import os

from ..contracts.pack import examine_pack
from ..errors import UsageError
from ..shown import plain
from ..store import fs
from ..store.publish import Exists, publish, publish_file
from ..store.reader import load_bundle
from ..store.refused import BundleRefused
from .members import OPTIONAL, Members
from .zipped import zip_chunks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from ..rules.model import Report
    from ..store.publish import Folder
    from ..store.survey import Progress
    from .changes import Changes


class NotSound(BundleRefused):
    """A run whose pack would not verify; nothing was written."""

    def __init__(self, place: str, report: Report) -> None:
        first = report.findings[0]
        super().__init__("export.not_sound", place, f"a pack that verifies ({first.rule_id})", first.message)
        self.details["violations"] = [f"{found.rule_id}: {found.path}: {found.message}" for found in report.findings]


class Exported:
    """What was written, where, and what whoever hands it over should know."""

    __slots__ = ("archive", "archive_sha256", "directory", "left_out", "members", "operations", "run_id", "warnings")

    def __init__(self, members: Members, changes: Changes | None) -> None:
        self.run_id: str = members.run["run_id"]
        self.members = members.names
        self.operations = members.operations()
        self.warnings = [*members.warnings(), *(changes.warnings if changes else ())]
        self.left_out = changes.left_out if changes else []
        self.directory: str | None = None
        self.archive: str | None = None
        self.archive_sha256: str | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "run_id": self.run_id,
            "members": self.members,
            "operations": self.operations,
            "directory": self.directory,
            "archive": self.archive,
            "archive_sha256": self.archive_sha256,
            "left_out": self.left_out,
            "warnings": self.warnings,
        }


def export_pack(
    run: str | os.PathLike[str],
    *,
    directory: str | os.PathLike[str] | None = None,
    archive: str | os.PathLike[str] | None = None,
    wanted: Collection[str] = (),
    changes: Changes | None = None,
    progress: Progress | None = None,
) -> Exported:
    """The pack of the run at this path, which is verified first, all of it. `wanted` may hold `model-io` and `meta`;
    `changes` is what the run was made of. Raises BundleRefused where there is nothing to export, the run is not sound,
    or a place is taken."""
    require_places(directory, archive, wanted)
    members = Members(load_bundle(run, progress=progress), wanted, about=changes.about() if changes else {})
    report = examine_pack(members.manifest, members, level="strict")
    if not report.ok:
        raise NotSound(os.fspath(run), report)
    exported = Exported(members, changes)
    if archive is not None:
        exported.archive = os.fspath(archive)
        written = publish_file(*_parts(exported.archive), zip_chunks(members.names, members.bytes_of))
        exported.archive_sha256 = written.digest.content_hash
    if directory is not None:

        def build(folder: Folder) -> None:
            for name in members.names:
                folder.put(name, members.bytes_of(name))

        exported.directory = os.fspath(directory)
        publish(*_parts(exported.directory), build)
    return exported


def require_places(
    directory: str | os.PathLike[str] | None, archive: str | os.PathLike[str] | None, wanted: Collection[str] = ()
) -> None:
    """That there is somewhere to write to, and nothing stands there: asked before a run is read, or made, which may
    take a while. That nothing is replaced is seen to when the pack is written."""
    unknown = sorted(set(wanted) - OPTIONAL.keys())
    if unknown:
        raise UsageError("USAGE", f"--with: expected {' or '.join(OPTIONAL)}, found {plain(unknown[0])!r}")
    places = [os.fspath(place) for place in (directory, archive) if place is not None]
    if not places:
        raise UsageError("USAGE", "expected a place to write to: --out DIR, --zip FILE, or both")
    for place in places:
        above, name = _parts(place)
        there = fs.open_root(os.path.realpath(above))
        try:
            if fs.mode_of(there, name) is not None:
                raise Exists(place, "something of this name")
        finally:
            fs.close(there)


def _parts(place: str) -> tuple[str, str]:
    """The directory that a place is in, and its name there."""
    above, name = os.path.split(fs.itself(place))
    if name in ("", ".", ".."):
        raise UsageError("USAGE", f"expected the name of something to be made, found {plain(place)!r}")
    return above or ".", name

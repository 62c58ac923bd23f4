"""What a run directory holds, as its index tells it: every file, hashed, under its path from the repo's root
(contracts 4.2, 4.3). Used by whoever writes an index: commit, abandon, repair."""

from __future__ import annotations

import os
import stat

from ..canon.jcs import canonical
from ..canon.profiles import RAW, raw_hasher
from ..contracts import artifact_index, run_status
from ..errors import UsageError
from ..shown import plain
from . import durable, fs
from .durable import writing
from .publish import Written
from .refused import Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    #: What a run directory holds: each file's content and, where it tells one, its schema.
    Files: TypeAlias = dict[str, tuple[Written, str | None]]

#: What marks the root of a repo; their contents are not read.
MARKERS = (".git", "affidavit.toml")
#: Files of one run; a directory of more is no bundle that anybody wants to verify.
MOST_FILES = 1_000_000
MOST_JSON = 64 * 1024 * 1024


def repo_root(place: str) -> str:
    """The root of the repo that the directory `place` is in: the nearest directory above it (or itself) that holds a
    marker, else the one that it stands in (contracts 4.3). `place` is a real path."""
    root = place
    while not any(os.path.lexists(os.path.join(root, marker)) for marker in MARKERS):
        above = os.path.dirname(root)
        if above == root:
            return os.path.dirname(place)
        root = above
    return root


def prefix_for(out: str, run_id: str) -> str:
    """What the paths in the index of a run begin with: the way from the repo's root."""
    place = os.path.realpath(out)
    root = repo_root(place)
    below = "" if root == place else os.path.relpath(place, root) + "/"
    prefix = f"{below}{run_id}/"
    try:
        prefix.encode()
    except UnicodeEncodeError:
        raise UsageError("USAGE", f"{plain(out)}: expected a path in UTF-8, which an index can tell") from None
    return prefix


#: What the store itself writes last, under the names that it is written under before.
_NOT_YET = frozenset({artifact_index.NAME, durable.aside(artifact_index.NAME), durable.aside(run_status.NAME)})


def files_of(directory: int, place: str, *, skip_irregular: bool = False) -> list[str]:
    """Every file of a run directory but the index. Raises Unfit for what is no regular file, or leaves it out."""
    found: list[str] = []
    for path, mode in fs.files_below(directory, MOST_FILES):
        if not stat.S_ISREG(mode):
            if skip_irregular:
                continue
            raise Unfit(os.path.join(place, path), "a regular file", fs.what(mode))
        if path not in _NOT_YET:
            found.append(path)
    return found


def written(directory: int, path: str) -> tuple[Written, str | None]:
    """A file as it stands there, read once: digest, size, and the schema that it tells."""
    descriptor = fs.open_below(directory, path)
    try:
        size = os.fstat(descriptor).st_size
        if artifact_index.has_schema_version(path) and size <= MOST_JSON:
            data = fs.read_open(descriptor, path, MOST_JSON)
            return Written(RAW.digest(data), len(data)), artifact_index.schema_version_in(path, data)
        hasher = raw_hasher()
        size = 0
        while piece := os.read(descriptor, fs.CHUNK):
            hasher.update(piece)
            size += len(piece)
        return Written(RAW.digest_hex(hasher.hexdigest()), size), None
    finally:
        os.close(descriptor)


def settle_with_status(directory: int, status: dict[str, Any], files: Files) -> None:
    """Makes all of `files` durable, and the run's last status with them; it is one of them then."""
    raw = canonical(status) + b"\n"
    with writing(run_status.NAME):
        durable.write_aside(directory, run_status.NAME, raw)
    files[run_status.NAME] = Written(RAW.digest(raw), len(raw)), run_status.SCHEMA_VERSION
    durable.settle(directory, files, named=(run_status.NAME,))


def index_bytes(status: dict[str, Any], prefix: str, files: Files, expected: Iterable[str]) -> bytes:
    """The index over `files` of a run that ended with this status, its bytes as they are written."""
    entries: list[dict[str, Any]] = [
        artifact_index.entry_of(prefix + path, what.size, what.digest.hex, schema_version)
        for path, (what, schema_version) in files.items()
    ]
    missing = [prefix + path for path in expected if path not in files]
    failed = status["state"] == "failed"
    document = artifact_index.artifact_index(status["run_id"], status["world_id"], entries, missing, failed=failed)
    return canonical(document) + b"\n"

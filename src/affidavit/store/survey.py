"""Reads a run directory, once, into what its rules are about (contracts/run_directory.py).

First the names, then the documents, then everything else by `digest_files`. The bytes of a document that are examined
are the bytes that are hashed. Nothing here believes the index: its paths are looked up below the directory's handle.
"""

from __future__ import annotations

import stat

from ..canon.profiles import RAW, raw_hasher
from ..canon.reader import read, read_document
from ..contracts import artifact_index
from ..contracts.run_directory import FIRST, KNOWN, Observed, most_bytes
from ..errors import ParseError, ReadFailed
from . import fs
from .digests import SIZE, Unmeasured, digest_files
from .index import MOST_FILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..values import Json, Level

    Progress = Callable[[int, int], None]

#: Documents whose schema an index tells and that nobody here knows are held in memory up to this size, to see it.
_MOST_UNKNOWN = 64 << 20


class Survey:
    """A run directory as it was read, and the bytes that its index had."""

    __slots__ = ("index_sha256", "run")

    def __init__(self, run: Observed) -> None:
        self.run = run
        self.index_sha256: str | None = None


def survey(directory: fs.Dir, name: str, level: Level, progress: Progress | None = None) -> Survey:
    """Everything that is in the directory, read once."""
    run = Observed(name, level)
    found = Survey(run)
    try:
        for path, mode in fs.files_below(directory, MOST_FILES):
            if stat.S_ISREG(mode):
                run.files.add(path)
            else:
                run.irregular[path] = fs.what(mode)
    except ReadFailed as error:  # too many, too deep, or not ours to look into: what stands there is not known
        run.irregular[str(error.details.get("path", "."))] = found_in(error)
    if artifact_index.NAME in run.files:
        found.index_sha256 = _read_index(directory, run)
    measured = _read_documents(directory, run)
    _measure(directory, run, measured, progress)
    return found


def _read_index(directory: fs.Dir, run: Observed) -> str | None:
    data = _bytes_of(directory, run, artifact_index.NAME)
    if data is None:
        return None
    digest = RAW.digest(data).hex
    try:
        document = read_document(data)
    except ParseError as error:
        run.unread[artifact_index.NAME] = error.expected, f"{error.found} at byte {error.offset}"
        return digest
    del data  # of a large index there are never two copies of the text: their digests are compared
    hasher = raw_hasher()
    hasher.update(document.canonical())
    hasher.update(b"\n")
    is_canonical = hasher.hexdigest() == digest
    run.take_index(document.value, is_canonical=is_canonical)
    return digest


class _Nothing:
    """No value: a document that is no JSON."""


_NOTHING = _Nothing()


def _read_documents(directory: fs.Dir, run: Observed) -> dict[str, tuple[int, str]]:
    """Reads the documents that are known, and those whose schema the index should tell; their sizes and digests."""
    measured: dict[str, tuple[int, str]] = {}
    known = [name for name in (*FIRST, *(name for name in KNOWN if name not in FIRST)) if name in run.files]
    for name in known:
        data = _bytes_of(directory, run, name)
        if data is not None:
            measured[name] = len(data), RAW.digest(data).hex
            run.schemas[name] = artifact_index.schema_version_in(name, data) if name.endswith(".jsonl") else None
            value = _parsed(run, name, data)
            del data
            if value is not _NOTHING:
                if not name.endswith(".jsonl"):
                    run.schemas[name] = artifact_index.schema_version_of(value)
                run.take_document(name, value)
    for path, entry in (run.entries or {}).items():
        if path in measured or path in run.unread or not _may_tell_a_schema(path, entry):
            continue
        if path not in run.files or entry["file_size"] > _MOST_UNKNOWN:
            run.schemas[path] = None
            continue
        try:
            data = fs.read_below(directory, path, int(entry["file_size"]))
        except ReadFailed:
            continue  # what is wrong with it is told where it is measured
        measured[path] = len(data), RAW.digest(data).hex
        run.schemas[path] = artifact_index.schema_version_in(path, data)
    return measured


def _may_tell_a_schema(path: str, entry: dict[str, Any]) -> bool:
    if entry.get("schema_version") is not None:
        return path.endswith((".json", ".jsonl"))
    return artifact_index.has_schema_version(path)


def _bytes_of(directory: fs.Dir, run: Observed, name: str) -> bytes | None:
    try:
        return fs.read_member(directory, name, most_bytes(name))
    except ReadFailed as error:
        run.unread[name] = str(error.details.get("expected", "a file that can be read")), found_in(error)
        return None


def found_in(error: ReadFailed) -> str:
    """What an entry is instead, as the error has it."""
    return str(error.details.get("found") or error.message.partition(": ")[2])


def _parsed(run: Observed, name: str, data: bytes) -> Json | _Nothing:
    try:
        if name.endswith(".jsonl"):
            return [read(line) for line in data.split(b"\n") if line]
        return read(data, max_bytes=most_bytes(name))
    except ParseError as error:
        run.unread[name] = error.expected, f"{error.found} at byte {error.offset}"
        return _NOTHING


def _measure(directory: fs.Dir, run: Observed, measured: dict[str, tuple[int, str]], progress: Progress | None) -> None:
    """Holds every entry against the file that stands there."""
    entries = run.entries or {}
    left = [(path, int(entry["file_size"])) for path, entry in entries.items() if path not in measured]
    results = iter(digest_files(directory, left, progress=progress))
    for path, entry in entries.items():
        if path in measured:
            size, digest = measured[path]
            result: str | Unmeasured = digest
            if size != entry["file_size"]:
                result = Unmeasured(SIZE, f"{entry['file_size']} bytes", f"{size} bytes")
        else:
            result = next(results)
        if type(result) is not str:
            run.differing.append((path, result.expected, result.found))  # type: ignore[union-attr]
        elif result != entry["sha256"]:
            run.differing.append((path, f"the SHA-256 {entry['sha256']}", result))

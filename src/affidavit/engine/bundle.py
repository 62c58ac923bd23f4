"""Reads a sealed run where it lies: by directory handle, nothing followed, each file once (contracts 3)."""

from __future__ import annotations

import os
import stat

from ..contracts.engine_bundle import examine_engine_bundle
from ..contracts.engine_examination import Examination, Member, most_bytes
from ..contracts.engine_family import CONTEXT, PARAMETERS, REQUIRED
from ..contracts.run_artifacts import MOST_FILES
from ..errors import ReadFailed
from ..rules.model import Finding
from ..shown import plain
from ..store import fs
from ..store.digests import Unmeasured, digest_files
from .judge import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rules.model import Report
    from ..values import Level

_DOCUMENTS = frozenset((*REQUIRED, CONTEXT, PARAMETERS))


def verify_engine_bundle(path: str | os.PathLike[str], *, level: Level = "spec") -> Report:
    """R1-R5, the closed world and the sealing rules over the sealed run at `path`. Whatever is in it gives a Report; a
    path where no directory can be read raises AffidavitError."""
    return examine_engine_bundle(read_bundle(os.fspath(path), level=level))


def read_bundle(path: str, *, level: Level = "spec") -> Examination:
    """What stands in the sealed run at `path`, read and not yet examined."""
    bundle = Examination(level, judge, folder=_folder_name(path))
    try:
        folder = fs.open_root(path)
    except ReadFailed as error:
        raise ReadFailed("IO", error.message, **error.details) from None
    try:
        others: list[str] = []
        listed = _listed(folder)
        parents = {name[:at] for name, mode in listed if not stat.S_ISDIR(mode) for at in _slashes(name)}
        for name, mode in listed:
            if stat.S_ISDIR(mode):
                if name not in parents:
                    bundle.irregular.append((plain(name), "a directory that holds no file"))
            elif not stat.S_ISREG(mode):
                bundle.irregular.append((plain(name), fs.what(mode)))
            elif name in _DOCUMENTS:
                _take(bundle, folder, name)
            else:
                others.append(name)
        _digest(bundle, folder, others)
    finally:
        fs.close(folder)
    return bundle


def _folder_name(path: str) -> str:
    return os.path.basename(os.path.realpath(path))


def _listed(folder: fs.Dir) -> list[tuple[str, int]]:
    try:
        return sorted(fs.files_below(folder, MOST_FILES, directories=True))
    except ReadFailed as error:
        raise ReadFailed("IO", error.message, **error.details) from None


def _slashes(name: str) -> list[int]:
    return [at for at, character in enumerate(name) if character == "/"]


def _take(bundle: Examination, folder: fs.Dir, name: str) -> None:
    try:
        bundle.take(name, fs.read_member(folder, name, most_bytes(name)))
    except ReadFailed as error:
        if error.code not in (fs.TOO_LARGE, fs.SYMLINK, fs.NOT_REGULAR, fs.ABSENT):
            raise ReadFailed("IO", error.message, **error.details) from None
        bundle.members[name] = Member("")
        bundle.unsound.add(name)
        bundle.findings.append(
            Finding("R1", name, f"a regular file of at most {most_bytes(name)} bytes", error.message)
        )


def _digest(bundle: Examination, folder: fs.Dir, names: list[str]) -> None:
    """Files that no rule reads: only their bytes count."""
    wanted = [(name, _size(folder, name)) for name in names]
    for (name, _), digest in zip(wanted, digest_files(folder, wanted), strict=True):
        if isinstance(digest, Unmeasured):
            bundle.findings.append(Finding("R4", plain(name), digest.expected, digest.found))
            bundle.members[plain(name)] = Member("")
        else:
            bundle.members[plain(name)] = Member(digest)


def _size(folder: fs.Dir, name: str) -> int:
    try:
        descriptor = fs.open_below(folder, name)
    except ReadFailed:
        return 0  # digesting it says what is wrong
    try:
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)

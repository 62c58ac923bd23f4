"""An engine's folder: the contracts it states, and a digest of everything in it (contracts 3).

Read by directory handle, nothing followed: an engine is code that somebody else wrote.
"""

from __future__ import annotations

import os
import stat

from ..canon.profiles import ENGINE
from ..contracts.engine_bundle import CONTRACT_RULES
from ..contracts.engine_examination import MOST_CONTRACT_BYTES, Examination
from ..contracts.engine_family import CONTRACTS, MANIFEST, SEALING_SPEC
from ..contracts.engine_manifest import FILES
from ..errors import ReadFailed
from ..rules.model import Finding
from ..shown import plain
from ..store import fs
from ..store.digests import Unmeasured, digest_files
from .judge import judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..values import Level

MOST_FILES = 100_000
#: What a folder has that is no part of the engine.
NOT_THE_ENGINE = (".git", "__pycache__")


def read_contracts(path: str, level: Level = "spec") -> tuple[Examination, dict[str, bytes]]:
    """The contracts of the engine in the folder at `path`, examined, and their bytes as they stand there. Raises
    ReadFailed where there is no folder to read."""
    bundle = Examination(level, judge)
    found: dict[str, bytes] = {}
    folder = _open(path)
    try:
        _take(bundle, folder, MANIFEST, MANIFEST, found)
        manifest = bundle.value(MANIFEST)
        for contract, (section, member) in zip(CONTRACTS[1:], FILES, strict=True):
            place = _named(manifest, section, member)
            if place is not None:
                _take(bundle, folder, contract, place, found)
    finally:
        fs.close(folder)
    bundle.run(CONTRACT_RULES)
    return bundle, found


def _open(path: str) -> fs.Dir:
    # the caller's own folder: where the name leads is where he wants to go
    return fs.open_root(os.path.realpath(path))


def _named(manifest: Any, section: str, member: str) -> str | None:
    """Where the manifest says that a contract lies; a manifest that does not say so is a finding of its own."""
    told = manifest.get(section) if type(manifest) is dict else None
    place = told.get(member) if type(told) is dict else None
    return place if type(place) is str and place else None


def _take(bundle: Examination, folder: fs.Dir, contract: str, place: str, found: dict[str, bytes]) -> None:
    try:
        descriptor = fs.open_below(folder, place)
        try:
            data = fs.read_open(descriptor, place, MOST_CONTRACT_BYTES)
        finally:
            os.close(descriptor)
    except ReadFailed as error:
        told = "none" if error.code in (fs.ABSENT, fs.NAME) else error.message
        bundle.findings.append(Finding("CONTRACT", contract, f"a file {plain(place)} in the engine's folder", told))
        return
    found[contract] = data
    bundle.take(contract, data)


def contract_bytes(bundle: Examination, found: dict[str, bytes]) -> dict[str, bytes]:
    """What is copied into a sealed run: JSON as its canonical bytes, the sealing specification byte for byte."""
    copied = {SEALING_SPEC: found[SEALING_SPEC]}
    for name in CONTRACTS:
        if name != SEALING_SPEC:
            bundle.as_canonical(name)
            text = bundle.members[name].text
            assert text is not None, "a contract that was examined is JSON"
            copied[name] = text
    return copied


def engine_files(path: str) -> dict[str, str]:
    """{relative path: RAW hex} of the folder's regular files, but for version control and compiled copies. Raises
    ReadFailed for a file that changes while it is read, and for a name that is not UTF-8."""
    folder = _open(path)
    try:
        wanted: list[tuple[str, int]] = []
        for name, mode in fs.files_below(folder, MOST_FILES):
            if stat.S_ISREG(mode) and not any(part in NOT_THE_ENGINE for part in name.split("/")):
                wanted.append((_utf8(name), _size(folder, name)))
        digests = digest_files(folder, wanted)
    finally:
        fs.close(folder)
    files: dict[str, str] = {}
    for (name, _), digest in zip(wanted, digests, strict=True):
        if isinstance(digest, Unmeasured):
            raise ReadFailed("IO", f"{plain(name)}: expected {digest.expected}, found {digest.found}", path=plain(name))
        files[name] = digest
    return files


def _utf8(name: str) -> str:
    try:
        name.encode()
    except UnicodeEncodeError:
        told = "expected names in UTF-8 in an engine's folder, found another"
        raise ReadFailed("IO", f"{plain(name)}: {told}", path=plain(name)) from None
    return name


def _size(folder: fs.Dir, name: str) -> int:
    descriptor = fs.open_below(folder, name)
    try:
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def engine_files_sha256(files: dict[str, str]) -> str:
    """`engine_files_sha256`: one digest for all of an engine's files."""
    return ENGINE.digest(files).hex

"""The directory that a patch is applied to: opened name by name, no symlink anywhere, and looked at before it is
changed (AS5)."""

from __future__ import annotations

import os
import stat

from ..canon.profiles import RAW, raw_hasher
from ..errors import ReadFailed, WriteFailed
from ..kernel.apply import ABSENT, Standing
from ..rules.model import Finding
from ..shown import shown
from ..store import fs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.fs import Dir

#: What lies in a target while a patch is being applied, and after a crash until the next apply (ADR 0500).
STAGE = ".affidavit-apply"
#: A file that is to be replaced or removed is hashed first; no patch needs one of more.
MOST_BYTES = 1 << 33
_CODES_OF_THE_TARGET = (fs.ABSENT, fs.SYMLINK, fs.NOT_DIRECTORY, fs.NOT_REGULAR, fs.NAME)


def open_target(path: str) -> int | Finding:
    """A descriptor of the directory at `path`; or why it is none that may be written to. Raises ReadFailed where it
    cannot be read."""
    if not fs.HAS_HANDLES:
        raise WriteFailed("WRITE_FAILED", "applying a patch needs a system with directory handles")
    if ".." in path.split("/"):
        return _unfit('a path without ".."', shown(path))
    opened: Dir = fs.open_root("/" if path.startswith("/") else ".")
    for name in path.split("/"):
        if name in ("", "."):
            continue
        try:
            below = fs.open_directory(opened, name)
        except ReadFailed as error:
            if error.code in _CODES_OF_THE_TARGET:
                return _unfit(
                    "a directory, and no symlink on the way to it", found_instead(error) + f" at {shown(name)}"
                )
            raise
        finally:
            fs.close(opened)
        opened = below
    if is_repository(opened) or ".git" in os.path.realpath(path).lower().split("/"):
        fs.close(opened)
        return _unfit("a directory outside of git's own", "one that git keeps for itself")
    assert isinstance(opened, int)  # as there are handles
    return opened


def _unfit(expected: str, found: str) -> Finding:
    return Finding("AS5", "", expected, found)


def is_repository(directory: Dir) -> bool:
    """Whether a directory is git's own (what .git is elsewhere, or a bare repository): what is written there, git runs
    or obeys."""
    wanted = (("HEAD", stat.S_ISREG), ("objects", stat.S_ISDIR), ("refs", stat.S_ISDIR))
    modes = ((fs.mode_of(directory, name), is_kind) for name, is_kind in wanted)
    return all(mode is not None and is_kind(mode) for mode, is_kind in modes)


class Look:
    """What stood under a path: what the kernel decides by, and what a file that replaces it takes over. `missing` are
    the directories above it that are not there."""

    __slots__ = ("missing", "mode", "standing")

    def __init__(self, standing: Standing, mode: int = 0, missing: tuple[str, ...] = ()) -> None:
        self.standing = standing
        self.mode = mode
        self.missing = missing


def look(root: Dir, path: str) -> Look:
    """What stands under `path` now."""
    *parents, name = path.split("/")
    if (parents[0] if parents else name).lower() == STAGE:
        return Look(Standing(f"a name that is reserved, {STAGE}"))
    opened, above = root, ""
    try:
        for at, parent in enumerate(parents):
            try:
                below = fs.open_directory(opened, parent)
            except ReadFailed as error:
                if error.code == fs.ABSENT:
                    return Look(ABSENT, missing=tuple("/".join(parents[: end + 1]) for end in range(at, len(parents))))
                return Look(Standing(f"{found_instead(error)} at {shown(above + parent)}"))
            _close(opened, root)
            opened, above = below, above + parent + "/"
            if is_repository(opened):
                return Look(Standing(f"a directory that git keeps for itself at {shown(above[:-1])}"))
        return _look_at(opened, name)
    finally:
        _close(opened, root)


def _close(directory: Dir, root: Dir) -> None:
    if directory != root:
        fs.close(directory)


def _look_at(directory: Dir, name: str) -> Look:
    try:
        descriptor = fs.open_member(directory, name)
    except ReadFailed as error:
        return Look(ABSENT if error.code == fs.ABSENT else Standing(found_instead(error)))
    try:
        return Look(Standing("a regular file", digest_of(descriptor, name)), os.fstat(descriptor).st_mode)
    except ReadFailed as error:
        return Look(Standing(found_instead(error)))
    finally:
        os.close(descriptor)


def digest_of(descriptor: int, name: str) -> str:
    """The RAW hash of an open file."""
    hasher = raw_hasher()
    for piece in fs.pieces(descriptor, name, MOST_BYTES, fs.CHUNK):
        hasher.update(piece)
    return RAW.digest_hex(hasher.hexdigest()).content_hash


def found_instead(error: ReadFailed) -> str:
    """What stands where something else was wanted, in words that are the same on every system."""
    told = {fs.ABSENT: "no such directory", fs.SYMLINK: "a symlink", fs.TOO_LARGE: "a file that is too large"}
    return told.get(error.code) or str(error.details.get("found", "what cannot be read"))

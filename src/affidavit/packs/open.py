"""Opens a pack where it lies, a directory or a zip archive, as what it holds and a reader of its members (contracts
2.10). Nothing is followed and nothing is extracted."""

from __future__ import annotations

import os
import stat

from ..errors import ReadFailed
from ..shown import plain
from ..store import fs
from .directory import open_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ..manifest import Manifest, Reader
    from ..values import Level

    class Opened(Reader, Protocol):
        def close(self) -> None: ...


def open_pack(path: str, *, level: Level = "spec") -> tuple[Manifest, Opened]:
    """What lies at `path`, and a reader of it that the caller closes. Raises ReadFailed (`IO`) where nothing can be
    read: nothing there, a symlink, neither a directory nor a file, a file that is no zip archive."""
    itself = fs.itself(path)
    try:
        mode = os.lstat(itself).st_mode
    except OSError as error:
        raise ReadFailed("IO", f"{plain(path)}: {error.strerror or error}", path=plain(path)) from None
    except ValueError:  # a NUL in the path
        raise ReadFailed("IO", f"{plain(path)}: no file can have this name", path=plain(path)) from None
    try:
        if stat.S_ISREG(mode):
            from .archive import open_archive

            return open_archive(path, level)
        return open_directory(path, mode)
    except ReadFailed as error:
        if error.code.startswith("ENTRY_"):
            raise ReadFailed("IO", error.message, **error.details) from None
        raise

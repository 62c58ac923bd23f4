"""Writes a file that an option named: the user's own, so what stands there is replaced, as a shell's `>` would."""

from __future__ import annotations

import os

from ..errors import WriteFailed
from ..shown import plain


def write_file(path: str, data: bytes) -> None:
    """All of `data`. Raises WriteFailed."""
    try:
        with open(path, "wb") as file:
            file.write(data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no file can have this name"
        raise WriteFailed("IO", f"{plain(path)}: {reason}", path=os.fsdecode(path)) from None

"""Reads the files that a run is told by its caller: bounded, and never waiting for what will not come."""

from __future__ import annotations

import os
import stat

from ..errors import ReadFailed
from ..shown import plain
from ..store import fs
from .errors import RunError

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY


def read_file(path: str, code: str, max_bytes: int) -> bytes:
    """All of a regular file, through whatever links the caller's path leads. Raises RunError with the code."""
    told = plain(path)
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        raise RunError(code, f"{told}: {error.strerror}", path=told) from None
    except ValueError:
        raise RunError(code, f"{told}: no file can have this name", path=told) from None
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise RunError(code, f"{told}: expected a regular file, found {fs.what(mode)}", path=told)
        return fs.read_open(descriptor, path, max_bytes)
    except ReadFailed as error:
        raise RunError(code, error.message, path=told) from None
    finally:
        os.close(descriptor)

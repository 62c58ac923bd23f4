"""Standard output as a descriptor: what was not written is an error now, not a complaint of the interpreter at exit."""

from __future__ import annotations

import os
import sys

from ..errors import WriteFailed


def write(data: bytes) -> None:
    """All of `data`. A reader that has seen enough is a BrokenPipeError, which the command answers in silence."""
    if sys.stdout is None:
        raise WriteFailed("IO", "standard output is closed")
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(sys.stdout.fileno(), rest) :]
    except BrokenPipeError:
        raise
    except OSError as error:
        raise WriteFailed("IO", f"standard output: {error.strerror}") from None

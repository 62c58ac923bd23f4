"""Where the host's own programs are."""

from __future__ import annotations

import os

#: Where system programs are. Not PATH: a sandbox is not built by whatever program the caller's folder holds.
PROGRAM_FOLDERS = ("/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin", "/run/current-system/sw/bin")


def find_program(name: str) -> str | None:
    """The absolute path of a system program."""
    for folder in PROGRAM_FOLDERS:
        path = f"{folder}/{name}"
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None

"""Removing what others built, whatever they made of it: trees of any depth, directories without permissions."""

from __future__ import annotations

import os
import stat
from itertools import count

from . import fs

_PATH = os.O_RDONLY | getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_OURS = 0o700


def open_owned(directory: int, name: str) -> int:
    """A descriptor of a directory that we own and that says we may not open it. Never through a symlink."""
    try:
        return os.open(name, _DIRECTORY, dir_fd=directory)
    except PermissionError:
        handle = os.open(name, _PATH, dir_fd=directory)
        try:
            mode = os.fstat(handle).st_mode
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IMODE(mode) | _OURS)  # a handle has no fchmod of its own
        finally:
            os.close(handle)
        return os.open(name, _DIRECTORY, dir_fd=directory)


def remove_all(directory: int) -> None:
    """Removes everything in a directory of ours. Each directory's own directories are moved up before it goes, so that
    nothing here is ever deep."""
    token = os.urandom(8).hex()
    moved = count()
    while names := list(fs.entries(directory)):
        for name, mode in names:
            if not stat.S_ISDIR(mode):
                os.unlink(name, dir_fd=directory)
                continue
            opened = _opened_up(directory, name)
            try:
                for below, kind in list(fs.entries(opened)):
                    if stat.S_ISDIR(kind):
                        os.close(_opened_up(opened, below))  # moving it changes its own entry ".."
                        os.rename(below, f"{token}-{next(moved)}", src_dir_fd=opened, dst_dir_fd=directory)
                    else:
                        os.unlink(below, dir_fd=opened)
            finally:
                os.close(opened)
            os.rmdir(name, dir_fd=directory)


def _opened_up(directory: int, name: str) -> int:
    opened = open_owned(directory, name)
    os.fchmod(opened, _OURS)
    return opened

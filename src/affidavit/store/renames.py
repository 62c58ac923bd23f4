"""Renames that replace nothing, or that exchange two names: what the standard library's rename cannot say."""

from __future__ import annotations

import errno
import os

_NO_REPLACE = 1  # RENAME_NOREPLACE
_EXCHANGE = 2  # RENAME_EXCHANGE


def rename_no_replace(old_directory: int, old: str, new_directory: int, new: str) -> bool:
    """False where the system or the filesystem has no such call; FileExistsError where the new name is taken."""
    return _renameat2(old_directory, old, new_directory, new, _NO_REPLACE)


def exchange(old_directory: int, old: str, new_directory: int, new: str) -> bool:
    """Each of two names stands for what the other stood for, in one step. False where there is no such call."""
    return _renameat2(old_directory, old, new_directory, new, _EXCHANGE)


def move_file(old_directory: int, old: str, new_directory: int, new: str) -> None:
    """Gives a file another name and replaces nothing: FileExistsError where the new name is taken. Where the kernel
    cannot do it in one step the file has both names for a moment."""
    if not rename_no_replace(old_directory, old, new_directory, new):
        os.link(old, new, src_dir_fd=old_directory, dst_dir_fd=new_directory, follow_symlinks=False)
        os.unlink(old, dir_fd=old_directory)


def _renameat2(old_directory: int, old: str, new_directory: int, new: str, flag: int) -> bool:
    import ctypes

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    if call(old_directory, os.fsencode(old), new_directory, os.fsencode(new), ctypes.c_uint(flag)) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        return False
    raise OSError(number, os.strerror(number), new)

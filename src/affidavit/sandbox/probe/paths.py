"""Other names of a file: what is asked for, and what the kernel calls what was opened."""

from __future__ import annotations

import os

from .calls import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Attempt, Facts


def _make(path: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, b"made by the probe\n")
    os.close(descriptor)


def _open(path: str) -> Facts:
    return spelled(os.open(path, os.O_RDONLY))


def by_linked_folder(folder: str, name: str) -> Attempt:
    link = f"{folder}/linked"
    os.symlink(".", link)
    yield f"{link}/{name}"
    return _open(f"{link}/{name}")


def by_loop(path: str) -> Attempt:
    os.symlink(os.path.basename(path), path)
    yield path
    return _open(path)


def in_form(folder: str, made: str, asked: str) -> Attempt:
    """Made under one spelling, asked for under another that looks the same."""
    _make(f"{folder}/{made}")
    yield f"{folder}/{asked}"
    return _open(f"{folder}/{asked}")


def by_hard_link(path: str, name: str) -> Attempt:
    os.link(path, name)
    yield name
    return _open(name)


def when_deleted(path: str) -> Attempt:
    _make(path)
    yield path
    descriptor = os.open(path, os.O_RDONLY)
    os.unlink(path)
    return spelled(descriptor)


def when_renamed(old: str, new: str) -> Attempt:
    _make(old)
    yield old
    descriptor = os.open(old, os.O_RDONLY)
    os.rename(old, new)
    return spelled(descriptor)


def by_cwd(folder: str, name: str) -> Attempt:
    os.chdir(folder)
    yield f"/proc/self/cwd/{name}"
    return _open(f"/proc/self/cwd/{name}")


def by_descriptor(path: str) -> Attempt:
    descriptor = os.open(path, os.O_RDONLY)
    name = f"/proc/self/fd/{descriptor}"
    yield name
    return _open(name)

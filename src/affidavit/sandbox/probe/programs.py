"""Starting programs, listed or not."""

from __future__ import annotations

import errno
import os
import sys

from .calls import MOST, call, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Attempt, Facts


def hear(word: str, *argv: str) -> Attempt:
    """Starts a program and listens for a word of it: only then did it run."""
    yield argv[0]
    return listen(word, *argv)


def listen(word: str, *argv: str) -> Facts | None:
    reading, writing = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawn(
        argv[0],
        argv,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, writing, 1),
            (os.POSIX_SPAWN_DUP2, null, 2),
            (os.POSIX_SPAWN_DUP2, null, 0),
        ],
    )
    os.close(writing)
    said = b""
    while piece := os.read(reading, MOST):
        said += piece
    ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if word.encode() in said:
        return None
    raise fail(errno.EACCES if ended == 126 else errno.ENOENT if ended == 127 else errno.EPERM)


def start(name: str) -> Attempt:
    """Starts a program that may say nothing: that it was started is the kernel's answer to execve."""
    yield name
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.posix_spawnp(
        name, [name, "--version"], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, at) for at in range(3)]
    )
    os.waitpid(pid, 0)
    return None


#: What a copied interpreter says without its library.
_SAYS = ("Python 3", "--version")


def copy(target: str) -> None:
    with open(sys.executable, "rb") as source, open(target, "wb") as copied:
        while piece := source.read(1 << 20):
            copied.write(piece)
    os.chmod(target, 0o700)


def exec_copy(target: str) -> Attempt:
    yield target
    copy(target)
    return listen(_SAYS[0], target, _SAYS[1])


def exec_script(target: str) -> Attempt:
    yield target
    with open(target, "w", encoding="utf-8") as script:
        script.write(f"#!{sys.executable} -IS\nprint('the script runs')\n")
    os.chmod(target, 0o700)
    return listen("the script runs", target)


def exec_copy_by_loader(target: str) -> Attempt:
    yield target
    copy(target)
    return load(_SAYS[0], target, _SAYS[1])


def by_loader(word: str, path: str) -> Attempt:
    yield path
    return load(word, path)


def load(word: str, path: str, *words: str) -> Facts | None:
    """By the dynamic loader, which maps the program itself: no execve is asked for it. Where it stays silent, the same
    mapping is tried for the kernel's answer."""
    import mmap

    loaders = ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
    loader = next((name for name in loaders if os.path.exists(name)), loaders[0])
    try:
        return listen(word, loader, path, *words)
    except OSError:
        descriptor = os.open(path, os.O_RDONLY)
        mmap.mmap(descriptor, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
        raise


def exec_memfd() -> Attempt:
    yield None
    descriptor = call("memfd_create", b"probe", 0)
    with open(sys.executable, "rb") as source:
        while piece := source.read(1 << 20):
            os.write(descriptor, piece)
    return listen(_SAYS[0], f"/proc/self/fd/{descriptor}", _SAYS[1])

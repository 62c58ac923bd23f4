"""Processes, signals, and using up what a process can use up."""

from __future__ import annotations

import errno
import os
import signal
import time

from .calls import child, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Attempt


def fork() -> Attempt:
    yield None
    child(lambda: 0)
    return None


def fork_bomb(count: str) -> Attempt:
    made: list[int] = []
    reading, writing = os.pipe()
    yield None
    try:
        for _ in range(int(count)):
            pid = os.fork()
            if pid == 0:
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
            made.append(pid)
    finally:
        os.close(writing)
        for pid in made:
            os.waitpid(pid, 0)
    return None


def memory_bomb(size: str, shared: str) -> Attempt:
    """In a child, so that the answer is told where the kernel ends the child alone."""
    import mmap

    flags = mmap.MAP_ANONYMOUS | (mmap.MAP_SHARED if shared == "shared" else mmap.MAP_PRIVATE)

    def eat() -> int:
        held = []
        try:
            for _ in range(int(size) >> 20):
                piece = mmap.mmap(-1, 1 << 20, flags)
                piece.write(b"x" * (1 << 20))
                held.append(piece)
        except (MemoryError, OSError):
            return errno.ENOMEM
        return 0

    yield None
    ended = child(eat)
    if os.WIFSIGNALED(ended):
        return {"killed": os.WTERMSIG(ended)}
    if os.WEXITSTATUS(ended):
        raise fail(os.WEXITSTATUS(ended))
    return None


def descriptor_bomb(count: str) -> Attempt:
    held = []
    yield None
    for _ in range(int(count)):
        held.append(os.open("/dev/null", os.O_RDONLY))  # noqa: PERF401 -- what counts is where it stops
    return None


def dump_core() -> Attempt:
    """Crashes a child: what takes its memory then is a file, or a program of the host's that runs as root."""

    def crash() -> int:
        os.kill(os.getpid(), signal.SIGABRT)
        return 0

    yield None
    ended = child(crash)
    if not os.WCOREDUMP(ended):
        raise fail(errno.EPERM)
    return None


def burn(seconds: str) -> Attempt:
    yield None
    while time.process_time() < float(seconds):
        pass
    return None


def daemonise(word: str, seconds: str) -> None:
    """A grandchild in a session of its own that holds nothing and waits for nobody."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in (0, 1, 2):
                os.close(descriptor)
            time.sleep(float(seconds))
        os._exit(0)
    assert word  # it stands in the command line, by which the host looks for what is left
    os.wait()


def outlive(word: str, seconds: str) -> Attempt:
    yield None
    daemonise(word, seconds)
    return None


def overstay(word: str, seconds: str) -> Attempt:
    daemonise(word, seconds)
    yield None
    time.sleep(float(seconds))
    return None


def own_child_signal() -> Attempt:
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(0)
    yield None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def kill(pid: str) -> Attempt:
    yield None
    os.kill(int(pid), signal.SIGKILL)
    return None


def kill_supervisor() -> Attempt:
    """The kernel takes the signal, and drops it when it comes from inside: what counts is whether process 1 goes on."""
    yield None
    os.kill(1, signal.SIGKILL)
    for _ in range(50):
        time.sleep(0.002)
        os.kill(1, 0)
    raise fail(errno.EPERM)

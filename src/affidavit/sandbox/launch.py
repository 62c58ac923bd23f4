"""The processes and pipes of one run: what is opened, what is handed over, and that all of it is closed again."""

from __future__ import annotations

import fcntl
import os
import signal

from .seccomp import native_filter
from .spawn import spawn
from .spec import ARGS, BLOCK, ERRORS, FIRST_FILE, LIFELINE, READY, SECCOMP, STATUS, TABLE, bwrap_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from .spec import SandboxSpec

#: Of the programs that build the sandbox; the command's own is given by their words.
_ENVIRONMENT = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}
_ENV_PROGRAM = "/usr/bin/env"


class Descriptors:
    """What is open for one run, and closed at its end however it ends."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _lifelines.difference_update(self._open)
        while self._open:
            os.close(self._open.pop())

    def own(self, descriptor: int) -> int:
        self._open.add(descriptor)
        return descriptor

    def pipe(self) -> tuple[int, int]:
        reading, writing = os.pipe()
        return self.own(reading), self.own(writing)

    def lifeline(self) -> int:
        """One end of a pipe that nobody writes to: its other end is closed at our end, however that comes."""
        reading, writing = self.pipe()
        _lifelines.add(writing)
        return reading

    def data(self, content: bytes) -> int:
        """One to read `content` from; in memory, since a pipe holds no more than 64 KiB."""
        descriptor = self.own(os.memfd_create("affidavit", os.MFD_CLOEXEC))
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor

    def close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.discard(descriptor)
            os.close(descriptor)


class Launched:
    """A started sandbox that waits to be let go, and our ends of its pipes."""

    __slots__ = ("_in_namespace", "_ready", "aside", "err", "go", "out", "pid", "status", "stdin")

    def __init__(self, spec: SandboxSpec, descriptors: Descriptors) -> None:
        self.out, their_out = descriptors.pipe()
        self.err, their_err = descriptors.pipe()
        self.status, writing = descriptors.pipe()
        # Open for reading too: were we gone, the write would kill bubblewrap with SIGPIPE and leave its child behind,
        # which waits to be told of its user namespace for ever.
        their_status = descriptors.own(os.open(f"/proc/self/fd/{writing}", os.O_RDWR | os.O_CLOEXEC))
        waiting, self.go = descriptors.pipe()
        # Open for writing too: bubblewrap takes the end of this pipe as its signal to let the command go. Were we gone
        # there would be an end; with its own hold on the pipe there is none, and the command never starts.
        their_go = descriptors.own(os.open(f"/proc/self/fd/{waiting}", os.O_RDWR | os.O_CLOEXEC))
        self._in_namespace = spec.outer is not None
        #: What is said while the mounts are made; not by bubblewrap, and not by the command.
        self.aside: int | None = None
        self._ready: int | None = None
        self.stdin: int | None = None
        if spec.stdin:
            their_in, self.stdin = descriptors.pipe()
            os.set_blocking(self.stdin, False)
        else:
            their_in = descriptors.own(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
        given = {0: their_in, 1: their_out, 2: their_err}
        if spec.sandboxed:
            words = b"".join(os.fsencode(word) + b"\0" for word in bwrap_words(spec, os.getpid()))
            given |= {ARGS: descriptors.data(words), STATUS: their_status, BLOCK: their_go}
            if spec.seccomp:
                given[SECCOMP] = descriptors.data(native_filter(listed=spec.listed))
            for at, content in enumerate(spec.setting.files().values()):
                given[FIRST_FILE + at] = descriptors.data(content)
            if spec.outer is not None:
                given |= {TABLE: descriptors.data(spec.outer.table()), LIFELINE: descriptors.lifeline()}
                given[READY], self._ready = descriptors.pipe()
                given[ERRORS] = their_err
                self.aside, given[2] = descriptors.pipe()
            argv = [*spec.outer_words, spec.bwrap, "--args", str(ARGS), "--", *spec.argv]
            self.pid = spawn(argv, _ENVIRONMENT, given)
            if spec.outer is not None:
                _dies_with_us(self.pid, given[LIFELINE])
        else:
            self.pid = spawn([_ENV_PROGRAM, "-C", spec.workspace, "--", *spec.argv], spec.environment, given)
        for theirs in (*given.values(), writing, their_status, waiting, their_go):
            descriptors.close(theirs)

    def heard(self) -> None:
        """Something was said aside: the shell that makes the mounts is there, and is told that it may."""
        if self._ready is None:
            return
        try:
            os.write(self._ready, b"\n")
        except BrokenPipeError:  # it was no shell but a complaint
            pass
        self._ready = None

    def first_inside(self, told: int) -> int:
        """The first process inside, as the host numbers it; bubblewrap has told its own number for it, which is another
        where bubblewrap itself is in a process namespace. ProcessLookupError when it is gone."""
        if not self._in_namespace:
            return told
        try:
            (bwrap,) = _children(self.pid)
            (first,) = _children(bwrap)
        except (FileNotFoundError, ValueError):
            raise ProcessLookupError from None
        return first


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
        return [int(word) for word in file.read().split()]


def _dies_with_us(pid: int, lifeline: int) -> None:
    """Has the kernel kill `pid`, which holds the lifeline, when nobody holds its other end any more. What runs inside
    dies with it, by --kill-child and --die-with-parent."""
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, pid)
    fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC)


#: Our ends. A fork of ours must not hold them open when we are gone.
_lifelines: set[int] = set()


def _let_go_of_lifelines() -> None:
    while _lifelines:
        os.close(_lifelines.pop())


os.register_at_fork(after_in_child=_let_go_of_lifelines)

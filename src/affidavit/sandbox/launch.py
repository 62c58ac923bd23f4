"""The processes and pipes of one run: what is opened, what is handed over, and that all of it is closed again."""

from __future__ import annotations

import os

from .seccomp import native_filter
from .spawn import spawn
from .spec import ARGS, BLOCK, FIRST_FILE, SECCOMP, STATUS, TABLE, bwrap_words

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
        while self._open:
            os.close(self._open.pop())

    def own(self, descriptor: int) -> int:
        self._open.add(descriptor)
        return descriptor

    def pipe(self) -> tuple[int, int]:
        reading, writing = os.pipe()
        return self.own(reading), self.own(writing)

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

    __slots__ = ("err", "go", "out", "pid", "status", "stdin")

    def __init__(self, spec: SandboxSpec, descriptors: Descriptors) -> None:
        self.out, their_out = descriptors.pipe()
        self.err, their_err = descriptors.pipe()
        self.status, their_status = descriptors.pipe()
        their_go, self.go = descriptors.pipe()
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
                given[TABLE] = descriptors.data(spec.outer.table())
            argv = [*spec.outer_words, spec.bwrap, "--args", str(ARGS), "--", *spec.argv]
            self.pid = spawn(argv, _ENVIRONMENT, given)
        else:
            self.pid = spawn([_ENV_PROGRAM, "-C", spec.workspace, "--", *spec.argv], spec.environment, given)
        for theirs in (*given.values(), their_status, their_go):
            descriptors.close(theirs)

"""Standard output and standard error of all commands of a run, in order, as they are committed: without secrets, whose
replacement happens before anything is hashed, stored or shown."""

from __future__ import annotations

import os

from ..canon.profiles import RAW, raw_hasher
from ..store import durable
from .changes import digest_of
from .secrets import Replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self

    from ..canon.profiles import Hasher
    from ..sandbox.observation import Observation, StreamName
    from .secrets import Secrets

    Show = Callable[[StreamName, bytes], None]

NAMES: tuple[StreamName, StreamName] = ("stdout", "stderr")
#: Of standard error, what is kept in memory to tell a person what it was about.
_TAIL = 4096
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Streams:
    """The two files, in the run's own directory from the first byte on: what a run said before it was cut short is
    there."""

    __slots__ = ("_files", "_nowhere", "_parts", "_secrets", "_show", "tail")

    def __init__(self, directory: str, secrets: Secrets, show: Show | None) -> None:
        self._secrets = secrets
        self._show = show
        self._parts: dict[StreamName, _Part] = {}
        self._files: dict[StreamName, int] = {}
        self._nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        self.tail = b""
        top = durable.open_directory(directory)
        try:
            for name in NAMES:
                with durable.writing(name):
                    self._files[name] = os.open(name, _NEW, durable.FILE_MODE, dir_fd=top)
        finally:
            os.close(top)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in (*self._files.values(), self._nowhere):
            os.close(descriptor)

    def begin(self) -> tuple[int, int, Show]:
        """Where the sandbox writes the two streams of the next command, and what it tells of each piece."""
        self.tail = b""
        if not self._secrets:
            return self._files["stdout"], self._files["stderr"], self._seen
        self._parts = {name: _Part(self._secrets) for name in NAMES}
        return self._nowhere, self._nowhere, self._replace

    def end(self, observation: Observation) -> tuple[str, str]:
        """The digests of what was kept of the command's streams."""
        if not self._secrets:
            return observation.stdout.digest.content_hash, observation.stderr.digest.content_hash
        for name in NAMES:
            self._keep(name, self._parts[name].stream.end())
        out, err = (RAW.digest_hex(self._parts[name].hasher.hexdigest()).content_hash for name in NAMES)
        return out, err

    def digests(self) -> tuple[str, str]:
        """Of all that was kept, as it stands in the files."""
        for descriptor in self._files.values():
            os.lseek(descriptor, 0, os.SEEK_SET)
        return digest_of(self._files["stdout"]), digest_of(self._files["stderr"])

    def _replace(self, name: StreamName, piece: bytes) -> None:
        self._keep(name, self._parts[name].stream.feed(piece))

    def _keep(self, name: StreamName, piece: bytes) -> None:
        if piece:
            self._parts[name].hasher.update(piece)
            with durable.writing(name):
                durable.write_all(self._files[name], piece)
            self._seen(name, piece)

    def _seen(self, name: StreamName, piece: bytes) -> None:
        if name == "stderr":
            self.tail = (self.tail + piece)[-_TAIL:]
        if self._show is not None:
            self._show(name, piece)


class _Part:
    """One stream of one command, when there are secrets to replace."""

    __slots__ = ("hasher", "stream")

    def __init__(self, secrets: Secrets) -> None:
        self.stream = Replacing(secrets)
        self.hasher: Hasher = raw_hasher()

"""What bubblewrap tells of itself while it runs: JSON documents, one a line, that arrive in pieces."""

from __future__ import annotations

from ..canon.reader import read

_MOST_BYTES = 65536


class Status:
    """Fed with what `--json-status-fd` gives. Only what was told in a whole line is known."""

    __slots__ = ("_rest", "child", "exit_code")

    def __init__(self) -> None:
        #: The first process inside, as the host numbers it. It waits at --block-fd.
        self.child: int | None = None
        #: Told only when the command was executed: its own, or 128+n for signal n.
        self.exit_code: int | None = None
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        assert len(self._rest) < _MOST_BYTES  # bubblewrap's documents have a hundred bytes
        for line in lines:
            told = read(line)
            assert type(told) is dict
            child, code = told.get("child-pid"), told.get("exit-code")
            self.child = child if type(child) is int else self.child
            self.exit_code = code if type(code) is int else self.exit_code

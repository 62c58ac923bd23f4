"""Acts out a scenario under strace: which of its system calls change the filesystem, and what is left when one of them
kills the process or fails."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.crash.scenarios import SCENARIOS
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

#: Calls that change what is on the disk, or make it last. Of `openat` only those count that make a file.
CHANGING = (
    "openat", "mkdir", "mkdirat", "write", "pwrite64", "fsync", "ftruncate", "rename", "renameat", "renameat2",
    "unlink", "unlinkat", "rmdir", "link", "linkat",
)  # fmt: skip
#: What may go wrong with each of them, in turn.
ERRORS = {
    "openat": ("EMFILE", "ENOSPC", "EROFS", "EIO"),
    "mkdir": ("ENOSPC", "EROFS"),
    "mkdirat": ("ENOSPC", "EROFS"),
    "write": ("ENOSPC", "EIO"),
    "pwrite64": ("ENOSPC", "EIO"),
    "fsync": ("EIO", "ENOSPC"),
    "ftruncate": ("EIO",),
    "rename": ("EIO", "EROFS"),
    "renameat": ("EIO", "EROFS", "ENOSPC"),
    "renameat2": ("EIO", "EROFS", "ENOSPC"),
    "unlink": ("EROFS",),
    "unlinkat": ("EROFS", "EIO"),
    "rmdir": ("EROFS",),
    "link": ("EIO",),
    "linkat": ("EIO",),
}
_CALL = re.compile(r"^(\d+) +([a-z0-9]+)\((.*)", re.MULTILINE)

#: Every how manyth call is struck: all of them in `make crash`.
EVERY = int(os.environ.get("CRASH_EVERY", "6"))


class Cut:
    """One scenario, and the warm process that acts it out."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.scenario = SCENARIOS[name]
        self.base = str(path / "base")
        self.place = str(path / "place")
        self.log = str(path / "log")
        os.mkdir(self.base)
        self.scenario.prepare(self.base)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.warm"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            text=True,
            bufsize=1,
        )
        assert self._answer() == "warm"

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)

    def calls(self) -> list[tuple[str, int]]:
        """Every call that changes something, as its name and its number among those of its name and its thread:
        so strace counts them."""
        assert self.act("trace=" + ",".join(CHANGING)) == 0
        with open(self.log, encoding="utf-8", errors="replace") as file:
            found = _CALL.findall(file.read())
        counted: dict[tuple[str, str], int] = {}
        calls: list[tuple[str, int]] = []
        for thread, name, arguments in found:
            number = counted[thread, name] = counted.get((thread, name), 0) + 1
            if name != "openat" or "O_CREAT" in arguments:
                calls.append((name, number))
        # how the threads share the syncs is chance: what only some of them came to may not come again
        return [call for call in dict.fromkeys(calls) if call[0] != "fsync" or call[1] <= _always_reached(counted)]

    def act(self, *expressions: str) -> int:
        """Acts it out in a fresh folder; how the process ended."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.base, self.place, symlinks=True)
        assert self.process.stdin is not None
        self.process.stdin.write(f"{self.name} {self.place}\n")
        pid = self._answer()
        options = [part for expression in expressions for part in ("-e", expression)]
        tracer = subprocess.Popen(
            ["strace", "-f", "-p", pid, "-o", self.log, *options], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        assert tracer.stderr is not None
        told = tracer.stderr.readline()
        assert b"attached" in told, told
        self.process.stdin.write("attached\n")
        ended = int(self._answer())
        tracer.wait(60)
        tracer.stderr.close()
        return ended

    def struck(self, call: tuple[str, int], blow: str) -> int:
        """Acts it out with one call struck: by `signal=KILL`, `error=ENOSPC`."""
        name, number = call
        ended = self.act(f"trace={name}", f"inject={name}:{blow}:when={number}")
        with open(self.log, encoding="utf-8", errors="replace") as file:
            log = file.read()
        assert "INJECTED" in log or "killed by SIGKILL" in log, f"{call} was not reached"
        return ended

    def _answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the warm process has ended"
        return line.strip()


def _always_reached(counted: dict[tuple[str, str], int]) -> int:
    """How many syncs the first thread makes at least: those that it makes alone."""
    own = [count for (_, name), count in counted.items() if name == "fsync"]
    return max(own) - min(2, max(own) - 1) if len(own) > 1 else max(own, default=0)

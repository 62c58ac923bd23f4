"""The command under strace: which system calls of its change something, and what becomes of it when one of them fails,
or when the process is killed as it makes one."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

from tests.support.cli import COMMAND, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: What changes a filesystem, apart from opening a file that is made (what is then written to it is in here).
CHANGING = ("mkdirat", "write", "fsync", "fchmod", "renameat", "renameat2", "unlinkat", "linkat")
_CALL = re.compile(r"^([a-z0-9]+)\(", re.MULTILINE)


def changes(log: Path, *words: str, cwd: Path, calls: tuple[str, ...] = CHANGING) -> Iterator[tuple[str, int]]:
    """Runs the command; every call of its process (not of those it starts) that changes something, as its name and its
    number among those of its name."""
    counted = dict.fromkeys(calls, 0)
    _run(log, ["-e", f"trace={','.join(calls)}"], words, cwd)
    for name in _CALL.findall(log.read_text()):
        counted[name] += 1
        yield name, counted[name]


def struck(log: Path, blow: str, call: tuple[str, int], *words: str, cwd: Path, is_certain: bool = True) -> int:
    """Runs the command, of which one call is struck: by `signal=KILL`, `error=ENOSPC`. How it ended. How often a
    process is waited for is not the same each time: such a call is not certain to be reached. Nor is a sync: how many
    of them the first thread makes, and how many the others, is chance."""
    name, number = call
    done = _run(log, ["-e", f"trace={name}", "-e", f"inject={name}:{blow}:when={number}"], words, cwd)
    told = log.read_text()
    assert not is_certain or name == "fsync" or "INJECTED" in told or "SIG" in told, f"{call} was not reached"
    return done


def _run(log: Path, options: list[str], words: tuple[str, ...], cwd: Path) -> int:
    done = subprocess.run(
        ["strace", "-o", log, *options, *COMMAND, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),
        cwd=cwd,
        timeout=120,
        check=False,
    )
    return done.returncode

"""Runs the command as its users do: as a process, with an environment that says nothing unless a test says so."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.terminal import run_on_terminal

COMMAND = (sys.executable, "-m", "affidavit")


class Ran:
    """How a command ended."""

    def __init__(self, status: int, out: bytes, err: bytes) -> None:
        self.status = status
        self.out = out
        self.err = err

    def __repr__(self) -> str:
        return f"Ran(status={self.status}, out={self.out!r}, err={self.err!r})"


def environment(**more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8", **more}


def affidavit(
    *words: str | bytes,
    stdin: bytes = b"",
    env: dict[str, str] | None = None,
    cwd: str | None = None,
    timeout: float = 60,
) -> Ran:
    """The command with its output going into pipes."""
    done = subprocess.run(
        [*COMMAND, *words],
        input=stdin,
        capture_output=True,
        env=environment() if env is None else env,
        cwd=cwd,
        timeout=timeout,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def on_terminal(
    *words: str | bytes, env: dict[str, str] | None = None, cwd: str | None = None, timeout: float = 60
) -> Ran:
    """The command with a terminal as its standard output and standard error; what it shows there is `out`."""
    environ = environment(TERM="xterm") if env is None else env
    status, shown = run_on_terminal([*COMMAND, *words], env=environ, cwd=cwd, timeout=timeout)
    return Ran(status, shown, b"")

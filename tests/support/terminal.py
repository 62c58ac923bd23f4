"""A program with a terminal as its standard output and standard error."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def run_on_terminal(
    argv: Sequence[str | bytes],
    *,
    env: dict[str, str],
    cwd: str | None = None,
    timeout: float = 60,
    pass_fds: Sequence[int] = (),
) -> tuple[int, bytes]:
    """How it ended and what it showed, with line ends as programs write them."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env, cwd=cwd, pass_fds=pass_fds
    )
    os.close(theirs)
    shown: list[bytes] = []
    deadline = time.monotonic() + timeout
    try:
        while time.monotonic() < deadline:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    piece = os.read(ours, 65536)
                except OSError:  # EIO: the other end was closed by the last process that held it
                    break
                if not piece:
                    break
                shown.append(piece)
        status = process.wait(max(0.1, deadline - time.monotonic()))
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return status, b"".join(shown).replace(b"\r\n", b"\n")

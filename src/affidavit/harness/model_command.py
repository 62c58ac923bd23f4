"""`command:ARGV`: a program of the caller's own, which reads the prompt and writes the answer. It runs as the caller
runs it, outside of any sandbox: it is what the caller trusts to reach a model."""

from __future__ import annotations

import os
import select
import signal
import time

from ..contracts.model_io import MOST_RESPONSE_BYTES
from ..errors import UsageError
from ..shown import plain
from .model import Answer, no_answer

_CHUNK = 65_536
_MOST_SAID = 300


class CommandAdapter:
    """One program, started anew for each prompt."""

    adapter_id = "command"

    def __init__(self, words: str, timeout: float) -> None:
        import shlex

        try:
            self._argv = shlex.split(words)
        except ValueError as error:
            raise UsageError("USAGE", f"--model-adapter command: {error}") from None
        if not self._argv:
            raise UsageError("USAGE", "--model-adapter command: expected a program, found nothing")
        self._timeout = timeout
        #: The program's name: where it lies says something about this host, its arguments may say more.
        self.model_id = plain(os.path.basename(self._argv[0])) or "command"

    def ask(self, prompt: str) -> Answer:
        import subprocess
        import tempfile

        # files, not pipes, where we do not listen: nobody waits for anybody
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
            asked.write(prompt.encode())
            asked.seek(0)
            try:
                process = subprocess.Popen(  # noqa: S603 -- the caller's own words
                    self._argv, stdin=asked, stdout=subprocess.PIPE, stderr=said, start_new_session=True
                )
            except OSError as error:
                raise no_answer(self.model_id, error.strerror or str(error)) from None
            try:
                assert process.stdout is not None  # it is a pipe
                text = self._read(process.stdout.fileno())
                status = process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                raise no_answer(self.model_id, "it did not end after its answer") from None
            finally:
                _end(process.pid)
                process.wait()
                if process.stdout is not None:
                    process.stdout.close()
            if status != 0:
                said.seek(0)
                why = said.read(_MOST_SAID).decode(errors="replace").strip().split("\n", 1)[0]
                raise no_answer(self.model_id, f"it ended with status {status}{': ' + plain(why) if why else ''}")
        try:
            return Answer(text.decode())
        except UnicodeDecodeError:
            raise no_answer(self.model_id, "expected text in UTF-8, found other bytes") from None

    def _read(self, pipe: int) -> bytes:
        deadline = time.monotonic() + self._timeout
        pieces: list[bytes] = []
        size = 0
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise no_answer(self.model_id, f"nothing within {self._timeout:g} seconds")
            piece = os.read(pipe, _CHUNK)
            if not piece:
                return b"".join(pieces)
            size += len(piece)
            if size > MOST_RESPONSE_BYTES:
                raise no_answer(self.model_id, f"expected at most {MOST_RESPONSE_BYTES} bytes, found more (MI11)")
            pieces.append(piece)


def _end(session: int) -> None:
    """Whatever the program left running goes with it."""
    try:
        os.killpg(session, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass

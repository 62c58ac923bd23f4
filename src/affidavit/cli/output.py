"""Where a verb's words go: canonical JSON for a program, readable lines for a person.

Bytes are written, never text: the locale decides nothing. What others wrote is shown with hidden characters escaped
before it gets here (shown.py), so no file name or document can command the terminal.
"""

from __future__ import annotations

import os
import sys

from ..canon.jcs import canonical
from .stdout import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TextIO

    from ..errors import AffidavitError

_STYLES = {"good": "32", "bad": "31", "rule": "1", "quiet": "2", "head": "1"}


class Output:
    """Standard output and standard error of one command."""

    def __init__(
        self,
        *,
        json: bool = False,
        text: bool = False,
        color: str = "auto",
        quiet: bool = False,
        verbose: bool = False,
    ) -> None:
        self.quiet = quiet
        self.verbose = verbose
        #: A program asked for JSON, in words.
        self.json = json
        #: A program is reading standard output.
        self.for_program = json or not (text or _is_terminal(sys.stdout))
        #: A person is reading standard error.
        self.person_reads_errors = text or _is_terminal(sys.stderr)
        self._color = color

    def result(self, body: dict[str, Any]) -> None:
        """One canonical JSON object and the line end."""
        self.raw(canonical(escaped(body)) + b"\n")

    def raw(self, data: bytes) -> None:
        """Bytes to standard output, as they are."""
        write(data)

    def lines(self, lines: Iterable[tuple[str, str]]) -> None:
        """Readable (style, text) pairs to standard output."""
        paint = self._paints(sys.stdout)
        self.raw(b"".join(_line(style, text, paint) for style, text in lines))

    def say(self, text: str, style: str = "") -> None:
        """One readable line to standard error, unless --quiet."""
        if not self.quiet:
            self.always_say(text, style)

    def always_say(self, text: str, style: str = "") -> None:
        """One readable line to standard error."""
        _to_stderr(_line(style, text, self._paints(sys.stderr)))

    def error(self, error: AffidavitError) -> None:
        """The one error shape: prose for a person, one JSON line for a program."""
        if self.person_reads_errors:
            self.always_say(f"affidavit: {error.message}", "bad")
        else:
            _to_stderr(canonical(escaped(error.facts())) + b"\n")

    def _paints(self, stream: TextIO) -> bool:
        if self._color != "auto":
            return self._color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if os.environ.get("FORCE_COLOR"):
            return True
        return _is_terminal(stream) and os.environ.get("TERM") != "dumb"


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _line(style: str, text: str, paint: bool) -> bytes:
    if paint and style:
        text = f"\x1b[{_STYLES[style]}m{text}\x1b[0m"
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _to_stderr(line: bytes) -> None:
    """Standard error may be closed or full: what is said there must never change how the command ends."""
    try:
        if sys.stderr is not None:
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
    except OSError:
        pass


def escaped(value: Any) -> Any:
    """The same with lone surrogates, as Python has them for file names that are not UTF-8, as backslash escapes."""
    kind = type(value)
    if kind is str:
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if kind is dict:
        return {escaped(key): escaped(member) for key, member in value.items()}
    if kind is list:
        return [escaped(item) for item in value]
    return value

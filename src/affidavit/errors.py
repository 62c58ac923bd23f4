"""What we raise when we could not do the job.

A finding (the document is wrong) and a refusal (policy says no) are values and live elsewhere; only an error is an
exception. Every error has a stable code and says what was expected, what was found and where. `kind` chooses the exit
status: each verb has a table from kind to number (cli/args.py, Verb.exits), so no error knows about exit statuses.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["io", "parse", "usage", "refused", "internal"]
    Fact = str | int | list[str]


class AffidavitError(Exception):
    """Base of all errors of this package; never raised itself."""

    kind: Kind = "internal"

    def __init__(self, code: str, message: str, **details: Fact) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details

    def facts(self) -> dict[str, object]:
        """The error as data: the one shape in which it is written for a machine."""
        body: dict[str, object] = {"code": self.code, "message": self.message}
        if self.details:
            body["details"] = dict(self.details)
        return body


class ParseError(AffidavitError):
    """Bytes that are not the strict JSON we read (contracts 1). Offsets count bytes, lines and columns from 1."""

    kind: Kind = "parse"

    def __init__(
        self, code: str, message: str, *, offset: int, line: int, column: int, expected: str, found: str
    ) -> None:
        super().__init__(code, message, offset=offset, line=line, column=column, expected=expected, found=found)
        self.offset = offset
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found


class UnsupportedValue(AffidavitError):
    """A Python value that JSON cannot carry exactly; `place` is a JSON Pointer."""

    kind: Kind = "usage"

    def __init__(self, code: str, message: str, *, place: str, expected: str, found: str) -> None:
        super().__init__(code, message, place=place, expected=expected, found=found)
        self.place = place
        self.expected = expected
        self.found = found


class ReadFailed(AffidavitError):
    """A file that could not be opened or read."""

    kind: Kind = "io"


class WriteFailed(AffidavitError):
    """What could not be written where it belongs."""

    kind: Kind = "io"


class UsageError(AffidavitError):
    """A command line or a call that does not make sense."""

    kind: Kind = "usage"

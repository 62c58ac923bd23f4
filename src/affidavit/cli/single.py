"""What every verifier of one document shares: its command line, its exit statuses, its answer."""

from __future__ import annotations

from ..canon.reader import MAX_BYTES, read
from .args import Argument, Option, Verb
from .input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from ..rules.model import Report
    from ..values import Level
    from .args import Args
    from .output import Output

    class Verify(Protocol):
        def __call__(self, value: object, /, *, level: Level) -> Report: ...


INVALID = 3

ANSWER = (
    "`ok`, the facts of a valid document (its hash, where it has one) or else `violations` [`rule_id`, `path`, "
    "`message`], and `not_checked` [`rule_id`, `reason`] where something was not; or `error` (`code`, `message`)."
)
LEVEL = Option(
    "--level",
    "how strictly: compat takes what older writers wrote, strict also re-derives",
    value="LEVEL",
    choices=("spec", "compat", "strict"),
    default="spec",
)
SARIF = Option("--sarif", "write the findings to FILE as well, in SARIF 2.1.0, for code-review tools", value="FILE")
MAX_BYTES_OPTION = Option("--max-bytes", "read documents of more than the usual bound", value="N")

STATUSES = ((0, "valid"), (1, "the input cannot be read, or wrong usage"), (2, "not JSON"), (3, "findings"))
EXITS = {"io": 1, "usage": 1, "refused": 1, "internal": 1, "parse": 2}


def single_document_verb(
    name: str, what: str, file: str, rules: str, *, options: tuple[Option, ...] = (MAX_BYTES_OPTION,)
) -> Verb:
    return Verb(
        name,
        f"Verifies a {what} ({rules}). Writes one canonical JSON object when no person is looking.",
        options=(LEVEL, SARIF, *options),
        arguments=(Argument("FILE", "the document; - reads standard input"),),
        examples=(
            (f"affidavit {name} {file}", "verify a file"),
            (f"cat {file} | affidavit {name} -", "verify standard input"),
            (f"affidavit {name} --json {file}", "the answer as JSON, also on a terminal"),
        ),
        statuses=STATUSES,
        exits=EXITS,
        answer=ANSWER,
        is_verifier=True,
    )


def level_of(args: Args) -> Level:
    level: Level = args.text("--level")  # type: ignore[assignment]  # one of its choices
    return level


def max_bytes_of(args: Args, usual: int = MAX_BYTES) -> int:
    """--max-bytes, or the bound that the document has."""
    told = args.text("--max-bytes")
    if told is None:
        return usual
    if not (told.isascii() and told.isdigit() and len(told) < 16):
        from ..errors import UsageError
        from ..shown import plain

        raise UsageError("USAGE", f"--max-bytes: expected a number of bytes, found {plain(told)!r}")
    return int(told)


def verify_single(args: Args, out: Output, verify: Verify, max_bytes: int = MAX_BYTES) -> int:
    path = args.argument("FILE") or "-"
    max_bytes = max_bytes_of(args, max_bytes)
    value = read(read_input(path, max_bytes=max_bytes), max_bytes=max_bytes)
    return answer(args, out, verify(value, level=level_of(args)), name=path, invalid=INVALID)


def answer(
    args: Args, out: Output, report: Report, *, name: str, invalid: int, place: dict[str, str] | None = None
) -> int:
    """Says what came of a verification and returns the exit status; `place` is what the answer for a program holds
    besides."""
    show(out, report, name=name, place=place)
    sarif = args.text("--sarif")
    if sarif is not None:
        from .sarif import write_sarif

        write_sarif(sarif, [(name, report)])
    return 0 if report.ok else invalid


def show(out: Output, report: Report, *, name: str, place: dict[str, str] | None = None) -> None:
    """One report, for whoever is looking."""
    if out.for_program:
        from ..rules.report import as_json

        out.result(as_json(report) | (place or {}))
    elif not (out.quiet and report.ok):
        from ..rules.report import as_lines

        out.lines(as_lines(report, name=name, verbose=out.verbose))

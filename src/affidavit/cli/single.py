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

LEVEL = Option(
    "--level",
    "how strictly: compat takes what older writers wrote, strict also re-derives",
    value="LEVEL",
    choices=("spec", "compat", "strict"),
    default="spec",
)


def single_document_verb(name: str, what: str, file: str, rules: str, *, options: tuple[Option, ...] = ()) -> Verb:
    return Verb(
        name,
        f"Verifies a {what} ({rules}). Writes one canonical JSON object when no person is looking.",
        options=(LEVEL, *options),
        arguments=(Argument("FILE", "the document; - reads standard input"),),
        examples=(
            (f"affidavit {name} {file}", "verify a file"),
            (f"cat {file} | affidavit {name} -", "verify standard input"),
            (f"affidavit {name} --json {file}", "the answer as JSON, also on a terminal"),
        ),
        statuses=((0, "valid"), (1, "the input cannot be read, or wrong usage"), (2, "not JSON"), (3, "findings")),
        exits={"io": 1, "usage": 1, "refused": 1, "internal": 1, "parse": 2},
        is_verifier=True,
    )


def verify_single(args: Args, out: Output, verify: Verify, max_bytes: int = MAX_BYTES) -> int:
    path = args.argument("FILE") or "-"
    value = read(read_input(path, max_bytes=max_bytes), max_bytes=max_bytes)
    level: Level = args.text("--level")  # type: ignore[assignment]  # one of its choices
    report = verify(value, level=level)
    answer(args, out, report, name=path)
    return 0 if report.ok else INVALID


def answer(_args: Args, out: Output, report: Report, *, name: str, place: dict[str, str] | None = None) -> None:
    """Says what came of a verification; `place` is what the answer for a program holds besides."""
    if out.for_program:
        from ..rules.report import as_json

        out.result(as_json(report) | (place or {}))
    elif not (out.quiet and report.ok):
        from ..rules.report import as_lines

        out.lines(as_lines(report, name=name, verbose=out.verbose))

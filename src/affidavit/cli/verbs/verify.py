"""`affidavit verify PATH...` (contracts 5)."""

from __future__ import annotations

from ...errors import AffidavitError, WriteFailed
from ...shown import plain
from ..args import Argument, Option, Verb
from ..progress import Progress
from ..recognise import verified
from ..single import LEVEL, MAX_BYTES_OPTION, SARIF, level_of, max_bytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...rules.model import Report
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "verify",
    "Recognises what stands at each path and verifies it: a document of any kind, a pack as a directory or a zip "
    "archive, a run directory, an out folder (of which the run that LATEST names). Writes one canonical JSON object "
    "for each, one on a line, when no person is looking.",
    options=(
        LEVEL,
        Option("--all", "of an out folder every run and the ledger, not the latest run alone"),
        SARIF,
        MAX_BYTES_OPTION,
    ),
    arguments=(Argument("PATH", "a file or a directory; - reads one document from standard input", many=True),),
    examples=(
        ("affidavit verify pack", "verify a pack, and every document in it"),
        ("affidavit verify run.json bundle.json pack.zip", "one answer for each"),
        ("affidavit verify --all .affidavit", "every run of an out folder, and its ledger"),
        ("affidavit verify --sarif findings.sarif pack", "also for a code-review tool"),
    ),
    statuses=((0, "all are valid"), (1, "findings"), (2, "something cannot be read or parsed"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 1, "internal": 2},
    answer=(
        "one object a path: `path`, `document`, `ok`, the facts of a valid document or else `violations` "
        "[`rule_id`, `path`, `message`], and `not_checked` [`rule_id`, `reason`] where something was not; or "
        "`error` (`code`, `message`)."
    ),
    is_verifier=True,
)

_FINDINGS, _UNREADABLE = 1, 2


def run(args: Args, out: Output) -> int:
    status = 0
    outcomes: list[tuple[str, Report | AffidavitError]] = []
    level, every, max_bytes = level_of(args), args.has("--all"), max_bytes_of(args)
    progress = Progress("verifying", quiet=out.quiet)
    for path in args.arguments("PATH"):
        try:
            for name, report in verified(path, level, every=every, max_bytes=max_bytes, progress=progress):
                progress.clear()
                _tell(out, name, report)
                outcomes.append((name, report))
                status = max(status, 0 if report.ok else _FINDINGS)
        except WriteFailed:
            raise
        except AffidavitError as error:
            progress.clear()
            _tell_error(out, path, error)
            outcomes.append((path, error))
            status = max(status, _FINDINGS if error.kind == "refused" else _UNREADABLE)
    if len(outcomes) > 1 and not out.for_program and not out.quiet:
        valid = sum(not isinstance(outcome, AffidavitError) and outcome.ok for _, outcome in outcomes)
        out.lines([("head", f"{valid} of {len(outcomes)} valid")])
    if args.has("--sarif"):
        from ..sarif import write_sarif

        write_sarif(args.text("--sarif") or "", outcomes)
    return status


def _tell(out: Output, path: str, report: Report) -> None:
    if out.for_program:
        from ...rules.report import as_json

        out.result({"document": report.document, "path": path} | as_json(report))
    elif not (out.quiet and report.ok):
        from ...rules.report import as_lines

        out.lines(as_lines(report, name=path, verbose=out.verbose))


def _tell_error(out: Output, path: str, error: AffidavitError) -> None:
    if out.for_program:
        out.result({"path": path, "ok": False, "error": {"code": error.code, "message": error.message}})
    else:
        named = "" if error.message.startswith(plain(path)) else f"{plain(path)}: "
        out.always_say(f"{named}{error.message}", "bad")

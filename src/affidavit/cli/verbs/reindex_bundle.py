"""`affidavit reindex-bundle --strict|--repair PATH` (seed 003, section 4; contracts 4.7)."""

from __future__ import annotations

from ...errors import UsageError
from ...store.reindex import reindex_bundle
from ..args import Argument, Option, Verb
from ..locking import EXITS, LOCKING, STATUSES, locking
from ..progress import Progress
from ..single import LEVEL, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...rules.model import Report
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "reindex-bundle",
    "Holds a run against its index, or makes the index anew over the files that are there. A repair is marked for "
    "good: repair_log.json says what was changed, and such a run counts for a promotion only where that is asked for. "
    "It never makes a failed run good, and never forgets what is missing.",
    options=(
        Option("--strict", "compare, and change nothing (what happens without an option too)"),
        Option("--repair", "make the index fit the files, and log what did not"),
        LEVEL,
        *LOCKING,
    ),
    arguments=(Argument("PATH", "a run directory, or an out folder with LATEST"),),
    examples=(
        ("affidavit reindex-bundle --strict .affidavit", "is the latest run what its index says?"),
        ("affidavit reindex-bundle --repair .affidavit/hr_mk2h8w00_1f2e3d4c", "make its index anew"),
    ),
    statuses=STATUSES,
    exits=EXITS,
    answer=(
        "`path`, `ok`, the facts of a valid document or else `violations` [`rule_id`, `path`, `message`], and "
        "`not_checked` [`rule_id`, `reason`] where something was not; with `--repair` also what was `repaired`."
    ),
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    repair = args.has("--repair")
    if repair and args.has("--strict"):
        raise UsageError("USAGE", "--strict compares and --repair changes: give one of them")
    path = args.argument("PATH") or ""
    with Progress("reading", quiet=out.quiet) as progress:
        report = reindex_bundle(path, repair=repair, level=level_of(args), progress=progress, **locking(args))
    _tell(out, report, path)
    return 0 if report.ok else 1


def _tell(out: Output, report: Report, path: str) -> None:
    if out.for_program:
        from ...rules.report import as_json

        told = {"repaired": report.facts["repaired"]} if "repaired" in report.facts else {}
        out.result(as_json(report) | told | {"path": path})
    elif not (out.quiet and report.ok):
        from ...rules.report import as_lines

        out.lines(as_lines(report, name=path, verbose=out.verbose))

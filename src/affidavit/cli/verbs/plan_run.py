"""`affidavit plan run PLAN --out OUT` (seed 003; contracts 4)."""

from __future__ import annotations

from ...contracts.probing import CHANNELS
from ...errors import UsageError
from ...kernel.compare import tried_by
from ...kernel.tally import tally
from ...runtime.plans import read_plan
from ...runtime.run import run_plan
from ...shown import plain
from ..args import Argument, Option, Verb
from ..degraded import ALLOW_DEGRADED, degraded_of
from ..plans import REGISTRIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...runtime.run import PlanRun
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "plan run",
    "Tries each probe of a plan under each of its profiles, and once without, compares what was seen with what was "
    "expected, and commits all of it as one run.",
    options=(
        Option("--out", "the folder that runs are committed to", value="OUT", default="out"),
        Option(
            "--channel",
            "how the probing process is started",
            value="CHANNEL",
            choices=tuple(CHANNELS),
            default="direct",
        ),
        Option(
            "--lock-mode",
            "what to do while another holds the folder",
            value="MODE",
            choices=("fail", "wait"),
            default="fail",
        ),
        Option("--lock-timeout", "how long to wait at most, in seconds", value="SECONDS", default="30"),
        Option("--dry-run", "try nothing: commit what would be tried and expected"),
        ALLOW_DEGRADED,
        REGISTRIES,
    ),
    arguments=(Argument("PLAN", "the plan's file, or the name of a built-in plan (affidavit plan list)"),),
    examples=(
        ("affidavit plan run sandbox-conformance", "does this host enforce the built-in policies?"),
        ("affidavit plan run --dry-run plan.json", "what would be tried"),
        ("affidavit plan run --channel systemd_clean plan.json", "started by systemd, free of our own confinement"),
    ),
    statuses=(
        (0, "ran: ok, partial or dry"),
        (1, "the run failed"),
        (2, "not run: locked, refused, not sound, cannot be read"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 1},
    answer=("`run` (its directory), `run_id`, `summary` ([summary](../specs/summary.md))."),
)


def run(args: Args, out: Output) -> int:
    path = args.text("--registries")
    told = run_plan(
        read_plan(args.argument("PLAN") or ""),
        args.text("--out") or "",
        args.text("--channel") or "",
        args.text("--lock-mode"),  # type: ignore[arg-type]  # one of its choices
        args.has("--dry-run"),
        lock_timeout=_seconds(args.text("--lock-timeout") or ""),
        registries=path,
        allow_degraded=degraded_of(args),
        each=_Progress(out),
    )
    if out.for_program:
        out.result({"run": told.path, "run_id": told.run_id, "summary": told.summary})
    else:
        out.lines(_lines(told, quiet=out.quiet))
    return 0


def _seconds(text: str) -> float:
    if not text.isascii() or not text.isdigit() or len(text) > 6:
        raise UsageError("USAGE", f"--lock-timeout: expected a number of seconds, found {plain(text)!r}")
    return float(text)


class _Progress:
    """One line that a person watches; a program hears nothing."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._told = -1

    def __call__(self, lane: str, done: int, of: int) -> None:
        quarter = done * 4 // of
        if self._out.person_reads_errors and (done == of or quarter != self._told):
            self._told = -1 if done == of else quarter
            self._out.say(f"{lane}: {done} of {of}", "quiet")


def _lines(told: PlanRun, *, quiet: bool) -> list[tuple[str, str]]:
    summary, rows = told.summary, told.mismatches["mismatches"]
    found = f"{len(rows)} mismatch{'es' * (len(rows) != 1)}" if not summary["dry_run"] else "nothing was tried"
    tried = f"{tried_by(summary)}: {found}"
    style = "good" if summary["status"] == "ok" and not rows else "head"
    lines = [(style, f"{plain(summary['plan_id'])}: {summary['status']}, {tried}")]
    for row in rows if not quiet else ():
        actual = row["actual"] or "not seen"
        what = f"  {plain(row['expectation_id'])}: expected {row['expected']}, {actual} ({row['mismatch_type']})"
        lines.append(("bad", what))
    return [*lines, *_table(told), ("quiet", f"  {plain(told.path)}")]


def _table(told: PlanRun) -> list[tuple[str, str]]:
    """A row for each operation, a column for each profile."""
    if not told.results:
        return []
    heads = ("operation", *(plain(profile) for profile in told.results))
    counted = tally(told.results)
    rows = [(plain(operation), *(count.told() for count in counts)) for operation, counts in counted]
    widths = [max(len(row[column]) for row in (heads, *rows)) for column in range(len(heads))]

    def line(cells: tuple[str, ...]) -> str:
        return ("  " + "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))).rstrip()

    styles = ["bad" if any(count.wrong for count in counts) else "" for _, counts in counted]
    return [("head", line(heads)), *zip(styles, map(line, rows), strict=True)]

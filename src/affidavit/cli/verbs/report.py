"""`affidavit report PATH --html FILE`: a page for people."""

from __future__ import annotations

from ...errors import UsageError
from ...report.page import render
from ...report.reading import page_about
from ...shown import plain
from ...store.out import LATEST
from ..args import Argument, Option, Verb
from ..named_file import write_file
from ..named_run import FROM, find_run, out_of
from ..single import LEVEL, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...report.page import Section
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "report",
    "Writes one HTML page about a run, a pack, a sealed engine run or a plan run: outcome, timeline, policy asked and "
    "enforced, files with their digests, what was written, questions or reasons, and the result of verifying it. The "
    "page is one file, without scripts, and shows hostile content as text.",
    options=(
        Option("--html", "where to write the page; - is standard output", value="FILE"),
        Option("--against", "also show what differs from this run, pack or sealed run", value="PATH"),
        FROM,
        LEVEL,
    ),
    arguments=(
        Argument(
            "PATH",
            "a run as `show` takes it, a pack or a zip archive of one (without it the latest run)",
            optional=True,
        ),
    ),
    examples=(
        ("affidavit report --html run.html", "the latest run of .affidavit"),
        ("affidavit report pack.zip --html -", "a pack, to standard output"),
        ("affidavit report ours --against theirs --html difference.html", "and what differs between two"),
    ),
    statuses=(
        (0, "written, and what it shows verifies"),
        (1, "written, and what it shows does not verify"),
        (2, "nothing to show, or the page cannot be written"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer="`html` (the file), `ok` (whether what it shows verifies), `title`.",
)


def run(args: Args, out: Output) -> int:
    target = args.text("--html")
    if not target:
        raise UsageError("USAGE", "--html is missing: say where to write the page")
    place = find_run(args.argument("PATH") or LATEST, out_of(args))
    page = page_about(place, level_of(args))
    other = args.text("--against")
    if other is not None:
        page.sections.append(_difference(place, other, out))
    data = render(page)
    ok = page.standing is not None and page.standing.style == "good"
    if target == "-":
        out.raw(data)
    else:
        write_file(target, data)
        if out.for_program:
            out.result({"html": target, "ok": ok, "title": page.title})
        else:
            out.say(f"{plain(target)}: {page.kind.lower()} {plain(page.title)}, {len(data)} bytes")
    return 0 if ok else 1


def _difference(place: str, other: str, out: Output) -> Section:
    """Both are verified first: of what does not verify nobody knows what it differs from."""
    from ...kernel.diff import Comparison
    from ...report.against import differences_section
    from ..progress import Progress
    from ..sides import alike, side_of

    with Progress("verifying", quiet=out.quiet) as progress:
        left, right = alike(side_of(place, progress), side_of(other, progress))
    return differences_section(Comparison(left, right), left, right)

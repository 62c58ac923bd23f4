"""`affidavit pack-export [RUN] --out DIR [--zip FILE] [--with model-io,meta]`, also of a run that is made for it:
`--intent F` and `--changes` (seed 004; contracts 2.10)."""

from __future__ import annotations

from ...errors import UsageError
from ...packs.export import export_pack, require_places
from ...shown import plain
from ...store.refused import BundleRefused
from ..args import Args, Option, Verb
from ..named_run import FROM, RUN, out_of, run_of
from ..progress import Progress
from ..run_options import OPTIONS as RUN_OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ...harness.request import Request
    from ...harness.run import Finished
    from ...packs.changes import Changes
    from ...packs.export import Exported
    from ..output import Output

_MOST_SHOWN = 20
#: Of `affidavit run`, for --intent; --out is the pack's place here.
_OF_RUN = tuple(option for option in RUN_OPTIONS if option.name not in ("--out", "--keep", "--exit-code"))

VERB = Verb(
    "pack-export",
    "Writes the pack of a committed run: the documents that anyone needs to verify it, apply its patch and judge it, "
    "and nothing of this host. The run is verified first, and the pack at level strict; it appears whole or not at "
    "all. The same run always gives the same archive, byte for byte. With --changes, the text files that a command "
    "made, changed or removed become a patch, by a new run that declares them; binary files are listed as left out.",
    options=(
        Option("--out", "the directory to make", value="DIR"),
        Option("--zip", "the archive to make", value="FILE"),
        Option("--with", "also hand over: model-io, meta", value="WHAT[,WHAT]", many=True),
        FROM,
        Option("--changes", "of what the run's command changed: a patch to review and apply"),
        Option("--intent", "run this intent first, and export that run", value="FILE"),
        *_OF_RUN,
    ),
    arguments=(RUN,),
    examples=(
        ("affidavit pack-export --out pack", "the latest run, as a directory"),
        ("affidavit pack-export hr_mk2h8w00_1f2e3d4c --zip run.zip", "this run, as an archive"),
        ("affidavit pack-export --changes --out fix", "what the latest run's command changed, for git-apply"),
        ("affidavit pack-export --intent intent.json --mode execute-sandbox --out pack", "run and export in one step"),
    ),
    statuses=((0, "written"), (1, "nothing to export, refused"), (2, "error"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 1, "internal": 2},
    answer=("`run_id`, `members`, `directory`, `archive`, `archive_sha256`, `left_out`, `warnings`."),
)


class ChangesRefused(BundleRefused):
    """Changes that cannot be made in a new copy of the workspace."""

    def __init__(self, finished: Finished) -> None:
        reasons = "; ".join(finished.result["decision"]["reasons"])
        expected = "changes that can be made in the workspace that the run began with (--workspace)"
        super().__init__("export.changes_refused", finished.directory, expected, plain(reasons))


def run(args: Args, out: Output) -> int:
    directory, archive = args.text("--out"), args.text("--zip")
    wanted = [name for text in args.texts("--with") for name in text.split(",")]
    require_places(directory, archive, wanted)
    place, changes = _run_of(args, out)
    with Progress("verifying the run", quiet=out.quiet) as progress:
        exported = export_pack(
            place, directory=directory, archive=archive, wanted=wanted, changes=changes, progress=progress
        )
    _tell(out, exported)
    return 0


def _run_of(args: Args, out: Output) -> tuple[str, Changes | None]:
    """Where the run is that is exported; for --changes, with what it was made of."""
    runs, intent = out_of(args), args.text("--intent")
    if intent is not None:
        if args.argument(RUN.name) is not None or args.has("--changes"):
            raise UsageError("USAGE", "--intent makes the run that is exported: give it no RUN and no --changes")
        return _perform(_request(args, runs, intent), out).directory, None
    needless = [option.name for option in _OF_RUN if args.has(option.name) and option.default is None]
    if needless:
        raise UsageError("USAGE", f"{needless[0]} is for --intent")
    place = run_of(args)
    return _of_changes(args, out, place, runs) if args.has("--changes") else (place, None)


def _of_changes(args: Args, out: Output, place: str, runs: str) -> tuple[str, Changes]:
    from ...contracts.pack import POLICY
    from ...harness.intent import made_intent
    from ...harness.request import Request
    from ...packs.changes import changes_of
    from ...store.reader import load_bundle

    workspace = args.text("--workspace") or "."
    with Progress("verifying the run", quiet=out.quiet) as progress:
        bundle = load_bundle(place, progress=progress)
    changes = changes_of(bundle, workspace)
    policy: Any = bundle.document(POLICY)
    request = Request(made_intent(changes.intent), policy, mode="execute-sandbox", out=runs, workspace=workspace)
    finished = _perform(request, out)
    if not finished.accepted:
        raise ChangesRefused(finished)
    return finished.directory, changes


def _request(args: Args, runs: str, intent: str) -> Request:
    from ..run_options import request_of

    options = {option.name: args.texts(option.name) for option in _OF_RUN if args.has(option.name)}
    return request_of(Args({**options, "--out": [runs]}, {"INTENT": [intent]}))


def _perform(request: Request, out: Output) -> Finished:
    from ...harness.interrupt import Interrupt
    from ...harness.run import perform
    from ..live import Live

    with Interrupt() as interrupt:
        finished = perform(
            request, show=Live() if out.person_reads_errors and not out.quiet else None, interrupt=interrupt
        )
    decision = finished.result["decision"]
    verdict = "accepted" if decision["accepted"] else "rejected"
    out.say(f"run {finished.result['run_id']}: {verdict}: {plain('; '.join(decision['reasons']))}", "quiet")
    return finished


def _tell(out: Output, exported: Exported) -> None:
    if out.for_program:
        out.result(exported.as_json())
    else:
        out.lines(_lines(exported))
    for warning in exported.warnings:
        out.say(f"warning: {plain(warning)}", "quiet")


def _lines(exported: Exported) -> Iterator[tuple[str, str]]:
    yield "good", f"pack of run {plain(exported.run_id)}: {', '.join(exported.members)}"
    for place in (exported.directory, exported.archive):
        if place is not None:
            yield "", f"  {plain(place)}"
    if exported.archive_sha256 is not None:
        yield "quiet", f"  {exported.archive_sha256}"
    for operation in exported.operations[:_MOST_SHOWN]:
        yield "", f"  {operation['op']:<6}  {plain(operation['path'])}"
    if len(exported.operations) > _MOST_SHOWN:
        yield "quiet", f"  and {len(exported.operations) - _MOST_SHOWN} more"
    for file in exported.left_out:
        yield "rule", f"  left out: {plain(file['path'])}: {plain(file['reason'])}"
    if exported.operations:
        place = plain(exported.directory or exported.archive or "")
        yield "quiet", f"  to review: affidavit git-apply --pack {place} --repo . --diff"

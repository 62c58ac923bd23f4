"""`affidavit run INTENT` and `affidavit run -- COMMAND` (seed 000; contracts 2.2, 2.9)."""

from __future__ import annotations

from ...harness.run import perform
from ..args import Verb
from ..run_options import ARGUMENTS, OPTIONS, request_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...harness.run import Finished
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "run",
    "Decides what an intent comes to, carries it out in a sandbox, and commits the evidence. An intent is a file; or "
    "it is one command, given after --, which runs in a copy of the current directory. Writes the run result as "
    "canonical JSON when no person is looking.",
    options=OPTIONS,
    arguments=ARGUMENTS,
    examples=(
        ("affidavit run -- npm test", "run one command, and have evidence of it"),
        ("affidavit run --keep . -- make", "and bring what it made back"),
        ("affidavit run intent.json", "decide, and show what would be done"),
        ("affidavit run --mode execute-sandbox --policy strict intent.json", "carry it out under another profile"),
    ),
    statuses=(
        (0, "accepted"),
        (1, "rejected, also by Ctrl-C or a time limit"),
        (2, "error, wrong usage"),
        (3, "and others: the command's own, with --exit-code child"),
    ),
    exits={"io": 2, "parse": 2, "usage": 2, "refused": 2, "internal": 2},
    answer=("the run result ([run.json](../specs/run.md))."),
)


def run(args: Args, out: Output) -> int:
    request = request_of(args)
    shows = args.has("--show-output") or (out.person_reads_errors and not out.quiet)
    if request.mode == "plan-only":
        finished = perform(request)
    else:
        from ...harness.interrupt import Interrupt
        from ..live import Live

        with Interrupt() as interrupt:
            finished = perform(request, show=Live() if shows else None, interrupt=interrupt)
    if request.model_mode == "record":
        from ...harness.modelled import keep_recording

        keep_recording(finished.directory, args.text("--model-recording") or "")
    target = args.text("--keep")
    if target is not None:
        from ...harness.keep import keep_outputs

        keep_outputs(finished, target)
    _tell(finished, out)
    execution = finished.result["execution"]
    if args.text("--exit-code") == "child" and execution is not None:
        status: int = execution["exit_code"]
        return status
    return 0 if finished.accepted else 1


def _tell(finished: Finished, out: Output) -> None:
    if out.for_program:
        out.result(finished.result)
    if out.for_program and (out.quiet or not out.person_reads_errors):
        return
    from ..run_summary import summary

    lines = summary(finished)
    if not out.for_program:
        out.lines(lines)
    else:
        for style, text in lines:
            out.say(text, style)

"""`affidavit engine run DIR --input FILE` (contracts 3)."""

from __future__ import annotations

from ...errors import UsageError
from ..args import Option, Verb
from ..degraded import ALLOW_DEGRADED, degraded_of
from ..engine_input import ENGINE, EXITS, OPTIONS, STATUSES, given_of, tell
from ..input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "engine run",
    "Runs an engine and seals what came of it: strips the input's context, checks the input against the engine's "
    "contracts, runs the entrypoint in the sandbox (from the engine's folder, read-only, without network; RUN_INPUT on "
    "standard input, the output document on standard output), checks the output, adds the hashes and writes "
    "RUN_BUNDLE/<run_id>/, whole or not at all.",
    options=(
        *OPTIONS,
        Option("--verify-determinism", "run the engine twice, and seal nothing when the outputs differ"),
        ALLOW_DEGRADED,
    ),
    arguments=(ENGINE,),
    examples=(
        ("affidavit engine run my-engine --input in.json", "run and seal"),
        (
            "affidavit engine run fusion --input in.json --upstream RUN_BUNDLE/run-0001",
            "with the sealed result of another engine",
        ),
    ),
    statuses=STATUSES,
    exits=EXITS,
    answer=(
        "`ok`, `path`, `run_id`, `engine`, `inputs_hash`, `outputs_hash`, `files`, `warnings`; refused: `ok` "
        "false and `violations`."
    ),
)


def run(args: Args, out: Output) -> int:
    from ...engine.run import run_engine

    run_input = args.text("--input")
    if run_input is None:
        raise UsageError("USAGE", "engine run takes --input FILE")
    given, refusal = given_of(args)
    if refusal is not None:
        return tell(out, refusal)
    outcome = run_engine(
        args.argument("DIR") or "",
        read_input(run_input),
        out=args.text("--out") or "",
        given=given,
        separate_parameters=args.has("--separate-parameters"),
        verify_determinism=args.has("--verify-determinism"),
        degraded=degraded_of(args),
        progress=(lambda told: out.say(told, "quiet")) if out.person_reads_errors else (lambda _told: None),
    )
    return tell(out, outcome)

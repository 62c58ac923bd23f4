"""`affidavit engine seal DIR --input FILE --output FILE` (contracts 3)."""

from __future__ import annotations

from ...errors import UsageError
from ..args import Option, Verb
from ..engine_input import ENGINE, EXITS, OPTIONS, STATUSES, given_of, tell
from ..input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "engine seal",
    "Seals an output that was made elsewhere: strips the input's context, checks input and output against the engine's "
    "contracts, adds the hashes and writes RUN_BUNDLE/<run_id>/, whole or not at all. The record says that nothing was "
    "run here.",
    options=(Option("--output", "the output that the engine made, RUN_OUTPUT.json", value="FILE"), *OPTIONS),
    arguments=(ENGINE,),
    examples=(("affidavit engine seal my-engine --input in.json --output out.json", "seal what ran elsewhere"),),
    statuses=STATUSES,
    exits=EXITS,
    answer=(
        "`ok`, `path`, `run_id`, `engine`, `inputs_hash`, `outputs_hash`, `files`, `warnings`; refused: `ok` "
        "false and `violations`."
    ),
)


def run(args: Args, out: Output) -> int:
    from ...engine.sealing import seal_output

    run_input, run_output = args.text("--input"), args.text("--output")
    if run_input is None or run_output is None:
        raise UsageError("USAGE", "engine seal takes --input FILE and --output FILE")
    given, refusal = given_of(args)
    if refusal is not None:
        return tell(out, refusal)
    return tell(
        out,
        seal_output(
            args.argument("DIR") or "",
            read_input(run_input),
            read_input(run_output),
            out=args.text("--out") or "",
            given=given,
            separate_parameters=args.has("--separate-parameters"),
        ),
    )

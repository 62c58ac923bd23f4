"""`affidavit engine check DIR` (contracts 3)."""

from __future__ import annotations

from ..args import Argument, Verb
from ..single import LEVEL, answer, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "engine check",
    "Checks the contracts of the engine in a folder: all there, sound, consistent with each other, JSON Schema draft "
    "2020-12 that refers to nothing outside. Warns of a schema that refuses nothing. Runs nothing.",
    options=(LEVEL,),
    arguments=(Argument("DIR", "the engine's folder, which holds ENGINE_MANIFEST.json"),),
    examples=(("affidavit engine check my-engine", "before the first run, and after every change"),),
    statuses=((0, "the contracts hold"), (1, "findings"), (2, "the folder cannot be read"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 1, "internal": 2},
    answer=(
        "`ok`, the facts of a valid document or else `violations` [`rule_id`, `path`, `message`], and "
        "`not_checked` [`rule_id`, `reason`] where something was not; `warnings`."
    ),
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    from ...engine.check import check_engine

    path = args.argument("DIR") or ""
    report = check_engine(path, level=level_of(args))
    return answer(args, out, report, name=path, invalid=1)

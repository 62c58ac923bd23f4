"""`affidavit status [OUT]` (contracts 4.1)."""

from __future__ import annotations

from ...runtime.status import status
from ...shown import plain
from ..args import Argument, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "status",
    "Shows what evidence of plan runs can be made here: the world, which channels can be had, whether this process is "
    "already confined, and the runs of an out folder.",
    arguments=(Argument("OUT", "an out folder", optional=True),),
    examples=(("affidavit status out", "also what the folder holds"),),
    statuses=((0, "shown"), (2, "the folder cannot be read"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=("what evidence can be made here, with schema `runtime-tools.status.v0.1`."),
)


def run(args: Args, out: Output) -> int:
    told = status(args.argument("OUT"))
    if out.for_program:
        out.result(told)
        return 0
    check = told["sandbox_check_self"]
    confined = {True: "confined already", False: "not confined"}.get(check.get("sandboxed"), "not known to be free")
    lines = [("head", f"world {told['world_id']}"), ("", f"  this process is {confined}")]
    for channel, found in told["channels"].items():
        why = "available" if found["available"] else f"not here: {found['reason']}"
        lines.append(("", f"  channel {channel}: {why}"))
    if "out" in told:
        latest, count = told["out"]["latest"], len(told["out"]["runs"])
        lines.append(
            ("", f"  {plain(told['out']['path'])}: {count} run{'s' * (count != 1)}, latest {latest or 'none'}")
        )
        lines += [("", f"    {plain(run['run_id'])}: {run['state']}") for run in told["out"]["runs"]]
    out.lines(lines)
    return 0

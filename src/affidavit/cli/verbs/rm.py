"""`affidavit rm RUN...`: removes runs."""

from __future__ import annotations

from ...shown import plain
from ...store.remove import remove
from ..args import Argument, Verb
from ..locking import EXITS, LOCKING, STATUSES, locking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "rm",
    "Removes run directories, under the lock. A run whose writer is still there is refused. The run's line in the "
    "ledger stays, so nobody can use its id again; LATEST then names the newest of the others.",
    options=LOCKING,
    arguments=(Argument("RUN", "a run directory", many=True),),
    examples=(("affidavit rm .affidavit/hr_mk2h8w00_1f2e3d4c", "remove one run"),),
    statuses=STATUSES,
    exits=EXITS,
    answer=("`removed` (ids)."),
)


def run(args: Args, out: Output) -> int:
    removed: list[str] = []
    options = locking(args)
    for path in args.arguments("RUN"):
        remove(path, **options)
        removed.append(path)
        if not out.for_program and not out.quiet:
            out.lines([("", f"removed {plain(path)}")])
    if out.for_program:
        out.result({"removed": removed})
    return 0

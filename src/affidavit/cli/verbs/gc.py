"""`affidavit gc --keep N [OUT]`: removes old runs."""

from __future__ import annotations

from ...errors import UsageError
from ...harness.request import DEFAULT_OUT
from ...quantities import size
from ...shown import plain
from ...store.remove import collect
from ..args import Argument, Option, Verb
from ..locking import EXITS, LOCKING, STATUSES, locking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "gc",
    "Removes all but the newest N committed runs of an out folder, under the lock. The run that LATEST names stays, "
    "and so do runs that were not committed (affidavit abandon closes those); lines in the ledger stay.",
    options=(
        Option("--keep", "how many to keep", value="N"),
        Option("--dry-run", "say what would be removed, and remove nothing"),
        *LOCKING,
    ),
    arguments=(Argument("OUT", f"the out folder (without it {DEFAULT_OUT})", optional=True),),
    examples=(
        ("affidavit gc --keep 20 --dry-run", "what would go?"),
        ("affidavit gc --keep 20", "let it go"),
    ),
    statuses=STATUSES,
    exits=EXITS,
    answer=("`dry_run`, `kept`, `removed` (ids), `removed_bytes`, `unfinished`."),
)


def run(args: Args, out: Output) -> int:
    told = args.text("--keep")
    if told is None or not (told.isascii() and told.isdigit() and len(told) < 10):
        found = "nothing" if told is None else repr(plain(told))
        raise UsageError("USAGE", f"--keep: expected how many runs to keep, found {found}")
    is_dry = args.has("--dry-run")
    path = args.argument("OUT") or DEFAULT_OUT
    done = collect(path, int(told), dry_run=is_dry, **locking(args))
    if out.for_program:
        out.result(
            {
                "dry_run": is_dry,
                "kept": done.kept,
                "removed": [run.run_id for run in done.removed],
                "removed_bytes": sum(run.size for run in done.removed),
                "unfinished": done.unfinished,
            }
        )
        return 0
    verb = "would remove" if is_dry else "removed"
    lines = [("", f"{verb} {plain(run.run_id)}  {size(run.size)}") for run in done.removed]
    lines.append(("head", f"{len(done.kept)} kept, {verb} {len(done.removed)}"))
    if done.unfinished:
        lines.append(("quiet", f"{len(done.unfinished)} not committed, and kept; affidavit abandon closes those"))
    out.lines(lines)
    return 0

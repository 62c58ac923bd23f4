"""`affidavit ls [OUT]`: the runs of an out folder, the newest first."""

from __future__ import annotations

import time

from ...harness.request import DEFAULT_OUT
from ...quantities import age, size
from ...shown import plain
from ...store.listing import CRASHED, UNCOMMITTED, OutListing
from ..args import Argument, Verb
from ..locking import EXITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.listing import Listed
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "ls",
    "Lists the runs of an out folder, the newest first: state, outcome, size and age, as the runs say of themselves; "
    "affidavit verify checks them. A run in progress whose writer is gone is crashed; one that ended and has no index "
    "is uncommitted; affidavit abandon closes both.",
    arguments=(Argument("OUT", f"the out folder (without it {DEFAULT_OUT})", optional=True),),
    examples=(
        ("affidavit ls", "the runs of this directory"),
        ("affidavit ls --json out", "as JSON, also on a terminal"),
    ),
    statuses=((0, "listed"), (2, "error"), (3, "wrong usage"), (1, "refused")),
    exits=EXITS,
    answer=(
        "`out`, `latest`, `runs` [`run_id`, `state`, `outcome`, `committed`, `repaired`, `files`, `bytes`, "
        "`updated_at_unix`], `removed` (ids that only the ledger knows any more)."
    ),
)

_STYLES = {"complete": "good", "failed": "bad", CRASHED: "bad", UNCOMMITTED: "bad"}


def run(args: Args, out: Output) -> int:
    path = args.argument("OUT") or DEFAULT_OUT
    listing = OutListing(path)
    if out.for_program:
        out.result({"out": path} | listing.as_json())
        return 0
    lines = [_line(run, listing.latest) for run in listing.runs] or [("quiet", f"{plain(path)}: no runs")]
    if listing.latest_is_invalid:
        lines.append(("bad", "LATEST names no run that is here"))
    if listing.removed:
        count = len(listing.removed)
        lines.append(("quiet", f"{count} run{'s' * (count > 1)} of the ledger removed"))
    out.lines(lines)
    return 0


def _line(run: Listed, latest: str | None) -> tuple[str, str]:
    when = age(time.time() - run.updated) if run.updated is not None else "-"
    mark = "*" if run.run_id == latest else " "
    told = f"{run.state:<12} {run.outcome or '-':<9} {size(run.size):>9}  {when}"
    return _STYLES.get(run.state, ""), f"{mark} {plain(run.run_id):<24} {told}{'  (repaired)' * run.is_repaired}"

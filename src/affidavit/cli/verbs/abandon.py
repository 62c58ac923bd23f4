"""`affidavit abandon RUN...` (contracts 4.6)."""

from __future__ import annotations

import os

from ...shown import plain
from ...store.abandon import abandon, abandon_all
from ...store.refused import BundleRefused
from ..args import Argument, Option, Verb
from ..locking import EXITS, LOCKING, STATUSES, locking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "abandon",
    "Closes runs that a crash left unfinished: their state becomes failed and they are indexed as they stand, so that "
    "they can be read and verified. A run whose writer is still there is refused. LATEST and the ledger stay as they "
    "are.",
    options=(Option("--all", "take out folders, and close every run in them that has no writer"), *LOCKING),
    arguments=(Argument("RUN", "a run directory; with --all an out folder", many=True),),
    examples=(
        ("affidavit abandon .affidavit/hr_mk2h8w00_1f2e3d4c", "close one run"),
        ("affidavit abandon --all .affidavit", "after a power cut: close all that was cut off"),
    ),
    statuses=STATUSES,
    exits=EXITS,
    answer=("`abandoned` (paths), `refused` [`path`, `reason`]."),
)


def run(args: Args, out: Output) -> int:
    closed: list[str] = []
    refused: list[dict[str, str]] = []
    options = locking(args)
    for path in args.arguments("RUN"):
        if args.has("--all"):
            for name, why in abandon_all(path, **options):
                if why:
                    refused.append({"run": os.path.join(path, name), "reason": why})
                else:
                    closed.append(os.path.join(path, name))
            continue
        try:
            abandon(path, **options)
            closed.append(path)
        except BundleRefused as error:
            if error.kind != "refused":
                raise
            refused.append({"run": path, "reason": error.message})
    if out.for_program:
        out.result({"abandoned": closed, "refused": refused})
    else:
        lines = [("good", f"{plain(path)}: closed as failed") for path in closed]
        lines += [("bad", f"not closed: {refusal['reason']}") for refusal in refused]
        out.lines(lines or [("", "nothing to close")])
    return 1 if refused else 0

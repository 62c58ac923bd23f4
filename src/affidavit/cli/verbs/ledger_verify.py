"""`affidavit ledger-verify FILE|-` (contracts 2.6)."""

from __future__ import annotations

from ...contracts.ledger import verify_ledger
from ..input import stream_input, watched
from ..progress import Progress
from ..single import INVALID, answer, level_of, single_document_verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

# no --max-bytes: a ledger is read line by line and may be of any length
VERB = single_document_verb("ledger-verify", "whole ledger", "ledger.jsonl", "LD1-LD4 and its chain", options=())


def run(args: Args, out: Output) -> int:
    path = args.argument("FILE") or "-"
    with Progress("verifying", quiet=out.quiet) as progress:
        report = verify_ledger(watched(stream_input(path), path, progress), level=level_of(args))
    return answer(args, out, report, name=path, invalid=INVALID)

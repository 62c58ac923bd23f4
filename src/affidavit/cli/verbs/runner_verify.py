"""`affidavit runner-verify FILE|-` (seed 001)."""

from __future__ import annotations

from ...contracts.runner import verify_runner
from ..single import single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = single_document_verb("runner-verify", "runner record", "runner.json", "RN1-RN12")


def run(args: Args, out: Output) -> int:
    return verify_single(args, out, verify_runner)

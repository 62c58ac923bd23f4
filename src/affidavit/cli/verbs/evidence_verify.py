"""`affidavit evidence-verify FILE|-` (contracts 2.5)."""

from __future__ import annotations

from ...contracts.evidence import verify_evidence
from ..single import single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = single_document_verb("evidence-verify", "evidence record", "evidence.json", "EV1-EV5")


def run(args: Args, out: Output) -> int:
    return verify_single(args, out, verify_evidence)

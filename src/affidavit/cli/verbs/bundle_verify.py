"""`affidavit bundle-verify FILE|-` (contracts 2.3)."""

from __future__ import annotations

from ...contracts.bundle import verify_bundle
from ..single import single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = single_document_verb("bundle-verify", "kernel bundle", "bundle.json", "SCHEMA, BS1-BS8")


def run(args: Args, out: Output) -> int:
    return verify_single(args, out, verify_bundle)

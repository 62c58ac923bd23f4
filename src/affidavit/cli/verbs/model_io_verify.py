"""`affidavit model-io-verify FILE|-` (contracts 2.7)."""

from __future__ import annotations

from ...contracts.model_io import verify_model_io
from ...contracts.pack import MODEL_IO_BYTES
from ..single import single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = single_document_verb("model-io-verify", "model session", "model_io.json", "SCHEMA, MI1-MI12")


def run(args: Args, out: Output) -> int:
    return verify_single(args, out, verify_model_io, MODEL_IO_BYTES)

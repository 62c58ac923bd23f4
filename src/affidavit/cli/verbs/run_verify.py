"""`affidavit run-verify FILE|-` (seed 000)."""

from __future__ import annotations

from ...contracts.run import verify_run
from ..profile import POLICY_FILE, profile_of
from ..single import MAX_BYTES_OPTION, single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...rules.model import Report
    from ...values import Level
    from ..args import Args
    from ..output import Output

VERB = single_document_verb("run-verify", "run result", "run.json", "RS1-RS8", options=(POLICY_FILE, MAX_BYTES_OPTION))


def run(args: Args, out: Output) -> int:
    profile = profile_of(args)

    def verify(value: object, /, *, level: Level) -> Report:
        return verify_run(value, level=level, policy=profile)

    return verify_single(args, out, verify)

"""`affidavit policy-verify FILE|-` (contracts 2.1)."""

from __future__ import annotations

from ...contracts.policy import verify_policy
from ..profile import POLICY_FILE, profile_of
from ..single import MAX_BYTES_OPTION, single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...rules.model import Report
    from ...values import Level
    from ..args import Args
    from ..output import Output

VERB = single_document_verb(
    "policy-verify", "policy profile", "policy.json", "PL1-PL7", options=(POLICY_FILE, MAX_BYTES_OPTION)
)


def run(args: Args, out: Output) -> int:
    profile = profile_of(args)

    def verify(value: object, /, *, level: Level) -> Report:
        return verify_policy(value, level=level, resolved=profile)

    return verify_single(args, out, verify)

"""`affidavit patch-verify FILE|-` (contracts 2.4)."""

from __future__ import annotations

from ...contracts.patch import MOST_BYTES, verify_patch
from ..profile import POLICY_FILE, profile_of
from ..single import MAX_BYTES_OPTION, single_document_verb, verify_single

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...rules.model import Report
    from ...values import Level
    from ..args import Args
    from ..output import Output

VERB = single_document_verb(
    "patch-verify", "patch", "patch.json", "SCHEMA, PS1-PS10", options=(POLICY_FILE, MAX_BYTES_OPTION)
)


def run(args: Args, out: Output) -> int:
    profile = profile_of(args)
    limit: int = profile["max_total_output_bytes"] if profile else MOST_BYTES

    def verify(value: object, /, *, level: Level) -> Report:
        return verify_patch(value, level=level, limit=limit)

    return verify_single(args, out, verify)

"""`affidavit registry lint [REGISTRY]` (contracts 4.8)."""

from __future__ import annotations

from ...runtime.registry import lint
from ..args import Argument, Verb
from ..plans import EXITS, LINT_STATUSES, REGISTRIES, source_of, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "registry lint",
    "Verifies the documents of registries, index, probes, profiles and policies, each by itself and with the others.",
    options=(REGISTRIES,),
    arguments=(Argument("REGISTRY", "the id of one registry; all of them without it", optional=True),),
    examples=(("affidavit registry lint --registries mine", "all that a directory holds"),),
    statuses=LINT_STATUSES,
    exits=EXITS,
    answer=(
        "`ok`, the facts of a valid document or else `violations` [`rule_id`, `path`, `message`], and "
        "`not_checked` [`rule_id`, `reason`] where something was not, for each document."
    ),
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    return tell(out, lint(source_of(args), args.argument("REGISTRY")))

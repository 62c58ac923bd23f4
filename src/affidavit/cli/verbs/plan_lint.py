"""`affidavit plan lint PLAN` (contracts 4.8)."""

from __future__ import annotations

from ...runtime.plans import lint, read_plan
from ..args import Argument, Verb
from ..plans import EXITS, LINT_STATUSES, REGISTRIES, source_of, tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "plan lint",
    "Verifies a plan with the registry it names: every document, and that each name leads somewhere.",
    options=(REGISTRIES,),
    arguments=(Argument("PLAN", "the plan's file, or the name of a built-in plan"),),
    examples=(
        ("affidavit plan lint plan.json", "before it is run"),
        ("affidavit plan lint --registries mine plan.json", "against registries of your own"),
    ),
    statuses=LINT_STATUSES,
    exits=EXITS,
    answer=(
        "`ok`, the facts of a valid document or else `violations` [`rule_id`, `path`, `message`], and "
        "`not_checked` [`rule_id`, `reason`] where something was not."
    ),
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    return tell(out, lint(read_plan(args.argument("PLAN") or ""), source_of(args)))

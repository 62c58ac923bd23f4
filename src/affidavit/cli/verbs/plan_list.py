"""`affidavit plan list` (contracts 4.8)."""

from __future__ import annotations

from ...runtime import built_in
from ..args import Verb
from ..plans import EXITS, SHOW_STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "plan list",
    "Lists the built-in plans.",
    examples=(("affidavit plan list", "which plans there are"),),
    statuses=SHOW_STATUSES,
    exits=EXITS,
    answer=("`plans` [`plan_id`, `notes`]."),
)


def run(_args: Args, out: Output) -> int:
    plans = built_in.plans()
    if out.for_program:
        out.result({"plans": [{"plan_id": name, "notes": plan["notes"]} for name, plan in plans.items()]})
    else:
        width = max(len(name) for name in plans)
        out.lines(("", f"{name:<{width}}  {plan['notes']}") for name, plan in plans.items())
    return 0

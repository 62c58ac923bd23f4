"""`affidavit plan describe PLAN` (contracts 4.8)."""

from __future__ import annotations

from ...contracts.plan import lanes_of, plan_digest
from ...kernel.matrix import expected_matrix
from ...runtime.plans import read_plan, resolve
from ...shown import plain
from ..args import Argument, Verb
from ..plans import EXITS, REGISTRIES, SHOW_STATUSES, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "plan describe",
    "Shows what a plan would try: its profiles, each probe, and what is expected of it.",
    options=(REGISTRIES,),
    arguments=(Argument("PLAN", "the plan's file, or the name of a built-in plan"),),
    examples=(("affidavit plan describe sandbox-conformance", "what the built-in check of a host tries"),),
    statuses=SHOW_STATUSES,
    exits=EXITS,
    answer=("`plan`, `lanes`, `profiles`, `plan_digest`, `registry_digest`."),
)


def run(args: Args, out: Output) -> int:
    planned = resolve(read_plan(args.argument("PLAN") or ""), source_of(args))
    plan, lanes = planned.plan, lanes_of(planned.plan)
    profiles = expected_matrix(planned.resolved, "")["profiles"]
    if out.for_program:
        digests = {"plan_digest": plan_digest(plan), "registry_digest": planned.resolved.digest()}
        out.result({"plan": plan, "lanes": lanes, "profiles": profiles, **digests})
        return 0
    on = ", ".join(lane for lane, is_on in lanes.items() if is_on) or "none"
    lines = [("head", f"plan {plain(plan['plan_id'])}"), ("", f"  registry {plain(plan['registry_id'])}, lanes {on}")]
    for name, profile in profiles.items():
        lines.append(("head", f"  profile {plain(name)} ({profile['mode']}, {plain(profile['blob'])})"))
        for probe in profile["probes"]:
            target = "" if probe["target"] is None else f" {plain(probe['target'])}"
            told = f"    {probe['expected']:<5}  {plain(probe['name'])}: {plain(probe['operation'])}{target}"
            lines.append(("", told))
    out.lines(lines)
    return 0

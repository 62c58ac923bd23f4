"""`affidavit policy show NAME` (contracts 2.1)."""

from __future__ import annotations

from ...contracts.policy import BUILT_IN_NAMES, built_in, policy_hash
from ...errors import UsageError
from ...shown import plain
from ..args import Argument, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "policy show",
    "Shows a built-in policy profile, for reading or as a start for one of your own.",
    arguments=(Argument("NAME", "strict, default or dev"),),
    examples=(
        ("affidavit policy show strict", "read what the profile allows"),
        ("affidavit policy show dev > mine.json", "start a profile of your own: change its name, then its limits"),
    ),
    statuses=((0, "shown"), (1, "no such profile, wrong usage")),
    exits={"io": 1, "parse": 1, "usage": 1, "refused": 1, "internal": 1},
    answer=("the profile ([policy](../specs/policy.md))."),
)


def run(args: Args, out: Output) -> int:
    name = args.argument("NAME") or ""
    if name not in BUILT_IN_NAMES:
        raise UsageError("USAGE", f"expected one of {', '.join(BUILT_IN_NAMES)}, found {plain(name)!r}")
    profile = built_in(name)
    if out.for_program:
        out.result(profile)
    else:
        lines = [("head", f"policy {name}")]
        for member, value in profile.items():
            told = (", ".join(value) or "all") if isinstance(value, list) else str(value).lower()
            lines.append(("", f"  {member:<22}  {told}"))
        out.lines([*lines, ("quiet", f"  {policy_hash(profile)}")])
    return 0

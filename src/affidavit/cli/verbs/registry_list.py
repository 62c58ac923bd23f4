"""`affidavit registry list` (contracts 4.8)."""

from __future__ import annotations

from ...runtime.registry import listed
from ...shown import plain
from ..args import Verb
from ..plans import EXITS, REGISTRIES, SHOW_STATUSES, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "registry list",
    "Lists the registries of probes and profiles.",
    options=(REGISTRIES,),
    examples=(("affidavit registry list", "those of this package"),),
    statuses=SHOW_STATUSES,
    exits=EXITS,
    answer=("`registries` [`registry_id`, `description`, and where they are]."),
)


def run(args: Args, out: Output) -> int:
    entries = listed(source_of(args))
    if out.for_program:
        out.result({"registries": entries})
    else:
        width = max((len(plain(entry["registry_id"])) for entry in entries), default=0)
        out.lines(("", f"{plain(entry['registry_id']):<{width}}  {plain(entry['description'])}") for entry in entries)
    return 0

"""`affidavit registry describe REGISTRY` (contracts 4.8)."""

from __future__ import annotations

from ...runtime.registry import load
from ...shown import plain
from ..args import Argument, Verb
from ..plans import EXITS, REGISTRIES, SHOW_STATUSES, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "registry describe",
    "Shows a registry: its profiles with their policies, its probes with their lanes.",
    options=(REGISTRIES,),
    arguments=(Argument("REGISTRY", "its id (affidavit registry list)"),),
    examples=(("affidavit registry describe path-canonicalization", "what it tries"),),
    statuses=SHOW_STATUSES,
    exits=EXITS,
    answer=("the registry's id, description, probes and profiles."),
)


def run(args: Args, out: Output) -> int:
    registry = load(source_of(args), args.argument("REGISTRY") or "")
    if out.for_program:
        members = ("registry_id", "description", "probes", "profiles", "policies")
        out.result({name: getattr(registry, name) for name in members})
        return 0
    lines = [("head", f"registry {plain(registry.registry_id)}"), ("", f"  {plain(registry.description)}")]
    for name, profile in registry.profiles.items():
        lines.append(("", f"  profile {plain(name)} ({profile['mode']}), {len(profile['probe_refs'])} probes"))
    for probe in registry.probes.values():
        lanes = ", ".join(lane for lane, is_on in probe["supports_lanes"].items() if is_on)
        lines.append(("", f"  {plain(probe['probe_id'])}: {plain(probe['operation'])}, {probe['expected']} ({lanes})"))
    out.lines(lines)
    return 0

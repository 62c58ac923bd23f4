"""plan.json: which profiles are probed, in which lanes (contracts 4.8)."""

from __future__ import annotations

from ..canon.profiles import PLAN as PLAN_PROFILE
from ..rules.checks import no_text_twice
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Bool, Map, Nullable, Obj, Text, non_empty
from ..shown import shown
from .probing import LANES, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.plan.v0.1"

#: What `plan_digest` covers, and what stands for a member that is absent. Kept for compatibility: neither probes nor
#: profiles enter it, which is what `registry_digest` is for.
_DIGESTED: dict[str, Any] = {
    "plan_id": None,
    "registry_id": None,
    "profiles": [],
    "lanes": {},
    "controls": [],
    "schema_versions": {},
    "apply_preflight_profile": None,
}


def _shape(_level: Level) -> Shape:
    return Obj(
        {
            "schema_version": schema("plan.v0.1", "PN1"),
            "plan_id": non_empty("PN2"),
            "registry_id": non_empty("PN2"),
            "profiles": Arr(non_empty(), rule="PN3"),
        },
        {
            "lanes": Obj({}, {lane: Bool() for lane in LANES}, rule="PN4", closed="PN4"),
            "controls": Arr(Text()),
            "schema_versions": Map(Text()),
            "apply_preflight_profile": Nullable(non_empty()),
            "world_id": Nullable(non_empty()),
            "notes": Anything(),
        },
    )


def _names_something(profiles: list[str]) -> Iterator[Fault]:
    if not profiles:
        yield Fault("at least one profile", "none")


def _preflight_is_planned(preflight: str | None, profiles: list[str]) -> Iterator[Fault]:
    if preflight is not None and preflight not in profiles:
        yield Fault("one of the plan's profiles", shown(preflight))


PLAN = Contract(
    "plan",
    "plan",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("PN1", "the schema is this plan's"),
        Rule("PN2", "plan and registry are named"),
        Rule("PN3", "there are profiles", _names_something, needs=("profiles",)),
        Rule("PN3", "each profile once", no_text_twice, needs=("profiles",)),
        Rule("PN4", "lanes are baseline, scenario and oracle, each on or off"),
        Rule(
            "PN5",
            "the preflight's profile is planned",
            _preflight_is_planned,
            needs=("apply_preflight_profile", "profiles"),
        ),
    ),
)


def verify_plan(value: object, *, level: Level = "spec") -> Report:
    """PN1-PN5. `facts["plan_digest"]` is there only when the plan is valid."""
    report = survives_writing(examine(PLAN, value, level), value, SCHEMA)
    if report.ok:
        report.facts["plan_digest"] = plan_digest(value)  # type: ignore[arg-type]
    return report


def plan_digest(plan: dict[str, Any]) -> str:
    return PLAN_PROFILE.digest({name: plan.get(name, absent) for name, absent in _DIGESTED.items()}).hex


def lanes_of(plan: dict[str, Any], *, dry_run: bool = False) -> dict[str, bool]:
    """A lane that is not spoken of is on; a dry run has none."""
    told = plan.get("lanes", {})
    return {lane: not dry_run and told.get(lane, True) for lane in LANES}


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "plan_id": "host-check",
    "registry_id": "sandbox-conformance",
    "profiles": ["strict", "open-network"],
    "lanes": {"baseline": True, "scenario": True, "oracle": False},
    "controls": ["read_own_file"],
    "apply_preflight_profile": "strict",
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "notes": "what the host holds today",
}

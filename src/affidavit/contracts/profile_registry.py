"""profiles.json: under what a registry's probes are run (contracts 4.8)."""

from __future__ import annotations

from ..rules.checks import no_text_twice, stays_below
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Map, Obj, OneOf, Text, non_empty
from ..shown import shown
from .probing import PROFILE_MODES, keyed_by, schema, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.profile_registry.v0.2"


def _shape(_level: Level) -> Shape:
    profile = Obj(
        {
            "profile_id": non_empty("PF2"),
            "profile_path": Text(stays_below, 'a relative path without ".."', rule="PF3"),
            "mode": OneOf(*PROFILE_MODES, rule="PF4"),
            "family": text_or_null(),
            "semantic_group": text_or_null(),
            "probe_refs": Arr(non_empty(), rule="PF5"),
            "key_specific_rules": Arr(Anything()),
            "notes": text_or_null(),
        }
    )
    return Obj(
        {
            "schema_version": schema("profile_registry.v0.2", "PF1"),
            "registry_id": non_empty("PF2"),
            "profiles": Map(profile),
        }
    )


def _probes_once(profiles: dict[str, dict[str, Any]]) -> Iterator[Fault]:
    for key, profile in profiles.items():
        for fault in no_text_twice(profile["probe_refs"]):
            yield Fault(fault.expected, fault.found, key, "probe_refs", *fault.steps)


def _probes_exist(profiles: dict[str, dict[str, Any]], probes: dict[str, Any]) -> Iterator[Fault]:
    for key, profile in profiles.items():
        for index, probe in enumerate(profile["probe_refs"]):
            if probe not in probes:
                yield Fault("a probe of the registry", shown(probe), key, "probe_refs", index)


PROBES = "the probe registry"

PROFILE_REGISTRY = Contract(
    "profile registry",
    "profile-registry",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("PF1", "the schema is this registry's"),
        Rule("PF2", "registry and profiles are named"),
        Rule("PF2", "a profile stands under its own id", keyed_by("profile_id"), needs=("profiles",)),
        Rule("PF3", "profile_path stays below the registry"),
        Rule("PF4", "the mode is sbpl, blob or bwrap"),
        Rule("PF5", "each probe once", _probes_once, needs=("profiles",)),
        Rule("PF5", "the probes are the registry's", _probes_exist, needs=("profiles",), context=PROBES),
    ),
)


def verify_profile_registry(value: object, *, level: Level = "spec", probes: dict[str, Any] | None = None) -> Report:
    """PF1-PF5. `probes` are those of the probe registry, where it is at hand."""
    context = {} if probes is None else {PROBES: probes}
    return survives_writing(examine(PROFILE_REGISTRY, value, level, context), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "registry_id": "sandbox-conformance",
    "profiles": {
        "strict": {
            "profile_id": "strict",
            "profile_path": "profiles/strict.json",
            "mode": "bwrap",
            "family": "built-in",
            "semantic_group": "built-in",
            "probe_refs": ["read_host_file", "mount_tmpfs"],
            "key_specific_rules": [],
            "notes": "as shipped",
        }
    },
}

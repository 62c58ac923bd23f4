"""probes.json: what can be tried, and what is expected of it (contracts 4.8)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Bool, Int, Map, Nullable, Obj, Text, non_empty
from .probing import DECISIONS, LANES, decision, keyed_by, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "runtime-tools.probe_registry.v0.2"

#: What could change the host or exhaust it: such a probe has no lane without a sandbox (contracts 4.8).
_NEVER_BARE = ("process-fork", "mount", "ptrace", "signal", "sysctl-write")

#: What a probe that tries to exceed a limit may lower it to (ours).
LIMITS = ("max_cpu_seconds", "max_memory_bytes", "max_pids", "timeout_ms")


def _shape(_level: Level) -> Shape:
    probe = Obj(
        {
            "probe_id": non_empty("PB2"),
            "name": non_empty("PB2"),
            "operation": non_empty("PB3"),
            "target": Nullable(Text()),
            "expected": decision(),
            "supports_lanes": Obj({}, {lane: Bool() for lane in LANES}, closed="PB4", rule="PB4"),
            "expected_primary_ops": Arr(Text()),
            "expected_predicates": Arr(Text()),
            "capabilities_required": Arr(Text()),
            "controls_supported": Arr(Text()),
        },
        {
            "expectation_id": Nullable(non_empty()),
            "mode": Nullable(Text()),
            "driver": Nullable(Text()),
            "ends": Arr(Text()),
            "limits": Obj({}, {limit: Int(1) for limit in LIMITS}, closed=SCHEMA),
            "witnessed_only": Bool(),
            "silence_allows": Bool(),
            "notes": Anything(),
        },
    )
    return Obj(
        {"schema_version": schema("probe_registry.v0.2", "PB1"), "registry_id": non_empty("PB2"), "probes": Map(probe)}
    )


def _has_no_bare_lane(probes: dict[str, dict[str, Any]]) -> Iterator[Fault]:
    for key, probe in probes.items():
        if probe["operation"] in _NEVER_BARE and probe["supports_lanes"].get("baseline", True):
            told = "false, as the operation could harm the host"
            yield Fault(told, "true", key, "supports_lanes", "baseline")


PROBE_REGISTRY = Contract(
    "probe registry",
    "probe-registry",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("PB1", "the schema is this registry's"),
        Rule("PB2", "registry and probes are named"),
        Rule("PB2", "a probe stands under its own id", keyed_by("probe_id"), needs=("probes",)),
        Rule("PB3", "each probe has an operation"),
        Rule("PB4", "lanes are baseline, scenario and oracle, each supported or not"),
        Rule("PB5", "what could harm the host has no baseline", _has_no_bare_lane, needs=("probes",)),
    ),
)


def verify_probe_registry(value: object, *, level: Level = "spec") -> Report:
    """PB1-PB5."""
    return survives_writing(examine(PROBE_REGISTRY, value, level), value, SCHEMA)


def supports(probe: dict[str, Any], lane: str) -> bool:
    """A lane that is not spoken of is supported."""
    told: bool = probe["supports_lanes"].get(lane, True)
    return told


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "registry_id": "sandbox-conformance",
    "probes": {
        "read_host_file": {
            "probe_id": "read_host_file",
            "name": "read a file of the host",
            "operation": "file-read-data",
            "target": "{outside}/secret.txt",
            "expected": DECISIONS[1],
            "supports_lanes": {"baseline": True, "scenario": True, "oracle": True},
            "expected_primary_ops": ["file-read-data"],
            "expected_predicates": [],
            "capabilities_required": [],
            "controls_supported": ["read_own_file"],
        },
        "mount_tmpfs": {
            "probe_id": "mount_tmpfs",
            "name": "mount a tmpfs",
            "operation": "mount",
            "target": "{workspace}/out",
            "expected": DECISIONS[1],
            "supports_lanes": {"baseline": False, "scenario": True, "oracle": True},
            "expected_primary_ops": ["mount"],
            "expected_predicates": [],
            "capabilities_required": [],
            "controls_supported": [],
        },
    },
}

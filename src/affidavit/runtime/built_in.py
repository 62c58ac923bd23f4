"""The registries and plans of this package, as the documents they would be in a directory.

The probes are those that `affidavit selftest` runs, not a copy of them; the profiles are the built-in policies, and one
that is open to the network.
"""

from __future__ import annotations

from ..contracts.plan import SCHEMA_VERSION as PLAN_VERSION
from ..contracts.policy import BUILT_IN_NAMES, built_in
from ..contracts.profile_registry import SCHEMA_VERSION as PROFILES_VERSION
from ..contracts.registry_index import SCHEMA_VERSION as INDEX_VERSION
from ..kernel import canonicalization, conformance
from ..kernel.probes import registry, rules
from .registry import INDEX, Documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..kernel.probes import Probe

OPEN_NETWORK: dict[str, Any] = {**built_in("dev"), "name": "open-network", "allow_network": True}
POLICIES: dict[str, dict[str, Any]] = {
    **{name: built_in(name) for name in BUILT_IN_NAMES},
    "open-network": OPEN_NETWORK,
}

_REGISTRIES: tuple[tuple[str, str, tuple[Probe, ...]], ...] = (
    (conformance.REGISTRY_ID, "the ways out of a sandbox, and what must go on working inside", conformance.PROBES),
    (canonicalization.REGISTRY_ID, "names that lead to a file, and what the kernel calls it", canonicalization.PROBES),
)


def source() -> Documents:
    """The index, and the documents that it names."""
    index = {
        "schema_version": INDEX_VERSION,
        "registries": [
            {
                "registry_id": name,
                "probes": f"{name}/probes.json",
                "profiles": f"{name}/profiles.json",
                "description": description,
            }
            for name, description, _ in _REGISTRIES
        ],
    }
    documents: dict[str, Any] = {INDEX: index}
    for name, _, probes in _REGISTRIES:
        documents[f"{name}/probes.json"] = registry(name, probes)
        documents[f"{name}/profiles.json"] = _profiles(name, probes)
        documents |= {f"{name}/profiles/{policy}.json": document for policy, document in POLICIES.items()}
    return Documents(documents)


def plans() -> dict[str, dict[str, Any]]:
    """The plans by their names."""
    return {
        plan["plan_id"]: plan
        for plan in (
            _plan(conformance.REGISTRY_ID, list(BUILT_IN_NAMES), "whether this host enforces the built-in policies"),
            _plan(
                canonicalization.REGISTRY_ID, ["strict"], "what the kernel calls a file that is reached by other names"
            ),
        )
    }


def _plan(registry_id: str, profiles: list[str], notes: str) -> dict[str, Any]:
    return {
        "schema_version": PLAN_VERSION,
        "plan_id": registry_id,
        "registry_id": registry_id,
        "profiles": profiles,
        "apply_preflight_profile": profiles[0],
        "notes": notes,
    }


def _profiles(registry_id: str, probes: tuple[Probe, ...]) -> dict[str, Any]:
    refs = [probe.probe_id for probe in probes]
    profiles = {
        name: {
            "profile_id": name,
            "profile_path": f"profiles/{name}.json",
            "mode": "bwrap",
            "family": "built-in",
            "semantic_group": "network" if policy["allow_network"] else "no network",
            "probe_refs": refs,
            "key_specific_rules": rules(policy, probes),
            "notes": None,
        }
        for name, policy in POLICIES.items()
    }
    return {"schema_version": PROFILES_VERSION, "registry_id": registry_id, "profiles": profiles}

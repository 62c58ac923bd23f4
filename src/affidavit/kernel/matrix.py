"""What a plan asks: the profiles, the probes under each, and what is expected of them (contracts 4.2, 4.8). Pure."""

from __future__ import annotations

from ..canon.profiles import ENGINE
from ..contracts.probe_registry import supports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Resolved:
    """A plan with the profiles and probes that it names, in its order."""

    __slots__ = ("plan", "probes", "profiles")

    def __init__(self, plan: dict[str, Any], profiles: dict[str, dict[str, Any]], probes: dict[str, Any]) -> None:
        self.plan = plan
        self.profiles = {name: profiles[name] for name in plan["profiles"]}
        named = {probe: None for profile in self.profiles.values() for probe in profile["probe_refs"]}
        self.probes: dict[str, dict[str, Any]] = {name: probes[name] for name in named}

    def digest(self) -> str:
        """`registry_digest`: what `plan_digest` does not cover."""
        return ENGINE.digest({"probes": self.probes, "profiles": self.profiles}).hex

    def pairs(self, lane: str = "") -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Each profile with each of its probes; with `lane` those that support it."""
        for profile in self.profiles.values():
            for name in profile["probe_refs"]:
                if not lane or supports(self.probes[name], lane):
                    yield profile, self.probes[name]


def unresolved(plan: dict[str, Any], profiles: dict[str, Any], probes: dict[str, Any]) -> list[str]:
    """The names in a plan, and in its profiles, that lead nowhere."""
    lost = [f"profile {name}" for name in plan["profiles"] if name not in profiles]
    for name in plan["profiles"]:
        refs = profiles[name]["probe_refs"] if name in profiles else ()
        lost += [f"probe {probe} of profile {name}" for probe in refs if probe not in probes]
    return lost


def expectation_id(profile: dict[str, Any], probe: dict[str, Any]) -> str:
    """The key that rows of all documents are joined by."""
    told: str | None = probe.get("expectation_id")
    return told or f"{profile['profile_id']}:{probe['probe_id']}"


def expected(profile: dict[str, Any], probe: dict[str, Any]) -> str:
    """The probe's expectation, unless the profile has a rule of its own for it."""
    for rule in profile["key_specific_rules"]:
        if type(rule) is dict and rule.get("probe") == probe["probe_id"] and rule.get("expected") in ("allow", "deny"):
            decision: str = rule["expected"]
            return decision
    told: str = probe["expected"]
    return told


def expected_matrix(resolved: Resolved, world_id: str) -> dict[str, Any]:
    """`expected_matrix.json`."""
    profiles: dict[str, Any] = {}
    for profile in resolved.profiles.values():
        profiles[profile["profile_id"]] = {
            "blob": profile["profile_path"],
            "mode": profile["mode"],
            "family": profile["family"],
            "semantic_group": profile["semantic_group"],
            "probes": [],
        }
    for profile, probe in resolved.pairs():
        row = {name: probe[name] for name in ("name", "operation", "target")}
        row |= {"expected": expected(profile, probe), "expectation_id": expectation_id(profile, probe)}
        profiles[profile["profile_id"]]["probes"].append(row)
    return {"world_id": world_id, "profiles": profiles}

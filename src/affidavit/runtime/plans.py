"""A plan with what it names: read, verified, and resolved against its registry before anything runs."""

from __future__ import annotations

from ..canon.reader import read
from ..contracts.expected_matrix import verify_expected_matrix
from ..contracts.plan import verify_plan
from ..kernel.matrix import Resolved, expected_matrix, unresolved
from ..rules.model import Finding, Report
from ..store import fs
from . import built_in
from .refused import NoSuchPlan, ProfileRefused, Unsound
from .registry import lint as lint_registry
from .registry import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .registry import Registry, Source

_MOST_BYTES = 16 * 1024 * 1024


class Planned:
    """A plan that can be run: itself, what it names, and the policy of each profile."""

    __slots__ = ("plan", "policies", "registry", "resolved")

    def __init__(self, plan: dict[str, Any], registry: Registry) -> None:
        self.plan = plan
        self.registry = registry
        self.resolved = Resolved(plan, registry.profiles, registry.probes)
        self.policies = {name: registry.policies[name] for name in plan["profiles"] if name in registry.policies}


def read_plan(name: str) -> Any:
    """The built-in plan of this name, else the document at this path. Raises NoSuchPlan, ReadFailed, ParseError."""
    plans = built_in.plans()
    if name in plans:
        return plans[name]
    if "/" not in name and not name.endswith(".json"):
        raise NoSuchPlan(name, list(plans))
    descriptor = fs.open_file(name)
    try:
        return read(fs.read_open(descriptor, name, _MOST_BYTES))
    finally:
        fs.close(descriptor)


def resolve(plan: Any, source: Source) -> Planned:
    """The plan with everything that it names. Raises Unsound, NoSuchRegistry, ReadFailed, ParseError."""
    report = verify_plan(plan)
    if not report.ok:
        raise Unsound("the plan", report)
    registry = load(source, plan["registry_id"])
    lost = _lost(plan, registry)
    if not lost.ok:
        raise Unsound("the plan", lost)
    return Planned(plan, registry)


def require_runnable(planned: Planned) -> None:
    """Raises ProfileRefused for a profile of another system."""
    for name, profile in planned.resolved.profiles.items():
        if profile["mode"] != "bwrap":
            raise ProfileRefused(name, f"mode {profile['mode']} is a macOS sandbox profile; here only bwrap can be run")


def lint(plan: Any, source: Source) -> list[tuple[str, Report]]:
    """The plan, the documents of its registry, and how they fit, each with all that is wrong."""
    report = verify_plan(plan)
    if not report.ok:
        return [("the plan", report)]
    found = lint_registry(source, plan["registry_id"])
    if all(each.ok for _, each in found):
        report = _lost(plan, load(source, plan["registry_id"]))
    return [("the plan", report), *found]


def _lost(plan: dict[str, Any], registry: Registry) -> Report:
    """What leads nowhere, and what two rows would be joined by."""
    report = verify_plan(plan)
    lost = unresolved(plan, registry.profiles, registry.probes)
    found = [Finding("PN3", "/profiles", f"names of the registry {registry.registry_id}", name) for name in lost]
    found += [
        Finding("PN3", f"/controls/{at}", "a control that a probe of the plan supports", name)
        for at, name in enumerate(plan.get("controls", []))
        if not lost and name not in _controls(plan, registry)
    ]
    if not lost:
        matrix = expected_matrix(Resolved(plan, registry.profiles, registry.probes), plan["registry_id"])
        found += verify_expected_matrix(matrix).findings
    return Report(report.document, [*report.findings, *found], [*report.checked], [*report.not_checked], report.facts)


def _controls(plan: dict[str, Any], registry: Registry) -> set[str]:
    tried = {name for profile in plan["profiles"] for name in registry.profiles[profile]["probe_refs"]}
    return tried | {control for name in tried for control in registry.probes[name]["controls_supported"]}

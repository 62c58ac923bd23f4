"""policy.json: what a run may do (contracts 2.1, PL1-PL7)."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL
from ..rules.checks import does_not_climb, every, is_relative
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import Arr, Bool, Int, Obj, Text, non_empty
from ..shown import shown
from ..values import LOWER_ALNUM, made_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from ..rules.shape import Shape
    from ..values import Level

    ModelMode = Literal["none", "record", "replay"]

MODEL_MODES = ("none", "record", "replay")

#: The frozen profiles. An empty list allows everything; the order of a list is part of the profile.
_BUILT_IN: dict[str, tuple[int, int, int, tuple[str, ...], tuple[str, ...]]] = {
    "strict": (30_000, 200, 10_485_760, ("node", "npm"), ("out", "dist", "build")),
    "default": (60_000, 500, 52_428_800, ("node", "npm", "npx"), ("out", "dist", "build", "tmp")),
    "dev": (300_000, 1000, 104_857_600, (), ()),
}
BUILT_IN_NAMES = tuple(_BUILT_IN)

#: What a rule is told apart from the document: the profile as its own file has it.
PROFILE = "the profile's own file"


def built_in(name: str) -> dict[str, Any]:
    """A built-in profile. Every call makes a new object: nobody can change a profile for somebody else."""
    timeout_ms, files, total_bytes, commands, roots = _BUILT_IN[name]
    return {
        "name": name,
        "allow_network": False,
        "timeout_ms": timeout_ms,
        "max_output_files": files,
        "max_total_output_bytes": total_bytes,
        "allowed_commands": list(commands),
        "allowed_write_roots": list(roots),
    }


def is_custom_name(name: str) -> bool:
    """`[a-z][a-z0-9_-]{0,31}` and no built-in name."""
    return len(name) <= 32 and name[:1].islower() and made_of(name, LOWER_ALNUM + "_-") and name not in _BUILT_IN


def _is_name(name: str) -> bool:
    return name in _BUILT_IN or is_custom_name(name)


def policy_members(name_rule: str = "PL1", list_rule: str = "PL2", bounds_rule: str = "PL3") -> dict[str, Shape]:
    """The seven members. A run record embeds them under a rule of its own."""
    return {
        "name": Text(_is_name, "strict, default, dev or a custom name, [a-z][a-z0-9_-]{0,31}", rule=name_rule),
        "allow_network": Bool(),
        "timeout_ms": Int(1000, 600_000, rule=bounds_rule),
        "max_output_files": Int(1, 10_000, rule=bounds_rule),
        "max_total_output_bytes": Int(1024, 1_073_741_824, rule=bounds_rule),
        "allowed_commands": Arr(non_empty(), container_rule=list_rule),
        "allowed_write_roots": Arr(non_empty(), container_rule=list_rule),
    }


def _shape(level: Level) -> Shape:
    """Closed, unless an older writer may have added to it: a misspelt limit must not read as no limit."""
    closed = "" if level == "compat" else "PL2"
    return Obj(policy_members(), rule="PL2", container_rule="PL2", missing="PL2", closed=closed)


def _is_named(name: str, resolved: dict[str, Any]) -> Iterator[Fault]:
    if name != resolved["name"]:
        yield Fault(f"{shown(resolved['name'])}, the profile's name", shown(name))


def differences(policy: dict[str, Any], resolved: dict[str, Any]) -> Iterator[Fault]:
    """Where a policy is not canonically equal to the profile it claims to be (PL7, RS5)."""
    for name, member in resolved.items():
        if canonical(policy[name]) != canonical(member):
            yield Fault(f"{_told(member)}, as the profile has it", _told(policy[name]), name)
    for name in policy.keys() - resolved.keys():
        yield Fault("no such member, as in the profile", "one", name)


def _told(member: object) -> str:
    return canonical(member).decode() if type(member) is list else shown(member)


POLICY = Contract(
    "policy",
    "policy",
    _shape,
    (
        Rule("PL1", "the name is a built-in profile's or has the form of a custom one"),
        Rule("PL1", "the name is the profile's", _is_named, needs=("name",), context=PROFILE),
        Rule("PL2", "all seven members are there and no other, lists are lists"),
        Rule("PL2", "roots are relative", every("a relative path", is_relative), needs=("allowed_write_roots",)),
        Rule("PL2", "no root climbs", every('a path without ".."', does_not_climb), needs=("allowed_write_roots",)),
        Rule("PL3", "limits are within their bounds"),
        Rule("PL4", "strict and default allow no model", behaviour=True),
        Rule("PL5", "recording and replaying need a path", behaviour=True),
        Rule("PL6", "limits are enforced in the sandbox", behaviour=True),
        Rule("PL7", "the policy equals the resolved profile", differences, needs=("",), context=PROFILE),
    ),
)


def verify_policy(value: object, *, level: Level = "spec", resolved: dict[str, Any] | None = None) -> Report:
    """PL1-PL3 and PL7. A custom profile is compared with `resolved`, the profile as its file has it; without that
    nobody can say whose profile the name stands for. `facts["policy_hash"]` is there only when the policy is valid."""
    report = survives_writing(examine(POLICY, value, level, profile_context(value, resolved)), value, "PL2")
    if report.ok:
        report.facts["policy_hash"] = policy_hash(value)  # type: ignore[arg-type]
    return report


def profile_context(policy: object, resolved: dict[str, Any] | None) -> dict[str, object]:
    """What PL7 and RS5 compare a policy with: the built-in profile of that name, else the one that was given."""
    name = policy.get("name") if type(policy) is dict else None
    if type(name) is str and name in _BUILT_IN:
        resolved = built_in(name)
    return {} if resolved is None else {PROFILE: resolved}


def policy_hash(policy: dict[str, Any]) -> str:
    """The KERNEL hash of the whole profile."""
    return KERNEL.digest(policy).content_hash


def model_mode_violation(policy: dict[str, Any], model_mode: ModelMode, *, has_recording: bool) -> str | None:
    """Why this profile does not allow the model mode (PL4, PL5), or None."""
    if model_mode == "none":
        return None
    if policy["name"] in ("strict", "default"):
        return f"POLICY_VIOLATION: PL4: Model mode '{model_mode}' not allowed by {policy['name']} policy"
    if not has_recording:
        return f"POLICY_VIOLATION: PL5: {model_mode} mode requires recording path"
    return None


EXAMPLE = built_in("default")

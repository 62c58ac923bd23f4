"""The policy that a run is bound by: a built-in profile, or one of the caller's own (contracts 2.1)."""

from __future__ import annotations

from ..canon.reader import read
from ..contracts.policy import BUILT_IN_NAMES, built_in, model_mode_violation, verify_policy
from ..errors import ParseError
from ..shown import plain, shown
from .errors import POLICY, RunError, because

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..contracts.policy import ModelMode


def named_profile(name: str) -> dict[str, Any]:
    """A built-in profile. Raises RUN_E004."""
    if name not in BUILT_IN_NAMES:
        known = ", ".join(BUILT_IN_NAMES)
        raise RunError(
            POLICY,
            f"expected the profile {known}, or one of your own by --policy-file, found {shown(name)}",
            rule_id="PL1",
            found=plain(name),
        )
    return built_in(name)


def custom_profile(raw: bytes, path: str) -> dict[str, Any]:
    """The profile in these bytes, which were at `path`. Raises RUN_E004."""
    try:
        return sound_profile(read(raw), path)
    except ParseError as error:
        raise because(POLICY, error, plain(path)) from None


def sound_profile(profile: object, path: str = "the policy") -> dict[str, Any]:
    """A profile that holds PL1-PL3. A built-in name stands for the built-in profile and nothing else."""
    is_built_in = type(profile) is dict and profile.get("name") in BUILT_IN_NAMES
    report = verify_policy(profile, resolved=None if is_built_in else profile)  # type: ignore[arg-type]
    if not report.ok:
        first = report.findings[0]
        place = first.path or "the document"
        raise RunError(
            POLICY,
            f"{plain(path)}: {first.rule_id}: {place}: {first.message}",
            rule_id=first.rule_id,
            pointer=first.path,
        )
    sound: dict[str, Any] = profile  # type: ignore[assignment]
    return sound


def require_model_mode(policy: dict[str, Any], mode: ModelMode, *, has_recording: bool) -> None:
    """PL4 and PL5. Raises RUN_E004."""
    violation = model_mode_violation(policy, mode, has_recording=has_recording)
    if violation is not None:
        raise RunError(POLICY, violation, rule_id=violation.split(": ")[1])

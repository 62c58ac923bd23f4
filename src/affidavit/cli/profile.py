"""The custom policy profile that a command line names."""

from __future__ import annotations

from ..canon.reader import read
from ..contracts.policy import verify_policy
from ..errors import UsageError
from ..shown import plain
from .args import Option
from .input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .args import Args

POLICY_FILE = Option("--policy-file", "the custom profile's own file, to compare with", value="FILE")


def profile_of(args: Args) -> dict[str, Any] | None:
    """The profile in --policy-file, sound; None without the option."""
    path = args.text("--policy-file")
    if path is None:
        return None
    value: Any = read(read_input(path))
    report = verify_policy(value, resolved=value)
    if not report.ok:
        first = report.findings[0]
        raise UsageError("POLICY_FILE", f"{plain(path)}: {first.rule_id} {first.path}: {first.message}")
    profile: dict[str, Any] = value
    return profile

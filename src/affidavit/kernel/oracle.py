"""What a profile should decide about a probe, worked out from the profile alone (contracts 4.8). Pure.

Where the profile does not settle it, because it depends on the host or on the command, the oracle says so: a guess
would turn every honest disagreement into a question about the guess.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Prediction = tuple[str | None, str]

#: Where a decision falls: in the profile, in what every sandbox of ours does, or nowhere that could be read.
PROFILE = "profile"
SANDBOX = "sandbox"
OPEN = "not settled"

WORKSPACE = "{workspace}"
#: The first of the places where the profile lets a command write, whatever its name.
ROOT = "{root}"
#: What no sandbox of ours may attempt with success, whatever the profile says.
_NEVER = frozenset({"mount", "ptrace", "sysctl-write"})
#: Private to the sandbox: writing there reaches nobody.
_PRIVATE = ("{tmp}", "{shm}", "/tmp", "/dev", "/proc/self", "/run")  # noqa: S108 -- inside


def predict(policy: dict[str, Any], probe: dict[str, Any]) -> Prediction:
    """The decision, and where it falls."""
    operation, target = probe["operation"], probe["target"] or ""
    if operation in _NEVER:
        return "deny", SANDBOX
    if operation == "file-read-data":
        return _read(target)
    if operation.startswith("file-write-"):
        return _write(policy, target)
    if operation == "process-exec":
        return _execute(policy, target)
    if operation == "network-outbound":
        if _is_path(target):
            return _read(target)
        return ("allow" if policy["allow_network"] else "deny"), PROFILE
    if operation == "signal" and _is_outside(target):
        return "deny", SANDBOX
    return None, OPEN


def _read(target: str) -> Prediction:
    if _in_workspace(target) is not None:
        return "allow", SANDBOX
    if _is_outside(target):
        return "deny", SANDBOX
    return None, OPEN


def _write(policy: dict[str, Any], target: str) -> Prediction:
    if target.startswith(ROOT + "/") and ".." not in target:
        return "allow", PROFILE
    names = _in_workspace(target)
    if names is None:
        private = any(target == place or target.startswith(place + "/") for place in _PRIVATE)
        if private or not (_is_outside(target) or target.startswith("/")):
            return None, OPEN
        return "deny", SANDBOX
    roots = [root.strip("/").split("/") for root in policy["allowed_write_roots"]]
    is_writable = not roots or any(names[: len(root)] == root for root in roots)
    return ("allow" if is_writable else "deny"), PROFILE


def _execute(policy: dict[str, Any], target: str) -> Prediction:
    """A bare name is a command of the list, or none; a path depends on what else is inside."""
    listed = policy["allowed_commands"]
    if not target or "/" in target or "{" in target:
        return ("deny", SANDBOX) if _is_outside(target) else (None, OPEN)
    if not listed:
        return None, OPEN  # whatever the host has
    # companions of a listed command come along unlisted: only a listed one is settled
    return ("allow", PROFILE) if target in listed else (None, OPEN)


def _in_workspace(target: str) -> list[str] | None:
    """The names below the workspace, None where the target is elsewhere or climbs."""
    if target != WORKSPACE and not target.startswith(WORKSPACE + "/"):
        return None
    names = [name for name in target[len(WORKSPACE) :].split("/") if name not in ("", ".")]
    return None if ".." in names else names


def _is_outside(target: str) -> bool:
    """A fixture of ours that lies on the host, and not in the workspace."""
    return target.startswith("{") and not target.startswith((WORKSPACE, ROOT, "{tmp}", "{shm}"))


def _is_path(target: str) -> bool:
    return "/" in target

"""Refusals: work that is sound and cannot be honoured under the policy. All reasons are listed, each with its place,
its rule and what would allow it."""

from __future__ import annotations

from ..contracts.patch import files_above, unsafe_path
from ..contracts.runner import FIXED_VARIABLES, FORBIDDEN_PREFIXES
from ..rules.checks import is_relative
from ..shown import shown
from ..values import pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: A hostile intent of a million bad paths gets this many reasons and the number of the others.
_MOST_REASONS = 50

#: What a file system of Linux takes as one name and as a whole path.
_LONGEST_NAME = 255
_LONGEST_PATH = 4000


def refusals(intent: dict[str, Any], policy: dict[str, Any]) -> list[str]:
    """Why the declared work cannot be honoured; empty when it can."""
    work = intent["context"].get("work", {})
    files, commands, tests = work.get("files", []), work.get("commands", []), work.get("tests", [])
    reasons = [
        *_files(files, policy["allowed_write_roots"], policy["name"]),
        *_amounts(files, policy),
        *_commands(commands, policy),
        *_tests(tests, {command["id"] for command in commands}),
    ]
    if len(reasons) > _MOST_REASONS:
        reasons[_MOST_REASONS:] = [f"and {len(reasons) - _MOST_REASONS} more"]
    return reasons


def _at(*steps: str | int) -> str:
    return pointer("context", "work", *steps)


def _unsafe(path: str) -> str | None:
    """Why this is no path inside the workspace, or None."""
    if path and not is_relative(path):
        return "a relative path"
    expected = unsafe_path(path)
    if expected is None and len(path.encode()) > _LONGEST_PATH:
        return f"a path of at most {_LONGEST_PATH} bytes"
    if expected is None and any(len(name.encode()) > _LONGEST_NAME for name in path.split("/")):
        return f"names of at most {_LONGEST_NAME} bytes"
    return expected


def is_below(path: str, roots: list[str]) -> bool:
    """Below one of the write roots; none at all, or the dot, means everywhere."""
    return not roots or any(root in (".", "./") or path.startswith(root.rstrip("/") + "/") for root in roots)


def _files(files: list[dict[str, Any]], roots: list[str], profile: str) -> Iterator[str]:
    below = files_above(file["path"] for file in files)
    seen: set[str] = set()
    for index, file in enumerate(files):
        path, place = file["path"], _at("files", index, "path")
        expected = _unsafe(path)
        if expected:
            yield f"PS4: {place}: expected {expected}, found {shown(path)}"
        elif not is_below(path, roots):
            yield (
                f"PL6: {place}: {shown(path)} is outside allowed_write_roots of policy {profile} ({', '.join(roots)}); "
                "write below one of them, or choose a profile that allows more"
            )
        if path in seen:
            yield f"PS5: {place}: expected one operation a path, found another on {shown(path)}"
        seen.add(path)
        if path in below:
            yield f"PS5: {place}: {shown(path)} is below {shown(below[path])}, which is a file in this intent"


def _amounts(files: list[dict[str, Any]], policy: dict[str, Any]) -> Iterator[str]:
    written = [file for file in files if file["op"] != "delete"]
    total = sum(len(file.get("content", "").encode()) for file in written)
    for what, found, limit in (
        ("files", len(written), "max_output_files"),
        ("bytes", total, "max_total_output_bytes"),
    ):
        if found > policy[limit]:
            yield (
                f"PL6: {_at('files')}: {found} {what} are declared, and {limit} of policy {policy['name']} is "
                f"{policy[limit]}; declare less, or choose a profile that allows more"
            )


def _commands(commands: list[dict[str, Any]], policy: dict[str, Any]) -> Iterator[str]:
    allowed = policy["allowed_commands"]
    for index, command in enumerate(commands):
        program = command["argv"][0]
        if allowed and program not in allowed:
            bare = "" if "/" not in program else " by its bare name"
            yield (
                f"PL6: {_at('commands', index, 'argv', 0)}: {shown(program)} is not in allowed_commands of policy "
                f"{policy['name']} ({', '.join(allowed)}); name one of them{bare}, or choose a profile that allows it"
            )
        for name in command.get("env", {}):
            if name.startswith(FORBIDDEN_PREFIXES):
                yield (
                    f"RN8: {_at('commands', index, 'env', name)}: a variable with the prefix "
                    f"{name.split('_')[0]}_ may carry a secret or steer the tools that run; give it another name"
                )
            elif name in FIXED_VARIABLES:
                yield (
                    f"RN8: {_at('commands', index, 'env', name)}: every sandbox sets {name} itself; "
                    "give it another name, or set it within the command"
                )


def _tests(tests: list[dict[str, Any]], commands: set[str]) -> Iterator[str]:
    for index, test in enumerate(tests):
        target, place = test["target"], _at("tests", index, "target")
        if target == "":
            yield f"PR8: {place}: expected what to test, found nothing"
        elif test["type"] == "command_success":
            if target not in commands:
                yield f"PR8: {place}: expected the id of a declared command, found {shown(target)}"
        else:
            expected = _unsafe(target)
            if expected:
                yield f"PS4: {place}: expected {expected}, found {shown(target)}"

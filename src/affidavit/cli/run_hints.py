"""Why a command that was stopped or denied something was, and what would allow it: for a person, who cannot see the
sandbox from outside. A guess from what the command said is told as one."""

from __future__ import annotations

from ..contracts.proposal import command_of
from ..kernel.propose import propose
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..harness.execute import Ran
    from ..harness.run import Finished

_NO_NETWORK = (
    b"Could not resolve", b"emporary failure in name resolution", b"Network is unreachable", b"ENOTFOUND", b"EAI_AGAIN",
    b"Name or service not known", b"ENETUNREACH", b"No route to host", b"nodename nor servname",
)  # fmt: skip
_NOT_WRITABLE = (b"Read-only file system", b"EROFS")
_NOT_FOUND = (b"not found", b"No such file or directory", b"ENOENT")
_NOT_EXECUTABLE = (b"Permission denied", b"EACCES")
_NOT_A_PROGRAM = b": not found"


def hints(finished: Finished) -> list[str]:
    """One line for each command that failed and has something to say, at most."""
    policy = finished.result["policy"]
    told: list[str] = []
    for ran in finished.commands:
        if ran.observation.status != 0:
            told += list(_of(ran, policy, declared_argv(finished, ran.command_id)))[:1]
    return told


def declared_argv(finished: Finished, command_id: str) -> list[str]:
    """A command's words as they are recorded: without secrets."""
    assert finished.outcome.kind == "BUNDLE"  # nothing else is executed
    for action in propose(finished.outcome.bundle)["actions"]:
        if action["type"] == "execute_command" and action["target"] == command_id:
            words: list[str] = command_of(action)["argv"]
            return words
    return []


def _of(ran: Ran, policy: dict[str, Any], argv: list[str]) -> Iterator[str]:
    name, seen, said = policy["name"], ran.observation, ran.tail
    listed = ", ".join(policy["allowed_commands"])
    if seen.outcome == "not_found":
        program = plain(argv[0]) if argv else "the program"
        if listed:
            yield f"{program} is not on this host, or policy {name} does not list it (allowed_commands: {listed})"
        else:
            yield f"{program} is not among this host's programs; install it, or bring it along as ./{program}"
    elif seen.outcome == "not_executable":
        yield f"{plain(argv[0])} is there and is no program: its bit is not set, or it stands where programs cannot"
    elif seen.timed_out:
        most = policy["timeout_ms"] // 1000
        yield f"--timeout allows up to {most} s under policy {name}; a profile with a larger timeout_ms allows more"
    elif seen.oom_killed:
        yield "the memory limit is 2 GiB for all processes together; nothing raises it"
    elif seen.over_output_cap:
        yield (
            f"policy {name} allows {policy['max_output_files']} files (max_output_files) and "
            f"{policy['max_total_output_bytes']} bytes (max_total_output_bytes); a profile may allow more"
        )
    elif any(text in said for text in _NOT_WRITABLE):
        roots = ", ".join(policy["allowed_write_roots"]) or "the workspace"
        yield f"it seems to write elsewhere than below {roots}; a profile with more allowed_write_roots allows it"
    elif not policy["allow_network"] and any(text in said for text in _NO_NETWORK):
        yield "it seems to want the network, and has none; a --policy-file with allow_network true allows it"
    elif listed and _NOT_A_PROGRAM in said:
        yield f"it seems to call a program that policy {name} does not list (allowed_commands: {listed})"
    elif any(text in said for text in _NOT_FOUND) and any(word.startswith("/") for word in argv[1:]):
        yield "it was given an absolute path; inside there is only the workspace: use a path relative to it"
    elif any(text in said for text in _NOT_EXECUTABLE):
        yield "it was denied something; inside, only the workspace's write roots and /tmp can be written"

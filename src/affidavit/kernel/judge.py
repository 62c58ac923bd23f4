"""The kernel's judgement of what was executed: accepted only when everything that was required is shown to have
happened, and every reason against it is listed."""

from __future__ import annotations

from ..contracts.proposal import command_of, proposal_hash
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

ACCEPTED = "All required actions and tests succeeded"
NOTHING_TO_EXECUTE = "Nothing to execute"

#: Statuses that say more than a program's own.
TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127
_ACTIONS = {"create_file": "create", "modify_file": "modify", "delete_file": "delete"}


class Judgement:
    """Whether a run is accepted, the exit code that says so (0 exactly then), and why."""

    __slots__ = ("accepted", "exit_code", "reasons")

    def __init__(self, exit_code: int, reasons: list[str]) -> None:
        self.accepted = exit_code == 0
        self.exit_code = exit_code
        self.reasons = reasons


def judge(
    proposal: dict[str, Any],
    evidence: dict[str, Any],
    policy: dict[str, Any],
    outputs: list[dict[str, Any]],
    breaches: list[str],
) -> Judgement:
    """`evidence` is a valid record, `outputs` what the run left below the write roots, `breaches` what the sandbox and
    the harness saw against the run that no record of results can hold."""
    results = {result["test_id"]: result for result in evidence["test_results"]}
    commands = [action for action in proposal["actions"] if action["type"] == "execute_command"]
    required = [
        *_agreement(proposal, evidence),
        *_files(proposal, evidence["action_results"]),
        *_commands([command for command in commands if command["required"]], results),
        *_tests([test for test in proposal["acceptance_tests"] if test["required"]], results),
        *_limits(policy, outputs),
        *breaches,
    ]
    optional = [
        f"Optional: {reason}"
        for reason in (
            *_commands([command for command in commands if not command["required"]], results),
            *_tests([test for test in proposal["acceptance_tests"] if not test["required"]], results),
        )
    ]
    if required:
        return Judgement(_first_failure(commands, results) or 1, [*required, *optional])
    if not proposal["actions"] and not proposal["acceptance_tests"]:
        return Judgement(0, [NOTHING_TO_EXECUTE])
    return Judgement(0, [ACCEPTED, *optional])


def evidence_status(proposal: dict[str, Any], actions: list[dict[str, Any]], tests: list[dict[str, Any]]) -> str:
    """`complete` when all went well, `failed` when something required did not, else `partial`."""
    needed = {action["target"] for action in proposal["actions"] if action["required"]}
    needed |= {test["id"] for test in proposal["acceptance_tests"] if test["required"]}
    failed = {action["path"] for action in actions if action["exit_code"] != 0}
    failed |= {test["test_id"] for test in tests if test["exit_code"] != 0 or not test["passed"]}
    if not failed:
        return "complete"
    return "failed" if failed & needed else "partial"


def _agreement(proposal: dict[str, Any], evidence: dict[str, Any]) -> Iterator[str]:
    if evidence["proposal_id"] != proposal["id"] or evidence["proposal_hash"] != proposal_hash(proposal):
        yield "EV1: the evidence speaks of another proposal"


def _files(proposal: dict[str, Any], results: list[dict[str, Any]]) -> Iterator[str]:
    done = {result["path"]: (index, result) for index, result in enumerate(results)}
    for action in proposal["actions"]:
        wanted = _ACTIONS.get(action["type"])
        if wanted is None:
            continue
        if action["target"] not in done:
            yield f'"{action["target"]}": {wanted} was not carried out'
            continue
        index, result = done[action["target"]]
        if result["action"] != wanted or result["exit_code"] != 0:
            yield f'"{action["target"]}": {wanted} failed (evidence /action_results/{index})'
        elif "expected_hash" in action and result["sha256"] != action["expected_hash"]:
            yield f'"{action["target"]}": the file is not what was declared (evidence /action_results/{index})'


def _commands(commands: list[dict[str, Any]], results: dict[str, dict[str, Any]]) -> Iterator[str]:
    for command in commands:
        name = command["target"]
        if name not in results:
            yield f'Command "{name}" was not run'
        elif results[name]["exit_code"] != 0:
            status = results[name]["exit_code"]
            yield f'Command "{name}" ended with {status}{_meaning(status, command)}'


def _meaning(status: int, command: dict[str, Any]) -> str:
    if status == TIMED_OUT:
        return ": it ran out of time (PL6: timeout_ms)"
    if status in (NOT_EXECUTABLE, NOT_FOUND):
        program = shown(command_of(command)["argv"][0])
        return f": no program {program} in the sandbox" if status == NOT_FOUND else f": {program} is not executable"
    return f": signal {status - 128}" if 128 < status < 193 else ""


def _tests(tests: list[dict[str, Any]], results: dict[str, dict[str, Any]]) -> Iterator[str]:
    for test in tests:
        if test["id"] not in results:
            yield f'Test "{test["id"]}" was not made'
        elif not results[test["id"]]["passed"]:
            yield f'Test "{test["id"]}" failed: {test["type"]} {test["target"]}'


def _limits(policy: dict[str, Any], outputs: list[dict[str, Any]]) -> Iterator[str]:
    if len(outputs) > policy["max_output_files"]:
        yield _exceeded("files", "max_output_files", policy)
    if sum(output["size_bytes"] for output in outputs) > policy["max_total_output_bytes"]:
        yield _exceeded("bytes", "max_total_output_bytes", policy)


def _exceeded(what: str, limit: str, policy: dict[str, Any]) -> str:
    return (
        f"PL6: the outputs exceed {limit} of policy {policy['name']} ({policy[limit]} {what}); "
        "write less, or choose a profile that allows more"
    )


def _first_failure(commands: list[dict[str, Any]], results: dict[str, dict[str, Any]]) -> int:
    for command in commands:
        result = results.get(command["target"])
        if command["required"] and result is not None and result["exit_code"] != 0:
            status: int = result["exit_code"]
            return status
    return 0

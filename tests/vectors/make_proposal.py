"""Vectors of the proposal (contracts 2.9)."""

from __future__ import annotations

from affidavit.contracts.proposal import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

_TEST = EXAMPLE["acceptance_tests"][0]
_KINDS = [action["type"] for action in EXAMPLE["actions"]]
_CREATE, _DELETE = _KINDS.index("create_file"), _KINDS.index("delete_file")

SCENARIOS = (
    Scenario(
        "SCHEMA-approval", "requires_approval is missing", "SCHEMA /requires_approval", drop("/requires_approval")
    ),
    Scenario(
        "SCHEMA-test", "a test has no target", "SCHEMA /acceptance_tests/0/target", drop("/acceptance_tests/0/target")
    ),
    Scenario("PR1-empty", "the version is empty", "PR1 /schema_version", put("/schema_version", "")),
    Scenario("PR1-major", "the version is of another major", "PR1 /schema_version", put("/schema_version", "2.0.0")),
    Scenario("PR2-id", "the bundle is not named", "PR2 /source_bundle_id", put("/source_bundle_id", "")),
    Scenario("PR2-bare", "the bundle's hash is bare", "PR2 /source_bundle_hash", put("/source_bundle_hash", "0" * 64)),
    Scenario("PR3-object", "actions are an object", "PR3 /actions", put("/actions", {})),
    Scenario("PR3-order", "an action has no order", "PR3 /actions/0/order", drop("/actions/0/order")),
    Scenario("PR4-twice", "an action stands twice", "PR4 /actions/1/id", put("/actions", [EXAMPLE["actions"][0]] * 2)),
    Scenario("PR5-type", "an action is of an unknown type", "PR5 /actions/0/type", put("/actions/0/type", "move_file")),
    Scenario("PR6-form", "the id has another form", "PR6 /id", put("/id", "proposal-1")),
    Scenario("PR6-action", "an action's id has another form", "PR6 /actions/0/id", put("/actions/0/id", "act_1")),
    Scenario("PR6-strict", "the id is another", "PR6 /id", put("/id", "prop_0123456789abcdef"), level="strict"),
    Scenario(
        "PR7-twice", "a test stands twice", "PR7 /acceptance_tests/1/id", put("/acceptance_tests", [_TEST, _TEST])
    ),
    Scenario(
        "PR8-type",
        "a test is of an unknown type",
        "PR8 /acceptance_tests/0/type",
        put("/acceptance_tests/0/type", "lint"),
    ),
    Scenario("PR9-high", "confidence is above 100", "PR9 /confidence", put("/confidence", 101)),
    Scenario("PR9-fraction", "confidence has a fraction", "PR9 /confidence", put("/confidence", 0.9)),
    Scenario("PR10-blank", "the summary is blank", "PR10 /summary", put("/summary", " \n")),
    Scenario(
        "PR11-actions",
        "a command stands before the files",
        "PR11 /actions/0/id",
        put("/actions", [EXAMPLE["actions"][-1], *EXAMPLE["actions"][:-1]]),
    ),
    Scenario(
        "PR11-tests",
        "tests are unsorted",
        "PR11 /acceptance_tests/0/id",
        put("/acceptance_tests", [_TEST, {**_TEST, "id": "a"}]),
    ),
    Scenario(
        "PR12-create",
        "create_file without content",
        f"PR12 /actions/{_CREATE}/content",
        drop(f"/actions/{_CREATE}/content"),
    ),
    Scenario(
        "PR12-delete",
        "delete_file with content",
        f"PR12 /actions/{_DELETE}/content",
        put(f"/actions/{_DELETE}/content", ""),
    ),
)

VALID = (
    Scenario(
        "valid-compat",
        "an older writer's ids and hash",
        "valid",
        put("/id", "p1"),
        put("/source_bundle_hash", "0" * 64),
        level="compat",
    ),
    Scenario("valid-nothing", "nothing to do", "valid", put("/actions", []), put("/acceptance_tests", [])),
)


def main() -> None:
    write_scenarios("proposal", EXAMPLE, (*VALID, *SCENARIOS))

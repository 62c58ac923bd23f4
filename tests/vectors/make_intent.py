"""Vectors of the intent (contracts 2.9)."""

from __future__ import annotations

from affidavit.contracts.intent import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

_WORK = "/context/work"

SCENARIOS = (
    Scenario("SCHEMA-goal-absent", "there is no goal", "SCHEMA /goal", drop("/goal")),
    Scenario("SCHEMA-goal-blank", "the goal is blank", "SCHEMA /goal", put("/goal", "\ufeff \u00a0\u2028\n")),
    Scenario("SCHEMA-goal-number", "the goal is a number", "SCHEMA /goal", put("/goal", 1)),
    Scenario("SCHEMA-unknown", "a member that nobody reads", "SCHEMA /constrains", put("/constrains", [])),
    Scenario("SCHEMA-constraints-text", "constraints are a string", "SCHEMA /constraints", put("/constraints", "x")),
    Scenario("SCHEMA-constraint-number", "a constraint is a number", "SCHEMA /constraints/0", put("/constraints/0", 1)),
    Scenario("SCHEMA-constraints-many", "1001 constraints", "SCHEMA /constraints", put("/constraints", ["x"] * 1001)),
    Scenario("SCHEMA-context-array", "the context is an array", "SCHEMA /context", put("/context", [])),
    Scenario("SCHEMA-work-null", "the work is null", "SCHEMA /context/work", put(_WORK, None)),
    Scenario("SCHEMA-work-unknown", "work of an unknown kind", f"SCHEMA {_WORK}/jobs", put(f"{_WORK}/jobs", [])),
    Scenario("SCHEMA-op", "an operation is unknown", f"SCHEMA {_WORK}/files/0/op", put(f"{_WORK}/files/0/op", "move")),
    Scenario(
        "SCHEMA-nul", "a content holds NUL", f"SCHEMA {_WORK}/files/0/content", put(f"{_WORK}/files/0/content", "\0")
    ),
    Scenario(
        "SCHEMA-delete-content",
        "a delete has content",
        f"SCHEMA {_WORK}/files/1/content",
        put(f"{_WORK}/files/1/content", ""),
    ),
    Scenario(
        "SCHEMA-file-mode",
        "a file has a member that nobody reads",
        f"SCHEMA {_WORK}/files/0/mode",
        put(f"{_WORK}/files/0/mode", "0755"),
    ),
    Scenario(
        "SCHEMA-argv-empty",
        "a command has no program",
        f"SCHEMA {_WORK}/commands/0/argv",
        put(f"{_WORK}/commands/0/argv", []),
    ),
    Scenario(
        "SCHEMA-argv-blank",
        "a program is the empty string",
        f"SCHEMA {_WORK}/commands/0/argv",
        put(f"{_WORK}/commands/0/argv", [""]),
    ),
    Scenario(
        "SCHEMA-argv-text",
        "argv is a string",
        f"SCHEMA {_WORK}/commands/0/argv",
        put(f"{_WORK}/commands/0/argv", "node x"),
    ),
    Scenario(
        "SCHEMA-id", "an id has a capital", f"SCHEMA {_WORK}/commands/0/id", put(f"{_WORK}/commands/0/id", "Build")
    ),
    Scenario(
        "SCHEMA-id-long",
        "an id has 65 characters",
        f"SCHEMA {_WORK}/commands/0/id",
        put(f"{_WORK}/commands/0/id", "a" * 65),
    ),
    Scenario(
        "SCHEMA-id-shared",
        "a test has the id of a command",
        f"SCHEMA {_WORK}/tests/0/id",
        put(f"{_WORK}/tests/0/id", "build"),
    ),
    Scenario(
        "SCHEMA-env-name",
        "a variable's name has a blank",
        f"SCHEMA {_WORK}/commands/0/env/A B",
        put(f"{_WORK}/commands/0/env/A B", ""),
    ),
    Scenario(
        "SCHEMA-env-number",
        "a variable is a number",
        f"SCHEMA {_WORK}/commands/0/env/N",
        put(f"{_WORK}/commands/0/env/N", 1),
    ),
    Scenario(
        "SCHEMA-required",
        "required is a string",
        f"SCHEMA {_WORK}/commands/0/required",
        put(f"{_WORK}/commands/0/required", "no"),
    ),
    Scenario(
        "SCHEMA-test-type",
        "a test is of an unknown type",
        f"SCHEMA {_WORK}/tests/0/type",
        put(f"{_WORK}/tests/0/type", "lint"),
    ),
    Scenario(
        "SCHEMA-expected-absent",
        "content_match without text",
        f"SCHEMA {_WORK}/tests/0/expected",
        drop(f"{_WORK}/tests/0/expected"),
    ),
    Scenario(
        "SCHEMA-expected-hash",
        "hash_match with text that is no hash",
        f"SCHEMA {_WORK}/tests/0/expected",
        put(f"{_WORK}/tests/0/type", "hash_match"),
    ),
)

VALID = (
    Scenario("valid-goal-alone", "a goal is enough", "valid", drop("/constraints"), drop("/context")),
    Scenario("valid-context", "the context is the writer's own", "valid", put("/context/ticket", {"nr": 7})),
    Scenario(
        "valid-no-content",
        "a file without content is a question, not a fault",
        "valid",
        drop(f"{_WORK}/files/0/content"),
    ),
    Scenario(
        "valid-unsafe-path", "an unsafe path is a refusal, not a fault", "valid", put(f"{_WORK}/files/0/path", "../x")
    ),
)


def main() -> None:
    write_scenarios("intent", EXAMPLE, (*VALID, *SCENARIOS))

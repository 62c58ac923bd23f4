"""Vectors of the bundle (contracts 2.3)."""

from __future__ import annotations

from affidavit.contracts.bundle import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios


def _question(number: int, priority: int) -> dict[str, object]:
    return {
        "id": f"q_{number:016x}",
        "text": "Which one?",
        "expected_answer_type": "choice",
        "why_needed": "It is open.",
        "information_gain": 50,
        "priority": priority,
        "options": ["a", "b"],
    }


_BRANCHES = [
    {"branch_id": "00000001", "answer": "a", "added_constraints": ["a", "b"]},
    {"branch_id": "00000002", "answer": "b", "added_constraints": []},
]
_SPLIT = {"question": _question(1, 50), "branches": _BRANCHES}

SCENARIOS = (
    *(
        Scenario(f"SCHEMA-{member.replace('_', '-')}", f"{member} is missing", f"SCHEMA /{member}", drop(f"/{member}"))
        for member in EXAMPLE
        if member != "source_intent_hash"
    ),
    Scenario("SCHEMA-status", "the status is unknown", "SCHEMA /status", put("/status", "done")),
    Scenario(
        "SCHEMA-node", "a node lacks its density", "SCHEMA /terminal_nodes/0/density", drop("/terminal_nodes/0/density")
    ),
    Scenario(
        "SCHEMA-fraction",
        "a score has a fraction",
        "SCHEMA /root_node/entropy/entropy_score",
        put("/root_node/entropy/entropy_score", 0.5),
    ),
    Scenario(
        "SCHEMA-score",
        "a score is above 100",
        "SCHEMA /root_node/density/density_score",
        put("/root_node/density/density_score", 101),
    ),
    Scenario(
        "SCHEMA-output-type",
        "an output is of an unknown type",
        "SCHEMA /outputs/0/type",
        put("/outputs/0/type", "image"),
    ),
    Scenario(
        "SCHEMA-question",
        "a question has no reason",
        "SCHEMA /unresolved_questions/0/why_needed",
        put("/unresolved_questions", [_question(1, 50)]),
        drop("/unresolved_questions/0/why_needed"),
    ),
    Scenario(
        "SCHEMA-first",
        "while the shape is wrong nothing else is told",
        "SCHEMA /stats",
        drop("/stats"),
        put("/schema_version", ""),
        put("/outputs/0/path", "/x"),
    ),
    Scenario(
        "SCHEMA-strict-count",
        "a count is wrong",
        ["BS2 /id", "SCHEMA /stats/total_outputs"],
        put("/stats/total_outputs", 9),
        level="strict",
    ),
    Scenario(
        "SCHEMA-strict-score",
        "a score does not follow",
        ["BS2 /id", "SCHEMA /root_node/density/density_score"],
        put("/root_node/density/density_score", 1),
        level="strict",
    ),
    Scenario(
        "SCHEMA-strict-mean",
        "a mean is wrong",
        ["BS2 /id", "SCHEMA /stats/avg_terminal_density"],
        put("/stats/avg_terminal_density", 1),
        level="strict",
    ),
    Scenario("BS1-empty", "the version is empty", "BS1 /schema_version", put("/schema_version", "")),
    Scenario("BS1-number", "the version is a number", "BS1 /schema_version", put("/schema_version", 0.1)),
    Scenario("BS1-major", "the version is of another major", "BS1 /schema_version", put("/schema_version", "1.0.0")),
    Scenario(
        "BS2-strict-form", "an id has another form", "BS2 /outputs/0/id", put("/outputs/0/id", "out-1"), level="strict"
    ),
    Scenario("BS3-unsorted", "outputs are unsorted", "BS3 /outputs/0/path", put("/outputs", EXAMPLE["outputs"][::-1])),
    Scenario(
        "BS4-node",
        "a node's constraints are unsorted",
        "BS4 /root_node/constraints/0",
        put("/root_node/constraints", ["b", "a"]),
    ),
    Scenario(
        "BS4-terminal",
        "a terminal node's constraints are unsorted",
        "BS4 /terminal_nodes/0/constraints/0",
        put("/terminal_nodes/0/constraints", ["b", "a"]),
    ),
    Scenario(
        "BS4-output",
        "an output's constraints are unsorted",
        "BS4 /outputs/1/source_constraints/0",
        put("/outputs/1/source_constraints", ["b", "a"]),
    ),
    Scenario(
        "BS4-branch",
        "a branch's constraints are unsorted",
        "BS4 /root_node/splitting_question/branches/0/added_constraints/0",
        put("/root_node/splitting_question", _SPLIT),
        put("/root_node/splitting_question/branches/0/added_constraints", ["b", "a"]),
    ),
    Scenario(
        "BS5-priority",
        "a question of low priority stands first",
        "BS5 /unresolved_questions/0/id",
        put("/unresolved_questions", [_question(1, 10), _question(2, 20)]),
    ),
    Scenario(
        "BS5-id",
        "questions of one priority are not by id",
        "BS5 /root_node/unresolved_questions/0/id",
        put("/root_node/unresolved_questions", [_question(2, 10), _question(1, 10)]),
    ),
    Scenario(
        "BS5-options",
        "options are unsorted",
        "BS5 /unresolved_questions/0/options/0",
        put("/unresolved_questions", [_question(1, 10)]),
        put("/unresolved_questions/0/options", ["b", "a"]),
    ),
    Scenario(
        "BS5-branches",
        "branches are unsorted",
        "BS5 /root_node/splitting_question/branches/0/branch_id",
        put("/root_node/splitting_question", _SPLIT),
        put("/root_node/splitting_question/branches", _BRANCHES[::-1]),
    ),
    Scenario(
        "BS6-nodes",
        "terminal nodes are unsorted",
        "BS6 /terminal_nodes/0/id",
        put("/terminal_nodes/-", EXAMPLE["root_node"]),
        put("/terminal_nodes/1/id", "a"),
    ),
    Scenario(
        "BS6-children", "children are unsorted", "BS6 /root_node/children/0", put("/root_node/children", ["b", "a"])
    ),
    Scenario("BS7-absolute", "a path is absolute", "BS7 /outputs/0/path", put("/outputs/0/path", "/out/x")),
    Scenario("BS7-drive", "a path is on a drive", "BS7 /outputs/0/path", put("/outputs/0/path", "C:x")),
    Scenario("BS7-climbs", "a path climbs", "BS7 /outputs/0/path", put("/outputs/0/path", "out/../../x")),
    Scenario("BS7-backslash", "a path has a backslash", "BS7 /outputs/0/path", put("/outputs/0/path", "out\\x")),
)

VALID = (
    Scenario("valid-older", "an older writer knows no hash of the intent", "valid", drop("/source_intent_hash")),
    Scenario(
        "valid-questions",
        "questions in their order",
        "valid",
        put("/unresolved_questions", [_question(2, 20), _question(1, 10), _question(3, 10)]),
        put("/root_node/splitting_question", _SPLIT),
    ),
    Scenario(
        "valid-prefixed", "a content hash with prefix", "valid", put("/outputs/0/content_hash", "sha256:" + "0" * 64)
    ),
    Scenario("valid-dots", "two dots inside a name climb nowhere", "valid", put("/outputs/0/path", "a..b/x")),
)


def main() -> None:
    write_scenarios("bundle", EXAMPLE, (*VALID, *SCENARIOS))

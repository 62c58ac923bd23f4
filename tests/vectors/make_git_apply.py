"""Vectors of the git apply result (contracts 2.10)."""

from __future__ import annotations

from affidavit.contracts.git_apply import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

F = "/changed_files"
HEAD = "89abcdef0123456789abcdef0123456789abcdef"

SCENARIOS = (
    Scenario("SCHEMA-branch", "there is no branch", "SCHEMA /branch", drop("/branch")),
    Scenario(
        "SCHEMA-head", "a head that is no object", "SCHEMA /branch/head_before", put("/branch/head_before", "main")
    ),
    Scenario("SCHEMA-sum", "a sum that is none", "SCHEMA /summary/created", put("/summary/created", 0)),
    Scenario("SCHEMA-why", "a refusal without a reason", "SCHEMA /error", put("/outcome", "REFUSED")),
    Scenario("SCHEMA-hash", "a bare hash", "SCHEMA /apply_result_hash", put("/apply_result_hash", "0" * 64)),
    Scenario(
        "SCHEMA-compat-hash",
        "an older writer's bare hash",
        "valid",
        put("/apply_result_hash", "0" * 64),
        level="compat",
    ),
    Scenario("GA1-absent", "there is no version", "GA1 /git_apply_schema_version", drop("/git_apply_schema_version")),
    Scenario(
        "GA1-major", "another major version", "GA1 /git_apply_schema_version", put("/git_apply_schema_version", "2.0.0")
    ),
    Scenario(
        "GA2-unknown",
        "a success that did not look",
        "GA2 /git_state/clean_before",
        put("/git_state/clean_before", None),
    ),
    Scenario("GA2-text", "clean is a text", "GA2 /git_state/clean_after", put("/git_state/clean_after", "yes")),
    Scenario("GA3-climbs", "a path climbs", f"GA3 {F}/0/path", put(f"{F}/0/path", "../greeting.txt")),
    Scenario("GA3-absolute", "a path is absolute", f"GA3 {F}/0/path", put(f"{F}/0/path", "/greeting.txt")),
    Scenario(
        "GA5-order",
        "files out of order",
        f"GA5 {F}/1/path",
        put(f"{F}/-", {**EXAMPLE["changed_files"][0], "path": "a"}),
        put("/summary/total_files", 2),
        put("/summary/created", 2),
    ),
    Scenario(
        "GA5-violations",
        "violations out of order",
        "GA5 /violations/1",
        put("/violations", [{"rule_id": "PS2", "message": "b"}, {"rule_id": "PS1", "message": "a"}]),
    ),
    *(
        Scenario(f"GA6-{name}", f"a branch named {text!r}", "GA6 /branch/name", put("/branch/name", text))
        for name, text in (
            ("empty", ""),
            ("option", "-f"),
            ("dots", "a..b"),
            ("space", "a b"),
            ("reflog", "a@{1}"),
            ("head", "HEAD"),
            ("lock", "a.lock"),
            ("slash", "a/"),
            ("dot", "a/.b"),
            ("tilde", "a~1"),
        )
    ),
    Scenario(
        "GA7-moved", "a dry run that moved the head", "GA7 /branch/head_after", put("/dry_run", True), drop("/commit")
    ),
    Scenario(
        "GA7-commit",
        "a dry run with a commit",
        ["GA7 /commit"],
        put("/dry_run", True),
        put("/branch/head_before", HEAD),
    ),
    Scenario("GA9-root", "the repository is absolute", "GA9 /repo_root", put("/repo_root", "/srv/repo")),
    Scenario("GA10-head", "the commit is not the head", "GA10 /branch/head_after", put("/branch/head_after", "0" * 40)),
    Scenario("GA10-message", "a commit without message", "GA10 /commit/message", put("/commit/message", "")),
    Scenario(
        "valid-no-commit",
        "no commit",
        "valid",
        drop("/commit"),
        put("/branch/head_after", EXAMPLE["branch"]["head_before"]),
    ),
    Scenario(
        "GA12-absent", "a written file without hash", f"GA12 {F}/0/content_hash", put(f"{F}/0/content_hash", None)
    ),
    Scenario("GA12-blob", "the name of a git object", f"GA12 {F}/0/content_hash", put(f"{F}/0/content_hash", "0" * 40)),
    Scenario(
        "GA12-delete",
        "a deleted file with a hash",
        f"GA12 {F}/0/content_hash",
        put(f"{F}/0/op", "delete"),
        put("/summary/created", 0),
        put("/summary/deleted", 1),
    ),
)


def main() -> None:
    write_scenarios("git_apply", EXAMPLE, SCENARIOS)

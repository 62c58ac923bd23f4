"""Vectors of the run directory (contracts 4.2-4.4): runs as tests/support/run_directories.py tells them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from affidavit.contracts.artifact_index import OLD_SCHEMA_VERSION
from tests.support.run_directories import RUN_ID, index_anew, text, told
from tests.support.vectors import Scenario, drop, put, write_scenarios

if TYPE_CHECKING:
    from tests.support.vectors import Edit


def in_document(name: str, member: str, value: object) -> tuple[Edit, Edit]:
    """A member of a document, and an index that fits."""

    def edit(run: Any) -> None:
        run["files"][name] = text({**json.loads(run["files"][name]), member: value})

    return edit, index_anew


def add(name: str, content: str) -> tuple[Edit, Edit]:
    return put(f"/files/{name}", content), index_anew


def entry(run: Any, name: str) -> Any:
    return next(found for found in run["index"]["artifacts"] if found["path"].endswith("/" + name))


def in_entry(name: str, member: str, value: object) -> Edit:
    def edit(run: Any) -> None:
        entry(run, name)[member] = value

    return edit


def unlisted(name: str) -> Edit:
    def edit(run: Any) -> None:
        run["index"]["artifacts"].remove(entry(run, name))

    return edit


SCENARIOS = (
    Scenario("RD1-in-progress", "its writer is still writing", ["RD1 run_status.json"],
             *in_document("run_status.json", "state", "in_progress")),
    Scenario("RD2-absent", "there is no index", "RD2 artifact_index.json", put("/index", None)),
    Scenario("RD2-json", "the index is no JSON", "RD2 artifact_index.json", put("/index", "{")),
    Scenario("RD2-rules", "the index breaks a rule of its own", "RD2 artifact_index.json",
             put("/index/status", "fine")),
    Scenario("RD2-climbs", "a path of the index leads out", "RD2 artifact_index.json",
             in_entry("stdout", "path", f"out/{RUN_ID}/../stdout")),
    Scenario("RD3-content", "a file has other content", "RD3 stdout", put("/files/stdout", "hellO\n")),
    Scenario("RD3-size", "a file has grown", "RD3 stdout", put("/files/stdout", "hello\n\n")),
    Scenario("RD3-gone", "a file is gone", "RD3 stdout", drop("/files/stdout")),
    Scenario("RD3-symlink", "a file is a symlink", "RD3 outputs/link", *add("outputs~1link", ""),
             drop("/files/outputs~1link"), put("/kinds", {"outputs/link": "symlink"})),
    Scenario("RD4-unindexed", "a file has no entry", "RD4 notes", put("/files/notes", "")),
    Scenario("RD4-fifo", "a FIFO stands there", "RD4 pipe", put("/kinds", {"pipe": "FIFO"})),
    Scenario("RD5-name", "the directory is called otherwise", "RD5 artifact_index.json", put("/name", "run-2")),
    Scenario("RD5-run", "the result is of another run", "RD5 run.json", *in_document("run.json", "run_id", "run-2")),
    Scenario("RD5-world", "the status is of another world", "RD5 run_status.json",
             *in_document("run_status.json", "world_id", "elsewhere")),
    Scenario("RD6-status", "complete, and indexed as failed", "RD6 artifact_index.json",
             put("/index/status", "failed")),
    Scenario("RD7-schema", "the index tells another schema", "RD7 run_status.json",
             in_entry("run_status.json", "schema_version", "x.v1")),
    Scenario("RD8-there", "what is called missing is there", ["RD4 stdout", "RD8 stdout"], unlisted("stdout"),
             put("/index/missing", [f"out/{RUN_ID}/stdout"]), put("/index/status", "partial")),
    Scenario("RD8-strict", "what the result speaks of is neither there nor missing",
             ["RD8 intent.json", "RD8 runner.json", "RD8 evidence.json", "RD8 patch.json", "RD8 bundle.json",
              "RD8 stderr", "RD8 outputs/out/page.html", "RD8 outputs/out/page.md"], level="strict"),
    Scenario("RD9-rules", "a document breaks a rule of its own", ["RD9 policy.json", "RD11 policy.json"],
             *in_document("policy.json", "timeout_ms", 1)),
    Scenario("RD9-json", "a document is no JSON", "RD9 policy.json", *add("policy.json", "{")),
    Scenario("RD11-stdout", "the output is another than the result says", "RD11 run.json", *add("stdout", "HELLO\n")),
    Scenario("RD11-policy", "the policy is another than the result's", "RD11 policy.json",
             *in_document("policy.json", "name", "custom")),
    Scenario("RD10-indented", "an index of ours was written again by another hand", "RD10 artifact_index.json",
             put("/indented", True)),
)  # fmt: skip

VALID = (
    Scenario("valid-compat-unindexed", "an older writer's index lists some files", "valid", unlisted("stdout"),
             level="compat"),
    Scenario("valid-compat-name", "the directory is called otherwise", "valid", put("/name", "run-2"), level="compat"),
    Scenario("valid-compat-indented", "another hand wrote the index", "valid", put("/indented", True), level="compat"),
    Scenario("valid-old", "an index of the older name", "valid", put("/index/schema_version", OLD_SCHEMA_VERSION)),
)  # fmt: skip


def main() -> None:
    write_scenarios("run_directory", told(), (*VALID, *SCENARIOS))

"""Vectors of the artifact index (seed 003, section 1.3; contracts 4.2, 4.3)."""

from __future__ import annotations

from affidavit.contracts.artifact_index import EXAMPLE, OLD_SCHEMA_VERSION
from tests.support.vectors import Scenario, drop, put, write_scenarios

A = "/artifacts"
PREFIX = "project/out/hr_mk2h8w00_1f2e3d4c"

SCENARIOS = (
    Scenario("SCHEMA-artifacts", "there are no artifacts", "SCHEMA /artifacts", drop(A)),
    Scenario("SCHEMA-missing", "missing is an object", "SCHEMA /missing", put("/missing", {})),
    Scenario(
        "IX1-unknown", "an unknown schema", "IX1 /schema_version", put("/schema_version", "x.artifact_index.v0.1")
    ),
    Scenario("IX1-absent", "no schema", "IX1 /schema_version", drop("/schema_version")),
    Scenario("valid-old", "an older writer's name of the schema", "valid", put("/schema_version", OLD_SCHEMA_VERSION)),
    Scenario("IX2-run", "no run is named", "IX2 /run_id", drop("/run_id")),
    Scenario("IX2-world", "the world has no name", "IX2 /world_id", put("/world_id", "")),
    Scenario("IX3-empty", "nothing is indexed", "IX3 /artifacts", put(A, [])),
    Scenario("IX3-digest", "an entry without digest", f"IX3 {A}/0/sha256", drop(f"{A}/0/sha256")),
    Scenario(
        "IX3-prefixed", "a digest with its algorithm", f"IX3 {A}/0/sha256", put(f"{A}/0/sha256", "sha256:" + "0" * 64)
    ),
    Scenario("IX3-size", "an entry without size", f"IX3 {A}/1/file_size", drop(f"{A}/1/file_size")),
    Scenario("IX3-negative", "a negative size", f"IX3 {A}/1/file_size", put(f"{A}/1/file_size", -1)),
    Scenario(
        "IX3-strict-no-json",
        "a text with a schema",
        f"IX3 {A}/1/schema_version",
        put(f"{A}/1/schema_version", "x"),
        level="strict",
    ),
    Scenario("IX3-more", "an entry with another member", f"IX3 {A}/1/mode", put(f"{A}/1/mode", "0644")),
    Scenario("IX3-compat-more", "an older writer's member", "valid", put(f"{A}/1/mode", "0644"), level="compat"),
    Scenario(
        "IX3-strict-schema",
        "an entry that does not tell its schema",
        f"IX3 {A}/1/schema_version",
        drop(f"{A}/1/schema_version"),
        level="strict",
    ),
    Scenario(
        "IX4-absolute", "a path is absolute", [f"IX4 {A}/1/path", f"IX7 {A}/1/path"], put(f"{A}/1/path", "/etc/passwd")
    ),
    Scenario("IX4-climbs", "a path climbs", f"IX4 {A}/1/path", put(f"{A}/1/path", f"{PREFIX}/../x")),
    Scenario("IX4-twice", "a path twice", f"IX4 {A}/1/path", put(f"{A}/1/path", f"{PREFIX}/run_status.json")),
    Scenario(
        "IX4-itself", "the index lists itself", f"IX4 {A}/1/path", put(f"{A}/1/path", f"{PREFIX}/artifact_index.json")
    ),
    Scenario(
        "IX4-strict-order",
        "entries out of order",
        f"IX4 {A}/0/path",
        put(f"{A}/1/path", f"{PREFIX}/a"),
        level="strict",
    ),
    Scenario(
        "IX4-strict-case",
        "two paths that differ by case",
        f"IX4 {A}/1/path",
        put(f"{A}/0/path", f"{PREFIX}/STDOUT.txt"),
        put(f"{A}/0/schema_version", None),
        put(f"{A}/-", {**EXAMPLE["artifacts"][1], "path": f"{PREFIX}/z"}),
        level="strict",
    ),
    Scenario(
        "IX5-climbs",
        "a missing path climbs",
        ["IX5 /missing/0"],
        put("/missing", [f"{PREFIX}/../x"]),
        put("/status", "partial"),
    ),
    Scenario(
        "IX5-there",
        "what is missing is listed",
        "IX5 /missing/0",
        put("/missing", [f"{PREFIX}/stdout.txt"]),
        put("/status", "partial"),
    ),
    Scenario(
        "IX5-order",
        "missing paths out of order",
        "IX5 /missing/0",
        put("/missing", [f"{PREFIX}/y", f"{PREFIX}/x"]),
        put("/status", "partial"),
    ),
    Scenario(
        "IX5-twice",
        "a missing path twice",
        "IX5 /missing/1",
        put("/missing", [f"{PREFIX}/x", f"{PREFIX}/x"]),
        put("/status", "partial"),
    ),
    Scenario("IX6-unknown", "an unknown status", "IX6 /status", put("/status", "complete")),
    Scenario("IX6-ok", "ok although something is missing", "IX6 /status", put("/missing", [f"{PREFIX}/x"])),
    Scenario("IX6-partial", "partial although nothing is missing", "IX6 /status", put("/status", "partial")),
    Scenario(
        "IX7-outside", "an entry elsewhere", f"IX7 {A}/1/path", put(f"{A}/1/path", "project/out/other/stdout.txt")
    ),
    Scenario("IX7-run", "the prefix is of another run", "IX7 /artifacts", put("/run_id", "hr_other")),
)


def main() -> None:
    write_scenarios("artifact_index", EXAMPLE, SCENARIOS)

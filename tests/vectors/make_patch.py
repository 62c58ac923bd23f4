"""Vectors of the patch (contracts 2.4)."""

from __future__ import annotations

from affidavit.contracts.patch import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

BARE = "90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be"
OTHER = "sha256:" + "0" * 64


def _path(name: str, scenario: str, path: str, rule: str = "PS4", *, first: bool = False) -> Scenario:
    """A path in place of the last operation's, or of the first's: where it stands in order."""
    place = f"/operations/{0 if first else 1}/path"
    return Scenario(f"{rule}-{name}", scenario, f"{rule} {place}", put(place, path))


SCENARIOS = (
    Scenario("SCHEMA-operations", "there are no operations", "SCHEMA /operations", drop("/operations")),
    Scenario("SCHEMA-operations-object", "operations are an object", "SCHEMA /operations", put("/operations", {})),
    Scenario("SCHEMA-operation", "an operation is a string", "SCHEMA /operations/0", put("/operations/0", "delete")),
    Scenario("SCHEMA-proposal", "no proposal is named", "SCHEMA /source_proposal_id", put("/source_proposal_id", "")),
    Scenario(
        "SCHEMA-proposal-hash",
        "the proposal's hash is bare",
        "SCHEMA /source_proposal_hash",
        put("/source_proposal_hash", "0" * 64),
    ),
    Scenario(
        "SCHEMA-strict-proposal",
        "the proposal's id has another form",
        "SCHEMA /source_proposal_id",
        put("/source_proposal_id", "proposal-1"),
        level="strict",
    ),
    Scenario("PS1-absent", "there is no version", "PS1 /patch_schema_version", drop("/patch_schema_version")),
    Scenario("PS1-empty", "the version is empty", "PS1 /patch_schema_version", put("/patch_schema_version", "")),
    Scenario("PS1-major", "another major version", "PS1 /patch_schema_version", put("/patch_schema_version", "2.0.0")),
    Scenario("PS2-unknown", "an unknown operation", "PS2 /operations/0/op", put("/operations/0/op", "rename")),
    Scenario("PS2-absent", "no operation is named", "PS2 /operations/0/op", drop("/operations/0/op")),
    Scenario("PS2-case", "an operation in capitals", "PS2 /operations/0/op", put("/operations/0/op", "DELETE")),
    _path("absolute", "a path is absolute", "/etc/passwd", "PS3", first=True),
    _path("drive", "a path is on a drive", "C:/page.md", "PS3", first=True),
    _path("drive-relative", "a path is relative to a drive", "c:page.md", "PS3", first=True),
    _path("climbs", "a path climbs", "out/x/../../../page.md"),
    _path("climbs-out", "a path starts with the way up", "../page.md", first=True),
    _path("backslash", "a path has a backslash", "out\\page.md"),
    _path("control", "a path has a control character", "out/page\u007f.md"),
    _path("line-end", "a path has a line end inside", "out/pa\nge.md"),
    _path("blank-before", "a path starts with a blank", " out/page.md", first=True),
    _path("blank-behind", "a path ends with a blank", "out/page.md "),
    _path("dot-before", "a path starts with the dot", "./out/page.md", first=True),
    _path("dot-inside", "a path has a dot segment", "out/x/./page.md"),
    _path("dot", "a path is the dot", ".", first=True),
    _path("double-slash", "a path has an empty segment", "out/x//page.md"),
    _path("slash-behind", "a path ends with a slash", "out/page/"),
    _path("empty", "a path is empty", "", first=True),
    _path("git", "a path lies in .git", ".git/hooks/post-checkout", first=True),
    _path("git-case", "a path lies in .GIT", ".GIT/config", first=True),
    _path("git-below", "a path lies in a nested .git", "vendor/.git/config"),
    Scenario("PS4-absent", "there is no path", "PS4 /operations/0/path", drop("/operations/0/path")),
    Scenario("PS5-twice", "a path stands twice", "PS5 /operations/1/path", put("/operations/1/path", "out/old.html")),
    Scenario(
        "PS5-below",
        "a path lies below a file",
        "PS5 /operations/1/path",
        put("/operations/1/path", "out/old.html/x/page.md"),
    ),
    Scenario(
        "PS5-above",
        "a path lies above a file",
        "PS5 /operations/1/path",
        put("/operations/0/path", "out/page.md"),
        put("/operations/1/path", "out/page.md/x"),
    ),
    Scenario("PS6-number", "the content is a number", "PS6 /operations/1/content", put("/operations/1/content", 1)),
    Scenario(
        "PS6-nul", "the content has a NUL", "PS6 /operations/1/content", put("/operations/1/content", "# Hell\x00\n")
    ),
    Scenario("PS6-delete", "a delete has content", "PS6 /operations/0/content", put("/operations/0/content", "")),
    Scenario(
        "PS6-hash", "expected_hash is bare", "PS6 /operations/1/expected_hash", put("/operations/1/expected_hash", BARE)
    ),
    Scenario(
        "PS6-strict-hash",
        "expected_hash is another's",
        "PS6 /operations/1/expected_hash",
        put("/operations/1/expected_hash", OTHER),
        level="strict",
    ),
    Scenario(
        "PS6-no-content",
        "a create has no content",
        ["PS6 /operations/1/content", "PS7 /total_bytes"],
        drop("/operations/1/content"),
    ),
    Scenario("PS7-less", "the total is too small", "PS7 /total_bytes", put("/total_bytes", 7)),
    Scenario("PS7-negative", "the total is negative", "PS7 /total_bytes", put("/total_bytes", -1)),
    Scenario("PS7-fraction", "the total has a fraction", "PS7 /total_bytes", put("/total_bytes", 8.5)),
    Scenario("PS7-absent", "there is no total", "PS7 /total_bytes", drop("/total_bytes")),
    Scenario(
        "PS7-characters",
        "the total counts characters, not bytes",
        "PS7 /total_bytes",
        put("/operations/1/content", "# H\u00e9llo\n"),
    ),
    Scenario("PS7-size", "a size is text", "PS7 /operations/1/size_bytes", put("/operations/1/size_bytes", "8")),
    Scenario(
        "PS7-strict-size",
        "a size is another's",
        "PS7 /operations/1/size_bytes",
        put("/operations/1/size_bytes", 9),
        level="strict",
    ),
    Scenario("PS8-order", "operations are not in order", "PS8 /operations/1", put("/operations/0/order", 1)),
    Scenario("PS8-path", "paths are not in order", "PS8 /operations/1", put("/operations/0/path", "out/z.html")),
    Scenario(
        "PS8-absent",
        "an absent order is 0",
        "PS8 /operations/1",
        put("/operations/0/order", 1),
        drop("/operations/1/order"),
    ),
    Scenario("PS8-text", "an order is text", "PS8 /operations/0/order", put("/operations/0/order", "0")),
    Scenario(
        "PS9-symlink",
        "an operation makes a symlink",
        ["PS2 /operations/0/op", "PS9 /operations/0/op"],
        put("/operations/0/op", "symlink"),
    ),
)

VALID = (
    Scenario("valid-empty", "nothing to do", "valid", put("/operations", []), put("/total_bytes", 0), level="strict"),
    Scenario(
        "valid-minor",
        "a newer minor version, unknown members",
        "valid",
        put("/patch_schema_version", "1.7.0"),
        put("/x", 1),
        put("/operations/0/mode", "0644"),
    ),
    Scenario(
        "valid-order",
        "order comes before path",
        "valid",
        put("/operations/0/path", "out/z.html"),
        put("/operations/1/order", 1),
        level="strict",
    ),
    Scenario("valid-no-order", "an absent order is 0", "valid", drop("/operations/0/order"), level="strict"),
    Scenario(
        "valid-dots",
        "dots in names are no way up",
        "valid",
        put("/operations/1/path", "out/v..1/...md"),
        level="strict",
    ),
    Scenario(
        "valid-neighbours",
        "a name that only begins like another",
        "valid",
        put("/operations/1/path", "out/old.html.d/x"),
        level="strict",
    ),
    Scenario(
        "valid-gitignore",
        "what only begins like .git",
        "valid",
        put("/operations/1/path", "x/.gitignore"),
        level="strict",
    ),
    Scenario(
        "valid-delete-hash",
        "a delete tells what it removes",
        "valid",
        put("/operations/0/expected_hash", OTHER),
        put("/operations/0/size_bytes", 5),
        level="strict",
    ),
    Scenario(
        "valid-other-hash",
        "at spec a hash is not compared",
        "valid",
        put("/operations/1/expected_hash", OTHER),
        put("/operations/1/size_bytes", 9),
    ),
    Scenario(
        "valid-compat-bare",
        "an older writer's bare hashes",
        "valid",
        put("/source_proposal_hash", "0" * 64),
        put("/operations/1/expected_hash", "1" * 64),
        level="compat",
    ),
    Scenario("valid-compat-id", "an older writer's id", "valid", put("/source_proposal_id", "p1"), level="compat"),
)


def main() -> None:
    write_scenarios("patch", EXAMPLE, (*VALID, *SCENARIOS))

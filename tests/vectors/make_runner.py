"""Vectors of the runner record, from seed 001's example."""

from __future__ import annotations

from affidavit.contracts.runner import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-platform-absent", "a section is missing", "SCHEMA /platform", drop("/platform")),
    Scenario("SCHEMA-limits-array", "a section is an array", "SCHEMA /limits", put("/limits", [])),
    Scenario(
        "SCHEMA-allowlist-object", "a list is an object", "SCHEMA /commands/allowlist", put("/commands/allowlist", {})
    ),
    Scenario("SCHEMA-warnings-unsorted", "warnings are unsorted", "SCHEMA /warnings/0", put("/warnings", ["b", "a"])),
    Scenario("SCHEMA-ephemeral-text", "ephemeral is a string", "SCHEMA /ephemeral", put("/ephemeral", "x")),
    Scenario("RN1-absent", "the version is missing", "RN1 /runner_schema_version", drop("/runner_schema_version")),
    Scenario("RN1-other", "the version is 1.0.1", "RN1 /runner_schema_version", put("/runner_schema_version", "1.0.1")),
    Scenario("RN1-number", "the version is a number", "RN1 /runner_schema_version", put("/runner_schema_version", 1)),
    Scenario("RN2-absent", "runner_id is missing", "RN2 /runner_id", drop("/runner_id")),
    Scenario(
        "RN2-line-end",
        "runner_id ends in a line end",
        "RN2 /runner_id",
        put("/runner_id", "runner_20260106_120000_a\n"),
    ),
    Scenario(
        "RN2-foreign-digits",
        "runner_id has digits that are not ASCII",
        "RN2 /runner_id",
        put("/runner_id", "runner_٢٠٢٦٠١٠٦_120000_a"),
    ),
    Scenario("RN2-version-empty", "runner_version is empty", "RN2 /runner_version", put("/runner_version", "")),
    Scenario("RN3-os", "the system is unknown", "RN3 /platform/os", put("/platform/os", "plan9")),
    Scenario("RN3-arch", "the architecture is unknown", "RN3 /platform/arch", put("/platform/arch", "x86_64")),
    Scenario(
        "RN3-node", "node's version lacks its v", "RN3 /platform/node_version", put("/platform/node_version", "24.1.0")
    ),
    Scenario(
        "RN3-npm", "npm's version has two numbers", "RN3 /platform/npm_version", put("/platform/npm_version", "10.9")
    ),
    Scenario("RN3-npm-absent", "npm's version is missing", "RN3 /platform/npm_version", drop("/platform/npm_version")),
    Scenario("RN4-backend", "the backend is unknown", "RN4 /sandbox/backend", put("/sandbox/backend", "bubblewrap")),
    Scenario(
        "RN4-level",
        "the isolation level is unknown",
        "RN4 /sandbox/isolation_level",
        put("/sandbox/isolation_level", ""),
    ),
    Scenario(
        "RN4-none",
        "no isolation, and yet a backend",
        "RN4 /sandbox/backend",
        put("/sandbox/isolation_level", "none"),
    ),
    Scenario("RN4-number", "a boolean is a number", "RN4 /sandbox/network_blocked", put("/sandbox/network_blocked", 1)),
    Scenario(
        "RN5-timeout-low", "the timeout is below a second", "RN5 /limits/timeout_ms", put("/limits/timeout_ms", 999)
    ),
    Scenario(
        "RN5-timeout-high", "the timeout is too long", "RN5 /limits/timeout_ms", put("/limits/timeout_ms", 600001)
    ),
    Scenario("RN5-true", "true is no integer", "RN5 /limits/max_output_files", put("/limits/max_output_files", True)),
    Scenario(
        "RN5-fraction", "a limit has a fraction", "RN5 /limits/max_output_files", put("/limits/max_output_files", 1.5)
    ),
    Scenario("RN5-memory", "no memory at all", "RN5 /limits/max_memory_bytes", put("/limits/max_memory_bytes", 0)),
    Scenario("RN5-cpu", "less than no time", "RN5 /limits/max_cpu_seconds", put("/limits/max_cpu_seconds", -1)),
    Scenario(
        "RN6-allowlist-unsorted",
        "the allow-list is unsorted",
        "RN6 /commands/allowlist/0",
        put("/commands/allowlist", ["npm", "node"]),
    ),
    Scenario(
        "RN6-blocklist-unsorted",
        "the block-list is unsorted",
        "RN6 /commands/blocklist/0",
        put("/commands/blocklist", ["b", "a"]),
    ),
    Scenario(
        "RN6-companions-unsorted",
        "the companions are unsorted",
        "RN6 /commands/companions/0",
        put("/commands/companions", ["sh", "env"]),
    ),
    Scenario(
        "RN6-overlap",
        "a command stands in both lists",
        "RN6 /commands/blocklist/0",
        put("/commands/blocklist", ["node"]),
    ),
    Scenario("RN6-shell", "the shell is empty", "RN6 /commands/shell", put("/commands/shell", "")),
    Scenario("RN7-unsorted", "write roots are unsorted", "RN7 /write_roots/0", put("/write_roots", ["out", "dist"])),
    Scenario("RN7-absolute", "a write root is absolute", "RN7 /write_roots/0", put("/write_roots", ["/tmp"])),
    Scenario("RN7-drive", "a write root is on a drive", "RN7 /write_roots/0", put("/write_roots", ["C:\\out"])),
    Scenario("RN7-climbs", "a write root climbs", "RN7 /write_roots/0", put("/write_roots", ["out/../../etc"])),
    Scenario(
        "RN8-working-dir", "working_dir is a path", "RN8 /context/working_dir", put("/context/working_dir", "./x")
    ),
    Scenario(
        "RN8-unsorted",
        "variables are unsorted",
        "RN8 /context/env_allowlist/0",
        put("/context/env_allowlist", ["TZ", "A"]),
    ),
    *(
        Scenario(
            f"RN8-{prefix[:-1].lower()}",
            f"a variable starts with {prefix}",
            "RN8 /context/env_allowlist/0",
            put("/context/env_allowlist", [prefix + "X"]),
        )
        for prefix in ("SSH_", "NPM_", "GIT_", "AWS_", "OPENAI_", "ANTHROPIC_")
    ),
    Scenario("RN8-locale", "the locale is none", "RN8 /context/locale", put("/context/locale", "en-US")),
    Scenario("RN8-timezone", "the time zone is empty", "RN8 /context/timezone", put("/context/timezone", "")),
    Scenario(
        "RN9-not-real",
        "the start is on 30 February",
        "RN9 /timing/started_at",
        put("/timing/started_at", "2026-02-30T12:00:00Z"),
    ),
    Scenario(
        "RN9-offset",
        "the start has an offset",
        "RN9 /timing/started_at",
        put("/timing/started_at", "2026-01-06T12:00:00+00:00"),
    ),
    Scenario(
        "RN9-backwards",
        "the end is before the start",
        ["RN9 /timing/completed_at", "RN9 /timing/duration_ms"],
        put("/timing/completed_at", "2026-01-06T11:59:59.000Z"),
    ),
    Scenario("RN9-duration", "the duration is another", "RN9 /timing/duration_ms", put("/timing/duration_ms", 5002)),
    Scenario(
        "RN9-phases",
        "phases are out of order",
        "RN9 /timing/phases/1/started_at",
        put(
            "/timing/phases",
            [
                {"name": "b", "started_at": "2026-01-06T12:00:00.500Z", "duration_ms": 1},
                {"name": "a", "started_at": "2026-01-06T12:00:00Z", "duration_ms": 1},
            ],
        ),
    ),
    Scenario("RN10-code", "the code is 256", "RN10 /exit/code", put("/exit/code", 256)),
    Scenario("RN10-signal", "the signal is lowercase", "RN10 /exit/signal", put("/exit/signal", "sigkill")),
    Scenario("RN10-oom", "oom_killed is a string", "RN10 /exit/oom_killed", put("/exit/oom_killed", "false")),
)

VALID = (
    Scenario(
        "valid-unknown-members", "unknown members are free", "valid", put("/x", {"y": 1}), put("/platform/libc", "g")
    ),
    Scenario("valid-one-millisecond", "a millisecond of tolerance", "valid", put("/timing/duration_ms", 5001)),
    Scenario("valid-whole-double", "a whole double is an integer", "valid", put("/exit/code", 1.0)),
    Scenario(
        "valid-phases-as-instants",
        "phases compare as instants, not as texts",
        "valid",
        put(
            "/timing/phases",
            [
                {"name": "a", "started_at": "2026-01-06T12:00:00Z", "duration_ms": 1},
                {"name": "b", "started_at": "2026-01-06T12:00:00.500Z", "duration_ms": 1},
            ],
        ),
    ),
)


def main() -> None:
    write_scenarios("runner", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the probe registry (contracts 4.8)."""

from __future__ import annotations

from affidavit.contracts.probe_registry import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

SCENARIOS = (
    Scenario("SCHEMA-probes", "probes are an array", "SCHEMA /probes", put("/probes", [])),
    Scenario(
        "SCHEMA-expected",
        "what is expected is no decision",
        "SCHEMA /probes/read_host_file/expected",
        put("/probes/read_host_file/expected", "maybe"),
    ),
    Scenario(
        "SCHEMA-limit",
        "a limit that no sandbox has",
        "SCHEMA /probes/read_host_file/limits/max_files",
        put("/probes/read_host_file/limits", {"max_pids": 4, "max_files": 1}),
    ),
    Scenario("PB1-version", "another registry", "PB1 /schema_version", put("/schema_version", "runtime-tools.probes")),
    Scenario(
        "PB2-other",
        "a probe under another's id",
        "PB2 /probes/mount_tmpfs/probe_id",
        put("/probes/mount_tmpfs/probe_id", "x"),
    ),
    Scenario(
        "PB3-empty", "no operation", "PB3 /probes/mount_tmpfs/operation", put("/probes/mount_tmpfs/operation", "")
    ),
    Scenario(
        "PB4-lane",
        "a lane is unknown",
        "PB4 /probes/mount_tmpfs/supports_lanes/bare",
        put("/probes/mount_tmpfs/supports_lanes/bare", True),
    ),
    Scenario(
        "PB5-bare",
        "a mount without a sandbox",
        "PB5 /probes/mount_tmpfs/supports_lanes/baseline",
        put("/probes/mount_tmpfs/supports_lanes/baseline", True),
    ),
    Scenario(
        "PB5-unsaid",
        "a mount that does not rule the baseline out",
        "PB5 /probes/mount_tmpfs/supports_lanes/baseline",
        drop("/probes/mount_tmpfs/supports_lanes/baseline"),
    ),
)

VALID = (Scenario("valid-empty", "a registry without probes", "valid", put("/probes", {})),)


def main() -> None:
    write_scenarios("probe_registry", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the run manifest (contracts 4.2, 4.9)."""

from __future__ import annotations

from affidavit.contracts.run_manifest import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

UNIT = EXAMPLE["channel_proof"]["worker"]["unit"]
LABEL = "affidavit.pr_mjz4k1s0_9f86d081"
JOB = {"pid": 4711, "unit": LABEL, "cgroup": None, "invocation_id": None}

SCENARIOS = (
    Scenario("SCHEMA-dry", "nobody knows whether it was dry", "SCHEMA /dry_run", drop("/dry_run")),
    Scenario("RM1-version", "another document", "RM1 /schema_version", put("/schema_version", "x")),
    Scenario("RM2-world", "a world without a name", "RM2 /world_id", put("/world_id", "")),
    Scenario("RM2-digest", "a digest with its prefix", "RM2 /registry_digest", put("/registry_digest", "sha256:0")),
    Scenario("RM3-channel", "a channel that nobody knows", "RM3 /channel", put("/channel", "cleanest")),
    Scenario("RM4-line", "the preflight is its path alone", "RM4 /apply_preflight", put("/apply_preflight", "x")),
    Scenario("RM4-dry", "a dry run with a preflight", "RM4 /apply_preflight", put("/dry_run", True)),
    Scenario("RM5-stage", "staged nowhere", "RM5 /stage_root", put("/stage_used", True)),
    Scenario("SCHEMA-worker", "the worker says nothing", "SCHEMA /channel_proof/worker", drop("/channel_proof/worker")),
    Scenario("RM6-none", "clean, it says", "RM6 /channel_proof", put("/channel_proof", None), level="strict"),
    Scenario(
        "RM6-pid",
        "another process than the manager's",
        "RM6 /channel_proof/worker/pid",
        put("/channel_proof/worker/pid", 4712),
        level="strict",
    ),
    Scenario(
        "RM6-parent",
        "started by somebody else than the manager",
        "RM6 /channel_proof/worker/parent_pid",
        put("/channel_proof/worker/parent_pid", 4000),
        level="strict",
    ),
    Scenario(
        "RM6-other-run",
        "the proof of another run",
        ["RM6 /channel_proof/manager/unit", "RM6 /channel_proof/worker/cgroup", "RM6 /channel_proof/worker/unit"],
        put("/run_id", "pr_other"),
        level="strict",
    ),
    Scenario(
        "RM6-invocation",
        "an invocation that has no id",
        "RM6 /channel_proof/worker/invocation_id",
        put("/channel_proof/worker/invocation_id", ""),
        put("/channel_proof/manager/invocation_id", ""),
        level="strict",
    ),
)

VALID = (
    Scenario("valid-direct", "the direct channel claims nothing", "valid", put("/channel", "direct"), level="strict"),
    Scenario(
        "valid-launchd",
        "a job of launchd",
        "valid",
        put("/channel", "launchd_clean"),
        put("/channel_proof/worker", {**JOB, "parent_pid": 1}),
        put("/channel_proof/manager", {**JOB, "manager_pid": 1}),
        level="strict",
    ),
    Scenario(
        "valid-compat-older",
        "what older writers leave out",
        "valid",
        drop("/registry_digest"),
        drop("/channel_proof"),
        put("/apply_preflight/path", "/Users/x/out/apply_preflight.json"),
        put("/repo_root_context", {"root": "/Users/x"}),
        level="compat",
    ),
    Scenario("valid-dry", "a dry run", "valid", put("/dry_run", True), put("/apply_preflight", None)),
)


def main() -> None:
    write_scenarios("run_manifest", EXAMPLE, (*VALID, *SCENARIOS))

"""Vectors of the run result (seed 000)."""

from __future__ import annotations

from affidavit.contracts.run import EXAMPLE
from tests.support.vectors import Scenario, drop, put, write_scenarios

_CLARIFY = (
    put("/kernel_result_kind", "CLARIFY"),
    put("/execution", None),
    put("/clarify_questions", ["Which one?"]),
    put("/decision/accepted", False),
    put("/decision/reasons", ["Clarification needed before execution"]),
)
_REFUSE = (
    put("/kernel_result_kind", "REFUSE"),
    put("/bundle", None),
    put("/execution", None),
    put("/refuse_reason", "no"),
    put("/decision/accepted", False),
    put("/decision/reasons", ["Kernel refused: no"]),
)
_OUTPUT = EXAMPLE["execution"]["outputs"]

SCENARIOS = (
    *(
        Scenario(f"SCHEMA-{member.replace('_', '-')}", f"{member} is missing", f"SCHEMA /{member}", drop(f"/{member}"))
        for member in EXAMPLE
        if member not in ("run_schema_version", "kernel_result_kind")
    ),
    Scenario("SCHEMA-time", "a time is no time", "SCHEMA /started_at", put("/started_at", "yesterday")),
    Scenario("SCHEMA-model-mode", "the model mode is unknown", "SCHEMA /model_mode", put("/model_mode", "live")),
    Scenario(
        "SCHEMA-outputs-unsorted",
        "outputs are unsorted",
        "SCHEMA /execution/outputs/0/path",
        put("/execution/outputs", _OUTPUT[::-1]),
    ),
    Scenario(
        "SCHEMA-digest",
        "a digest is bare",
        "SCHEMA /execution/stdout_sha256",
        put("/execution/stdout_sha256", "0" * 64),
    ),
    Scenario(
        "SCHEMA-strict-total",
        "sizes do not add up",
        "SCHEMA /execution/total_output_bytes",
        put("/execution/total_output_bytes", 1),
        level="strict",
    ),
    Scenario(
        "SCHEMA-strict-end",
        "the end is before the start",
        "SCHEMA /completed_at",
        put("/completed_at", "2026-01-06T11:59:59Z"),
        level="strict",
    ),
    Scenario(
        "SCHEMA-strict-id", "the run id has another form", "SCHEMA /run_id", put("/run_id", "run-1"), level="strict"
    ),
    Scenario("RS1-absent", "the version is missing", "RS1 /run_schema_version", drop("/run_schema_version")),
    Scenario("RS1-empty", "the version is empty", "RS1 /run_schema_version", put("/run_schema_version", "")),
    Scenario(
        "RS1-major", "the version is of another major", "RS1 /run_schema_version", put("/run_schema_version", "2.0.0")
    ),
    Scenario("RS2-absent", "the outcome is missing", "RS2 /kernel_result_kind", drop("/kernel_result_kind")),
    Scenario("RS2-other", "the outcome is another", "RS2 /kernel_result_kind", put("/kernel_result_kind", "ERROR")),
    Scenario("RS3-bundle-null", "BUNDLE without bundle", "RS3 /bundle", put("/bundle", None)),
    Scenario("RS3-bundle-questions", "BUNDLE with questions", "RS3 /clarify_questions", put("/clarify_questions", [])),
    Scenario("RS3-bundle-reason", "BUNDLE with a refusal", "RS3 /refuse_reason", put("/refuse_reason", "")),
    Scenario(
        "RS3-bundle-reason-null",
        "BUNDLE with a refusal that is null",
        "RS3 /refuse_reason",
        put("/refuse_reason", None),
    ),
    Scenario(
        "RS3-clarify-empty",
        "CLARIFY without a question",
        "RS3 /clarify_questions",
        *_CLARIFY,
        put("/clarify_questions", []),
    ),
    Scenario(
        "RS3-clarify-absent",
        "CLARIFY without questions",
        "RS3 /clarify_questions",
        *_CLARIFY,
        drop("/clarify_questions"),
    ),
    Scenario(
        "RS3-clarify-execution",
        "CLARIFY that was executed",
        "RS3 /execution",
        *_CLARIFY,
        put("/execution", EXAMPLE["execution"]),
    ),
    Scenario("RS3-refuse-bundle", "REFUSE with a bundle", "RS3 /bundle", *_REFUSE, put("/bundle", EXAMPLE["bundle"])),
    Scenario("RS3-refuse-empty", "REFUSE without a reason", "RS3 /refuse_reason", *_REFUSE, put("/refuse_reason", "")),
    Scenario("RS4-intent", "the intent's hash is bare", "RS4 /intent/sha256", put("/intent/sha256", "0" * 64)),
    Scenario(
        "RS4-bundle",
        "the bundle's hash has capitals",
        "RS4 /bundle/sha256",
        put("/bundle/sha256", "sha256:" + "A" * 64),
    ),
    Scenario("RS4-bundle-id", "the bundle's id is empty", "RS4 /bundle/bundle_id", put("/bundle/bundle_id", "")),
    Scenario(
        "RS4-strict-sandbox",
        "the sandbox id is another",
        "RS4 /execution/sandbox_id",
        put("/execution/sandbox_id", "sandbox_0123456789abcdef"),
        level="strict",
    ),
    Scenario("RS5-limit", "default with another limit", "RS5 /policy/timeout_ms", put("/policy/timeout_ms", 60001)),
    Scenario("RS5-member", "default with a member more", "RS5 /policy/note", put("/policy/note", "x")),
    Scenario(
        "RS5-missing",
        "a member of the policy is missing",
        "RS5 /policy/allowed_commands",
        drop("/policy/allowed_commands"),
    ),
    Scenario(
        "RS5-strict-model", "default with a model", "RS5 /model_mode", put("/model_mode", "record"), level="strict"
    ),
    Scenario(
        "RS6-absolute", "the intent's path is absolute", "RS6 /intent/path", put("/intent/path", "/home/x/intent.json")
    ),
    Scenario("RS6-drive", "the intent's path has a drive", "RS6 /intent/path", put("/intent/path", "C:\\intent.json")),
    Scenario(
        "RS6-backslash",
        "the intent's path starts with a backslash",
        "RS6 /intent/path",
        put("/intent/path", "\\\\host\\x"),
    ),
    Scenario("RS6-sandbox-path", "the sandbox's path is told", "RS6 /sandbox_path", put("/sandbox_path", "x")),
    Scenario("RS6-model-io-path", "the recording's path is told", "RS6 /model_io_path", put("/model_io_path", None)),
    Scenario(
        "RS6-strict-output",
        "an output climbs",
        "RS6 /execution/outputs/0/path",
        put("/execution/outputs/0/path", "../x"),
        level="strict",
    ),
    Scenario(
        "RS8-accepted", "accepted though the exit code is 3", "RS8 /decision/accepted", put("/execution/exit_code", 3)
    ),
    Scenario(
        "RS8-rejected", "rejected though the exit code is 0", "RS8 /decision/accepted", put("/decision/accepted", False)
    ),
    Scenario(
        "RS8-clarify",
        "accepted though something is open",
        "RS8 /decision/accepted",
        *_CLARIFY,
        put("/decision/accepted", True),
    ),
    Scenario(
        "RS8-not-validated",
        "not validated by the kernel",
        "RS8 /decision/validated_by_kernel",
        put("/decision/validated_by_kernel", False),
    ),
    Scenario(
        "RS8-strict-reason",
        "a plan with another reason",
        "RS8 /decision/reasons",
        put("/execution", None),
        level="strict",
    ),
)

VALID = (
    Scenario("valid-clarify", "questions", "valid", *_CLARIFY, level="strict"),
    Scenario("valid-refuse", "a refusal", "valid", *_REFUSE, level="strict"),
    Scenario("valid-minor", "another version of the same major", "valid", put("/run_schema_version", "1.7.2")),
    Scenario("valid-unknown-members", "unknown members are free", "valid", put("/x", 1)),
)


def main() -> None:
    write_scenarios("run", EXAMPLE, (*VALID, *SCENARIOS))

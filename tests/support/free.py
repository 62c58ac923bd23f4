"""What may be changed in a valid document without any rule objecting, and why. The property tests read it.

Places are member names joined by `/`, with `*` for the items of an array (where items differ, their index), as they
stand in the contract's EXAMPLE.
"""

from __future__ import annotations


class Free:
    """The places whose deletion, change of type or reordering is legitimately no finding."""

    def __init__(
        self,
        *,
        deleted: frozenset[str] = frozenset(),
        retyped: frozenset[str] = frozenset(),
        nulled: frozenset[str] = frozenset(),
        reordered: frozenset[str] = frozenset(),
    ) -> None:
        self.deleted = deleted
        self.retyped = retyped
        self.nulled = nulled  # where null is as good as what stands there, and nothing else is
        self.reordered = reordered


#: What stands beside the core and counts for nothing (MI12).
_EPHEMERAL_OF_A_SESSION = frozenset(
    {
        "interactions/*/tokens_input",
        "interactions/*/tokens_output",
        "interactions/*/latency_ms",
        "created_at_utc",
        "ended_at_utc",
        "stats",
        "stats/interactions",
    }
)

_OF_THE_ENGINE = frozenset({"inputs/samples", "inputs/samples/*", "parameters/window", "parameters/n", "context/note"})

FREE = {
    "runner": Free(
        # items of sorted lists: fewer allowed commands, write roots or variables make another valid record
        deleted=frozenset({"commands/allowlist/*", "write_roots/*", "context/env_allowlist/*"}),
        reordered=frozenset(),
    ),
    # a built-in name fixes every member
    "policy": Free(),
    "intent": Free(
        # only the goal is required, and an intent with less in it is another intent
        deleted=frozenset(
            {
                "constraints",
                "constraints/*",
                "context",
                "context/work",
                "context/work/files",
                "context/work/files/*",
                "context/work/files/*/content",  # the kernel asks for it
                "context/work/commands",
                "context/work/commands/*",
                "context/work/commands/*/argv/*",
                "context/work/commands/*/env",
                "context/work/commands/*/env/NODE_ENV",
                "context/work/commands/*/stdin",
                "context/work/commands/*/required",
                "context/work/tests",
                "context/work/tests/*",
                "context/work/tests/*/required",
            }
        ),
        # constraints and file operations are sorted when they are read; another argv is another command
        reordered=frozenset({"constraints", "context/work/files", "context/work/commands/*/argv"}),
    ),
    # the mode of an output is ours and optional; the reasons of an execution are prose
    "run": Free(deleted=frozenset({"execution/outputs/*/mode", "decision/reasons/*"})),
    # the bundle's id covers every other member
    "bundle": Free(),
    "proposal": Free(),
    "evidence": Free(
        # fewer results make another valid record, which the judgement refuses; the rest is not part of the core
        deleted=frozenset(
            {
                "action_results/*",
                "test_results/*",
                "started_at",
                "completed_at",
                "total_duration_ms",
                "executor_id",
                "working_dir",
            }
        ),
        # the core has its own order
        reordered=frozenset({"action_results", "test_results"}),
    ),
    "patch": Free(
        # less to do is another patch, and so is one that does not tell sizes or an order
        deleted=frozenset(
            {"operations/0", "operations/*/order", "operations/1/expected_hash", "operations/1/size_bytes"}
        ),
    ),
    "model_io": Free(
        deleted=frozenset({"interactions/1", *_EPHEMERAL_OF_A_SESSION}),
        retyped=_EPHEMERAL_OF_A_SESSION,
    ),
    "apply": Free(),
    # a branch may have no commit yet, and nobody may have looked afterwards; a pack may come from elsewhere
    "git_apply": Free(
        deleted=frozenset({"commit"}),
        nulled=frozenset(
            {
                "branch/head_before",
                "git_state/clean_after",
                "pack_source/run_id",
                "pack_source/bundle_hash",
                "apply_result_hash",
            }
        ),
    ),
    # a log of less is another log; null is a file that was not there
    "repair_log": Free(
        deleted=frozenset({"before/digest_mismatches/*", "history/*"}),
        nulled=frozenset({"history/*/old", "history/*/new"}),
    ),
    # an index of less is another index; what it says of a file's schema is held against the file
    "artifact_index": Free(deleted=frozenset({"artifacts/*"}), nulled=frozenset({"artifacts/0/schema_version"})),
    # what names the writer besides its pid is ours
    "run_status": Free(
        deleted=frozenset({"writer_start_ticks", "writer_boot_id"}),
        nulled=frozenset({"writer_start_ticks", "writer_boot_id"}),
    ),
    # documents of plan runs: rows of a list, and what is optional or null where it is not known
    "plan": Free(
        deleted=frozenset(
            {
                "apply_preflight_profile",
                "controls",
                "controls/*",
                "lanes",
                "lanes/baseline",
                "lanes/oracle",
                "lanes/scenario",
                "notes",
                "profiles/1",  # the other is the preflight's
                "world_id",
            }
        ),
        retyped=frozenset({"notes"}),
        nulled=frozenset({"apply_preflight_profile", "world_id"}),
        reordered=frozenset({"profiles"}),
    ),
    "probe_registry": Free(
        deleted=frozenset(
            {
                "probes/mount_tmpfs",
                "probes/mount_tmpfs/expected_primary_ops/*",
                "probes/mount_tmpfs/supports_lanes/oracle",
                "probes/mount_tmpfs/supports_lanes/scenario",
                "probes/read_host_file",
                "probes/read_host_file/controls_supported/*",
                "probes/read_host_file/expected_primary_ops/*",
                "probes/read_host_file/supports_lanes/baseline",
                "probes/read_host_file/supports_lanes/oracle",
                "probes/read_host_file/supports_lanes/scenario",
            }
        ),
        nulled=frozenset({"probes/read_host_file/target", "probes/mount_tmpfs/target"}),
    ),
    "profile_registry": Free(
        deleted=frozenset({"profiles/strict", "profiles/strict/probe_refs/*"}),
        nulled=frozenset({"profiles/strict/family", "profiles/strict/semantic_group", "profiles/strict/notes"}),
        reordered=frozenset({"profiles/strict/probe_refs"}),
    ),
    "registry_index": Free(deleted=frozenset({"registries/*"})),
    "apply_preflight": Free(
        deleted=frozenset(
            {
                "command/*",
                "runner/tool",
                "runner/version",
                "sandbox_check_self/cap_bnd",
                "sandbox_check_self/landlock",
                "sandbox_check_self/lsm_label",
                "sandbox_check_self/no_new_privs",
                "sandbox_check_self/seccomp",
                "sandbox_check_self/seccomp_filters",
                "sandbox_check_self/source",
                "sandbox_check_self/user_ns_initial",
            }
        ),
        nulled=frozenset(
            {
                "apply_report",
                "apply_report/err_class",
                "apply_report/rc",
                "exit_code",
                "profile",
                "runner",
                "sandbox_check_self",
                "sandbox_check_self/cap_bnd",
                "sandbox_check_self/landlock",
                "sandbox_check_self/lsm_label",
                "sandbox_check_self/no_new_privs",
                "sandbox_check_self/seccomp",
                "sandbox_check_self/seccomp_filters",
                "sandbox_check_self/user_ns_initial",
            }
        ),
    ),
    "run_manifest": Free(
        deleted=frozenset({"registry_digest", "apply_preflight/record/apply_ok"}),
        retyped=frozenset({"apply_preflight/record/apply_ok"}),
        nulled=frozenset(
            {
                "apply_preflight",
                "apply_preflight/path",
                "output_root",
                "registry_digest",
                "repo_root_context",
            }
        ),
    ),
    "expected_matrix": Free(
        deleted=frozenset({"profiles/strict", "profiles/strict/probes/*"}),
        nulled=frozenset(
            {"profiles/strict/family", "profiles/strict/semantic_group", "profiles/strict/probes/*/target"}
        ),
    ),
    "runtime_results": Free(
        deleted=frozenset({"strict", "strict/probes/*/command/*"}),
        nulled=frozenset(
            {"strict/probes/*/path", "strict/probes/*/exit_code", "strict/probes/*/runtime_result/failure_kind"}
        ),
        reordered=frozenset({"strict/probes", "strict/probes/*/command"}),
    ),
    "runtime_events": Free(
        # the requested path says the same as the observed one would
        deleted=frozenset({"*", "*/observed_path", "*/policy_layers/*"}),
        nulled=frozenset({"*/target", "*/failure_kind"}),
    ),
    "baseline_results": Free(
        deleted=frozenset({"results/*"}),
        nulled=frozenset({"results/*/target", "results/*/status", "results/*/exit_code"}),
    ),
    "oracle_results": Free(
        deleted=frozenset({"results/*"}), nulled=frozenset({"results/*/argument", "results/*/decision"})
    ),
    "mismatch_summary": Free(nulled=frozenset({"mismatches/*/path"})),
    "mismatch_packets": Free(
        nulled=frozenset(
            {
                "run_context/run_manifest",
                "oracle_check",
                "oracle_check/decision",
                "canonicalization",
                "canonicalization/alias_pair",
                "canonicalization/nofirmlink_differs",
            }
        )
    ),
    "path_witnesses": Free(
        deleted=frozenset({"records/*", "records/*/schema_version"}),
        nulled=frozenset({"records/*/profile_id", "records/*/scenario_id", "records/*/decision"}),
    ),
    "summary": Free(deleted=frozenset({"mismatch_counts/op_not_witnessed"}), nulled=frozenset({"plan_digest"})),
    "promotion_packet": Free(
        deleted=frozenset(
            {
                "path_witnesses",
                "promotability/gating_inputs/sandbox_check_self/sandboxed",
                "promotability/gating_inputs/sandbox_check_self/source",
            }
        ),
        nulled=frozenset({"promotability/gating_inputs/sandbox_check_self"}),
    ),
    # documents of an engine's run
    "engine_manifest": Free(deleted=frozenset({"entrypoint", "entrypoint/*"}), reordered=frozenset({"entrypoint"})),
    "coupling_rules": Free(deleted=frozenset({"allowed_inputs_from_other_engines/*"})),
    # what is in inputs, parameters and context is the engine's business
    "run_input": Free(
        deleted=frozenset({"context", *_OF_THE_ENGINE}),
        retyped=frozenset({"context", *_OF_THE_ENGINE}),
        reordered=frozenset({"inputs/samples"}),
    ),
    # the output's hash covers every other member
    "run_output": Free(),
    "run_meta": Free(
        deleted=frozenset(
            {
                "outputs_hash_rule",
                "stripped_context_paths",
                "stripped_context_paths/*",
                "entrypoint",
                "entrypoint/*",
                "engine_files_sha256",
                "interpreter",
                "environment",
                "environment/LANG",
                "environment/PYTHONHASHSEED",
                "environment/TZ",
            }
        ),
        nulled=frozenset({"entrypoint", "interpreter"}),
        reordered=frozenset({"entrypoint"}),
    ),
    "run_artifacts": Free(deleted=frozenset({"*"})),
}

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
        reordered: frozenset[str] = frozenset(),
    ) -> None:
        self.deleted = deleted
        self.retyped = retyped
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
}

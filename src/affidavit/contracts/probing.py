"""The words that the documents of a plan run share (contracts 4.1, 4.2, 4.8): operations, decisions, their frame."""

from __future__ import annotations

from ..rules.model import Fault
from ..rules.shape import Bool, Int, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

LANES = ("baseline", "scenario", "oracle")
DECISIONS = ("allow", "deny")
PROFILE_MODES = ("sbpl", "blob", "bwrap")

#: A channel that a run may have come through, and whether nothing of its caller's confinement can have come with it.
CHANNELS = {"direct": False, "launchd_clean": True, "systemd_clean": True}

#: What a probe can try on Linux. Documents of other systems name others.
OPERATIONS = (
    "file-read-data",
    "file-write-data",
    "file-write-create",
    "file-write-unlink",
    "process-exec",
    "network-outbound",
    "network-bind",
    "signal",
    "process-fork",
    "mount",
    "ptrace",
    "sysctl-write",
)

#: How far a probe came before it stopped.
FAILURE_STAGES = ("preflight", "apply", "bootstrap", "probe")

MISMATCH_TYPES = (
    "op_not_witnessed",
    "preflight_blocked",
    "apply_gate",
    "bootstrap_deny_process_exec",
    "bootstrap_failed",
    "canonicalization_boundary",
    "unexpected_deny",
    "unexpected_allow",
    "filter_diff",
)

MISMATCH_REASONS = (
    "op_not_witnessed",
    "canonicalization_boundary",
    "ambient_platform_restriction",
    "capture_pipeline_disagreement",
    "expectation_too_strong",
)


def schema(name: str, rule: str = "") -> OneOf:
    """A document's own schema string; another version of it is another document."""
    return OneOf(f"runtime-tools.{name}", rule=rule)


def decision() -> Shape:
    return OneOf(*DECISIONS)


def text_or_null() -> Shape:
    return Nullable(Text())


def errno_or_null() -> Shape:
    return Nullable(Int(0, 4095))


def stage_or_null() -> Shape:
    return Nullable(OneOf(*FAILURE_STAGES))


def flag_or_null() -> Shape:
    return Nullable(Bool())


def frame(level: Level) -> dict[str, Shape]:
    """Which run of which world a document is of. Older writers leave that to the run's other documents."""
    return {} if level == "compat" else {"world_id": non_empty(), "run_id": non_empty()}


def seen_fits(expected: str, actual: str | None, match: bool | None) -> Iterator[Fault]:
    """`match` says whether what was seen is what was expected, and nothing where nothing was seen. The rule's needs are
    expected, actual and match."""
    wanted = None if actual is None else actual == expected
    if match is not wanted:
        told = "null, as nothing was seen" if wanted is None else f"{shown(wanted)}, as {actual} was seen"
        yield Fault(told, shown(match), field=2)


def answer_fits(actual: str | None, status: str, errno: int | None, stage: str | None) -> Iterator[Fault]:
    """What the kernel answered fits what was seen: a success has neither number nor stage, an error has its number, and
    what stopped before its operation says where. The rule's needs are actual, status, errno and stage."""
    if (actual is None) != (status == "blocked"):
        told = '"blocked", as nothing was seen' if actual is None else f"success or errno, as {actual} was seen"
        yield Fault(told, shown(status), field=1)
    if status == "errno" and errno is None:
        yield Fault("the number of the error", "null", field=2)
    if status == "success" and errno is not None:
        yield Fault("null, as it succeeded", shown(errno), field=2)
    if (status == "success") != (stage is None):
        told = "null, as it succeeded" if status == "success" else "the stage at which it stopped"
        yield Fault(told, shown(stage), field=3)


def self_check() -> Shape:
    """`sandbox_check_self` as Linux has it; other systems add their own."""
    return Obj(
        {},
        {
            "source": Text(),
            "sandboxed": Bool(),
            "no_new_privs": flag_or_null(),
            "seccomp": Nullable(Int(0, 2)),
            "seccomp_filters": Nullable(Int(0)),
            "cap_bnd": text_or_null(),
            "user_ns_initial": flag_or_null(),
            "lsm_label": text_or_null(),
            "landlock": text_or_null(),
            "error": text_or_null(),
        },
    )


def keyed_by(member: str) -> Callable[[dict[str, dict[str, Any]]], Iterator[Fault]]:
    """A check that each value of an object names the key it stands under."""

    def check(table: dict[str, dict[str, Any]]) -> Iterator[Fault]:
        for key, value in table.items():
            if value[member] != key:
                yield Fault(f"{shown(key)}, the key it stands under", shown(value[member]), key, member)

    return check

"""evidence.json and patch.json: what was done for a proposal, and the file operations that it declared."""

from __future__ import annotations

from .. import __version__
from ..canon.order import utf16
from ..contracts.evidence import verify_evidence
from ..contracts.patch import verify_patch
from ..contracts.proposal import proposal_hash
from ..kernel.judge import evidence_status
from .errors import EVIDENCE, INTERNAL, RunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATCH_VERSION = "1.0.0"
_OPERATIONS = {"create_file": "create", "modify_file": "modify", "delete_file": "delete"}


def evidence_of(
    proposal: dict[str, Any],
    actions: list[dict[str, Any]],
    tests: list[dict[str, Any]],
    *,
    is_whole: bool,
    started_at: str,
    completed_at: str,
    duration_ms: int,
) -> dict[str, Any]:
    """The evidence. `is_whole` says that everything that was proposed was tried: what was cut short is not complete,
    however well it went until then."""
    status = evidence_status(proposal, actions, tests)
    return {
        "proposal_id": proposal["id"],
        "proposal_hash": proposal_hash(proposal),
        "action_results": sorted(actions, key=lambda result: utf16(result["path"])),
        "test_results": tests,
        "status": "partial" if status == "complete" and not is_whole else status,
        "started_at": started_at,
        "completed_at": completed_at,
        "total_duration_ms": duration_ms,
        "executor_id": f"affidavit {__version__}",
        "working_dir": ".",
    }


def require_sound_evidence(evidence: dict[str, Any], proposal: dict[str, Any]) -> None:
    """EV1 to EV5. Raises RUN_E006."""
    named = {"id": proposal["id"], "hash": proposal_hash(proposal)}
    report = verify_evidence(evidence, level="strict", proposal=named)
    if not report.ok:
        first = report.findings[0]
        raise RunError(
            EVIDENCE,
            f"the evidence breaks {first.rule_id} at {first.path}: {first.message}",
            rule_id=first.rule_id,
            pointer=first.path,
        )


def patch_of(proposal: dict[str, Any], removed: dict[str, str]) -> dict[str, Any]:
    """The patch. `removed` are the digests of the files that the declared deletes removed."""
    operations: list[dict[str, Any]] = []
    total = 0
    for action in proposal["actions"]:
        op = _OPERATIONS.get(action["type"])
        if op is None:
            continue
        operation = {"op": op, "path": action["target"], "order": action["order"]}
        if op != "delete":
            size = len(action["content"].encode())
            total += size
            operation |= {
                "content": action["content"],
                "expected_hash": action["expected_hash"],
                "size_bytes": size,
            }
        elif action["target"] in removed:
            operation["expected_hash"] = removed[action["target"]]
        operations.append(operation)
    return {
        "patch_schema_version": PATCH_VERSION,
        "source_proposal_id": proposal["id"],
        "source_proposal_hash": proposal_hash(proposal),
        "operations": sorted(operations, key=lambda operation: (operation["order"], utf16(operation["path"]))),
        "total_bytes": total,
    }


def require_sound_patch(patch: dict[str, Any], policy: dict[str, Any]) -> None:
    """PS1 to PS10. Raises RUN_E007: the kernel refuses whatever would break them."""
    report = verify_patch(patch, level="strict", limit=policy["max_total_output_bytes"])
    if not report.ok:
        first = report.findings[0]
        raise RunError(
            INTERNAL,
            f"the patch breaks {first.rule_id} at {first.path}: {first.message}",
            rule_id=first.rule_id,
            pointer=first.path,
        )

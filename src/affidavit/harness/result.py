"""run.json: built from what was asked, decided and done, and never emitted when it breaks a rule (RS1-RS8)."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.profiles import KERNEL
from ..canon.reader import read
from ..contracts.run import CLARIFICATION_NEEDED, PLAN_ONLY, REFUSED, SCHEMA_VERSION, verify_run
from .errors import INTERNAL, RunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..kernel.outcome import Outcome


def run_result(
    *,
    run_id: str,
    started_at: str,
    completed_at: str,
    kernel_version: str,
    policy: dict[str, Any],
    intent: dict[str, Any],
    outcome: Outcome,
    execution: dict[str, Any] | None,
    reasons: list[str],
    model_mode: str,
) -> dict[str, Any]:
    """The result. `reasons` are the judgement's, of what was executed; whatever was not has its fixed one."""
    result: dict[str, Any] = {
        "run_schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "started_at": started_at,
        "completed_at": completed_at,
        "kernel_version": kernel_version,
        "policy": policy,
        "intent": intent,
        "bundle": None,
        "kernel_result_kind": outcome.kind,
        "execution": execution,
        "decision": {
            "accepted": outcome.kind == "BUNDLE" and (execution is None or execution["exit_code"] == 0),
            "reasons": reasons,
            "validated_by_kernel": True,
        },
        "model_mode": model_mode,
    }
    if outcome.kind == "REFUSE":
        result["refuse_reason"] = outcome.reason
        result["decision"]["reasons"] = [REFUSED + outcome.reason]
        return result
    result["bundle"] = {
        "bundle_id": outcome.bundle["id"],
        "sha256": KERNEL.digest(outcome.bundle).content_hash,
    }
    if outcome.kind == "CLARIFY":
        result["clarify_questions"] = [question["text"] for question in outcome.questions]
        result["decision"]["reasons"] = [CLARIFICATION_NEEDED]
    elif execution is None:
        result["decision"]["reasons"] = [PLAN_ONLY]
    return result


def require_sound(result: dict[str, Any]) -> None:
    """Raises RUN_E007 with the rule that the result breaks: no caller ever gets one that does."""
    report = verify_run(result, level="strict", policy=result["policy"])
    if not report.ok:
        first = report.findings[0]
        raise RunError(
            INTERNAL,
            f"the run result breaks {first.rule_id} at {first.path}: {first.message}",
            rule_id=first.rule_id,
            pointer=first.path,
        )
    if read(canonical(result)) != result:
        raise RunError(INTERNAL, "the run result breaks RS7: it is another one after it was written", rule_id="RS7")

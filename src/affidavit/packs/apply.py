"""Applies the patch of a pack to a directory: all of it or, at any moment and however this ends, none (AS1-AS12;
contracts 2.10)."""

from __future__ import annotations

import os

from ..contracts.pack import PATCH
from ..errors import UsageError, WriteFailed
from ..kernel.apply import apply_result, conflicts, content_of, nothing_written
from ..rules.model import Finding
from ..rules.report import violation
from .change import Change, Claim
from .journal import Step
from .loading import load_pack
from .target import STAGE, look, open_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..store.survey import Progress
    from ..values import Level
    from .loading import Loaded
    from .target import Look


class Applied:
    """An ApplyResult; and whether an interrupted apply was rolled back before."""

    __slots__ = ("recovered", "result")

    def __init__(self, result: dict[str, Any], recovered: str = "nothing") -> None:
        self.result = result
        self.recovered = recovered


def apply_pack(
    pack: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    dry_run: bool = False,
    partial: bool = False,
    level: Level = "spec",
    progress: Progress | None = None,
) -> Applied:
    """The pack's patch, applied to the target. With `partial` every operation stands alone. What does not fit is told
    in the result; what could not be read, and what an earlier apply left that nobody can undo, is raised."""
    loaded = load_pack(os.fspath(pack), level)
    refused = why_not(loaded)
    if refused is not None:
        return Applied(refusal(None, *refused, dry_run=dry_run))
    patch: Any = loaded.value(PATCH)
    root = open_target(os.fspath(target))
    if isinstance(root, Finding):
        told = f"the target: {root.message}"
        return Applied(refusal(patch, told, [violation(root)], dry_run=dry_run))
    try:
        with Claim(root) as claim:
            if dry_run and claim.left():
                return Applied(refusal(patch, INTERRUPTED, [], dry_run=True))
            recovered = claim.recover()
            result = apply_patch(claim, patch, dry_run=dry_run, partial=partial, progress=progress)
            return Applied(result, recovered)
    finally:
        os.close(root)


INTERRUPTED = f"an apply was interrupted here ({STAGE} is there): expected it to be undone first, by --recover"


def recover(target: str | os.PathLike[str]) -> str:
    """Undoes what an interrupted apply left in the target; `nothing`, `rolled back` or `cleared`."""
    root = open_target(os.fspath(target))
    if isinstance(root, Finding):
        raise UsageError("AS5", f"the target: {root.message}")
    try:
        with Claim(root) as claim:
            return claim.recover()
    finally:
        os.close(root)


def why_not(loaded: Loaded) -> tuple[str, list[dict[str, Any]]] | None:
    """Why a pack has nothing that can be applied (AS3, AS4); None where it has."""
    findings = loaded.report.findings
    if findings:
        more = f" and {len(findings) - 1} more" if len(findings) > 1 else ""
        return (
            f"the pack does not verify: {findings[0].rule_id}{more}; see affidavit pack-verify",
            [violation(finding) for finding in findings],
        )
    if loaded.value(PATCH) is None:
        missing = Finding("AS3", PATCH, "a patch in the pack", "none")
        return missing.message, [violation(missing)]
    return None


def refusal(
    patch: dict[str, Any] | None, error: str, violations: list[dict[str, Any]], *, dry_run: bool
) -> dict[str, Any]:
    return apply_result(patch, {}, outcome="REFUSED", error=error, violations=violations, dry_run=dry_run)


def apply_patch(
    claim: Claim,
    patch: dict[str, Any],
    *,
    dry_run: bool,
    partial: bool = False,
    finish: Callable[[Change], None] = Change.keep,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """The ApplyResult of a patch that was verified. `finish` keeps what was carried out; when it raises, nothing is."""
    looks = {operation["path"]: look(claim.root, operation["path"]) for operation in patch["operations"]}
    standing = {path: found.standing for path, found in looks.items()}
    errors = conflicts(patch, standing)
    total = len(patch["operations"])
    if errors and not partial:
        error = nothing_written(errors, total)
        return apply_result(patch, standing, errors=errors, outcome="REFUSED", error=error, dry_run=dry_run)
    outcome = "SUCCESS"
    error = ""
    wanted = [operation for operation in patch["operations"] if operation["path"] not in errors]
    if wanted and not dry_run:
        try:
            with Change(claim, *_steps_of(wanted, looks), progress) as change:
                failed = change.carry_out(each_alone=partial)
                if partial or not failed:
                    finish(change)
        except WriteFailed as failure:
            error = f"could not be written, nothing was changed: {failure.message}"
            return apply_result(patch, standing, errors=errors, outcome="FAILED", error=error, dry_run=False)
        errors |= failed
        if failed and not partial:
            outcome, error, wanted = "FAILED", nothing_written(errors, total), []
    done = {operation["path"] for operation in wanted} - errors.keys()
    if errors and partial:
        outcome = "PARTIAL" if done else "FAILED"
        error = "" if done else nothing_written(errors, total)
    return apply_result(patch, standing, done=done, errors=errors, outcome=outcome, error=error, dry_run=dry_run)


def _steps_of(operations: list[dict[str, Any]], looks: dict[str, Look]) -> tuple[list[Step], list[str]]:
    """The steps that carry out operations which fit what stands there, and the directories to be made for them."""
    from ..canon.profiles import RAW

    steps: list[Step] = []
    directories: dict[str, None] = {}
    for operation in operations:
        found, content = looks[operation["path"]], content_of(operation)
        after = None if content is None else RAW.digest(content).content_hash
        steps.append(Step(operation["path"], found.standing.sha256, after, content, found.mode))
        directories |= dict.fromkeys(found.missing if content is not None else ())
    return steps, list(directories)

"""What applying a patch comes to, decided from what stands in the target before anything is written (AS1-AS12)."""

from __future__ import annotations

from ..canon.order import utf16
from ..canon.profiles import RAW
from ..shown import shown
from ..values import is_content_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

SCHEMA_VERSION = "1.0.0"
#: The one name that a result has for the target: nothing of the host is in it (AS12).
TARGET = "."


class Standing:
    """What stands under a path of the target: `found` in words, and the hash where it is a regular file."""

    __slots__ = ("found", "sha256")

    def __init__(self, found: str, sha256: str | None = None) -> None:
        self.found = found
        self.sha256 = sha256

    def __repr__(self) -> str:
        return f"Standing({self.found!r}, {self.sha256!r})"


ABSENT = Standing("no file")


def conflicts(patch: dict[str, Any], standing: dict[str, Standing]) -> dict[str, str]:
    """By path, why an operation cannot be carried out on what stands there: create needs absence, modify and delete a
    regular file, and a delete that names a hash the file that has it."""
    told: dict[str, str] = {}
    for operation in patch["operations"]:
        here = standing[operation["path"]]
        if operation["op"] == "create":
            if here is not ABSENT:
                told[operation["path"]] = f"expected no file, found {here.found}"
        elif here.sha256 is None:
            told[operation["path"]] = f"expected a regular file, found {here.found}"
        elif operation["op"] == "delete":
            wanted = operation.get("expected_hash", here.sha256)
            # older writers put values of another form there (contracts 2.4)
            if is_content_hash(wanted) and wanted != here.sha256:
                told[operation["path"]] = f"expected a file of {wanted}, found one of {here.sha256}"
    return told


def content_of(operation: dict[str, Any]) -> bytes | None:
    """The bytes that an operation writes; None where it removes."""
    content: str | None = operation.get("content")
    return None if content is None else content.encode()


def apply_result(
    patch: dict[str, Any] | None,
    standing: dict[str, Standing],
    *,
    done: Collection[str] = (),
    errors: dict[str, str] | None = None,
    outcome: str,
    error: str = "",
    violations: list[dict[str, Any]] | None = None,
    dry_run: bool,
) -> dict[str, Any]:
    """The ApplyResult. `done` are the paths whose operations were carried out, `errors` says why others failed; what is
    in neither was skipped."""
    errors = errors or {}
    operations = [] if patch is None else patch["operations"]
    results = [
        _result(operation, standing.get(operation["path"], ABSENT), operation["path"] in done, errors)
        for operation in sorted(operations, key=lambda operation: utf16(operation["path"]))
    ]
    succeeded = sum(result["status"] == "success" for result in results)
    failed = sum(result["status"] == "error" for result in results)
    body: dict[str, Any] = {
        "apply_schema_version": SCHEMA_VERSION,
        "outcome": outcome,
        "dry_run": dry_run,
        "target_root": TARGET,
        "patch_source": {
            "proposal_id": patch and patch["source_proposal_id"],
            "proposal_hash": patch and patch["source_proposal_hash"],
        },
        "operation_results": results,
        "summary": {
            "total_operations": len(results),
            "succeeded": succeeded,
            "skipped": len(results) - succeeded - failed,
            "failed": failed,
            "total_bytes_written": sum(result["bytes_written"] for result in results),
        },
    }
    if violations:
        body["violations"] = violations
    if error:
        body["error"] = error
    return body


def _result(operation: dict[str, Any], here: Standing, is_done: bool, errors: dict[str, str]) -> dict[str, Any]:
    path = operation["path"]
    content = content_of(operation) if is_done else None
    if is_done:
        after = None if content is None else RAW.digest(content).content_hash
    else:
        after = here.sha256
    body: dict[str, Any] = {
        "op": operation["op"],
        "path": path,
        "status": "success" if is_done else "error" if path in errors else "skipped",
        "before_hash": here.sha256,
        "after_hash": after,
        "bytes_written": len(content or b""),
    }
    if path in errors and not is_done:
        body["error"] = errors[path]
    return body


def nothing_written(errors: dict[str, str], total: int) -> str:
    """The error of a patch of which something cannot be done, where all of it or nothing is wanted."""
    first = min(errors, key=utf16)
    more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
    return f"{len(errors)} of {total} operations cannot be applied, nothing was written: {shown(first)}{more}"

"""What applying a patch to a directory came to (AS1-AS12; contracts 2.10)."""

from __future__ import annotations

from ..rules.checks import (
    by_path,
    content_hash,
    is_relative,
    paths_are_the_patchs,
    sorted_violations,
    stays_below,
    tells_why,
    version_of,
    violations,
)
from ..rules.engine import examine
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import Arr, Bool, Int, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

#: What a rule is told apart from the document: the patch that was applied.
_PATCH = "the patch"

_STRICT: tuple[Level, ...] = ("strict",)


def _shape(_level: Level) -> Shape:
    result = Obj(
        {
            "op": OneOf("create", "modify", "delete"),
            "path": Text(stays_below, "a relative path that does not climb", rule="AS12"),
            "status": OneOf("success", "skipped", "error"),
            "before_hash": Nullable(content_hash("AS7")),
            "after_hash": Nullable(content_hash("AS7")),
            "bytes_written": Int(0),
        },
        {"error": non_empty("AS9")},
        rule="SCHEMA",
    )
    return Obj(
        {
            "apply_schema_version": version_of(1, "AS1"),
            "outcome": OneOf("SUCCESS", "PARTIAL", "FAILED", "REFUSED"),
            "dry_run": Bool(),
            "target_root": Text(is_relative, "a relative path", rule="AS12"),
            "patch_source": Obj({"proposal_id": Nullable(Text()), "proposal_hash": Nullable(Text())}, rule="SCHEMA"),
            "operation_results": Arr(result, rule="AS2"),
            "summary": Obj(
                {
                    name: Int(0)
                    for name in ("total_operations", "succeeded", "skipped", "failed", "total_bytes_written")
                },
                rule="SCHEMA",
            ),
        },
        {"violations": violations(), "error": non_empty("AS9")},
        rule="SCHEMA",
    )


def _sums_agree(results: list[dict[str, Any]], summary: dict[str, Any]) -> Iterator[Fault]:
    real = {
        "total_operations": len(results),
        "succeeded": sum(result["status"] == "success" for result in results),
        "skipped": sum(result["status"] == "skipped" for result in results),
        "failed": sum(result["status"] == "error" for result in results),
        "total_bytes_written": sum(result["bytes_written"] for result in results),
    }
    for name, number in real.items():
        if summary[name] != number:
            yield Fault(f"{number}, as the results add up", shown(summary[name]), name, field=1)


def _outcome_is_earned(outcome: str, results: list[dict[str, Any]]) -> Iterator[Fault]:
    if outcome == "SUCCESS" and any(result["status"] == "error" for result in results):
        yield Fault("another outcome, as an operation failed", "SUCCESS")


#: Whether there is a file before and after what succeeded.
_IS_THERE = {"create": (False, True), "modify": (True, True), "delete": (True, False)}


def _hashes_fit(op: str, status: str, before: str | None, after: str | None) -> Iterator[Fault]:
    if status == "success":
        for field, told, there in zip((2, 3), (before, after), _IS_THERE[op], strict=True):
            if (told is not None) != there:
                wanted = "a hash" if there else "null"
                yield Fault(f"{wanted}, as {op} succeeded", shown(told), field=field)


def _names_its_proposal(outcome: str, source: dict[str, Any]) -> Iterator[Fault]:
    for name in ("proposal_id", "proposal_hash"):
        if outcome == "SUCCESS" and source[name] is None:
            yield Fault("the proposal that was applied", "null", name, field=1)


APPLY = Contract(
    "apply result",
    "apply",
    _shape,
    (
        Rule("SCHEMA", "all members are there with their types"),
        Rule("SCHEMA", "the summary adds up", _sums_agree, needs=("operation_results", "summary")),
        Rule("SCHEMA", "success is earned", _outcome_is_earned, needs=("outcome", "operation_results")),
        Rule(
            "SCHEMA",
            "a success names its proposal",
            _names_its_proposal,
            needs=("outcome", "patch_source"),
            levels=_STRICT,
        ),
        Rule("AS1", "the schema version is 1.x.y"),
        Rule("AS2", "results stand in the order of their paths", by_path, needs=("operation_results",)),
        Rule("AS2", "violations are sorted", sorted_violations, needs=("violations",)),
        Rule("AS3", "without a patch the outcome is REFUSED", behaviour=True),
        Rule("AS4", "with a patch that is not valid the outcome is REFUSED", behaviour=True),
        Rule("AS5", "the target is a real directory", behaviour=True),
        Rule("AS6", "paths are the patch's", paths_are_the_patchs, needs=("operation_results",), context=_PATCH),
        Rule("AS7", "hashes are null or sha256: and 64 lowercase hex digits"),
        Rule(
            "AS7",
            "there is a hash where there is a file",
            _hashes_fit,
            each="operation_results",
            needs=("op", "status", "?before_hash", "?after_hash"),
            levels=_STRICT,
        ),
        Rule("AS8", "a dry run writes nothing", behaviour=True),
        Rule("AS9", "failures and refusals say why", tells_why, needs=("outcome", "?error")),
        Rule("AS10", "the output is canonical", behaviour=True),
        Rule("AS11", "applied again, create and delete refuse and modify succeeds", behaviour=True),
        Rule("AS12", "no path is absolute"),
    ),
)


def verify_apply(value: object, *, level: Level = "spec", patch: dict[str, Any] | None = None) -> Report:
    """AS1, AS2, AS7, AS9 and AS12; AS6 where the `patch`, itself verified, is at hand."""
    return examine(APPLY, value, level, {} if patch is None else {_PATCH: patch})


EXAMPLE: dict[str, Any] = {
    "apply_schema_version": "1.0.0",
    "outcome": "SUCCESS",
    "dry_run": False,
    "target_root": ".",
    "patch_source": {
        "proposal_id": "prop_0123456789abcdef",
        "proposal_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    },
    "operation_results": [
        {
            "op": "create",
            "path": "out/greeting.txt",
            "status": "success",
            "before_hash": None,
            "after_hash": "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            "bytes_written": 6,
        },
        {
            "op": "delete",
            "path": "out/old.txt",
            "status": "success",
            "before_hash": "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
            "after_hash": None,
            "bytes_written": 0,
        },
    ],
    "summary": {"total_operations": 2, "succeeded": 2, "skipped": 0, "failed": 0, "total_bytes_written": 6},
}

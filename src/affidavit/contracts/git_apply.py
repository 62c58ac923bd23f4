"""What applying a pack's patch to a git repository came to (GA1-GA12; contracts 2.10)."""

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
from ..values import HEX, made_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

#: What a rule is told apart from the document: the patch that was applied.
_PATCH = "the patch"


def _is_object_id(text: str) -> bool:
    """A git object's name, in either of git's hash functions."""
    return len(text) in (40, 64) and made_of(text, HEX)


def is_branch_name(name: str) -> bool:
    """What `git check-ref-format --branch` accepts, and nothing that git reads as something else."""
    segments = name.split("/")
    return (
        not name.startswith("-")
        and name not in ("", "@", "HEAD")
        and not any(character <= " " or character in "\x7f~^:?*[\\" for character in name)
        and ".." not in name
        and "@{" not in name
        and not name.endswith(".")
        and not any(part == "" or part.startswith(".") or part.endswith(".lock") for part in segments)
    )


def _shape(level: Level) -> Shape:
    object_id = Text(_is_object_id, "40 or 64 lowercase hex digits")
    changed = Obj(
        {
            "path": Text(stays_below, "a relative path that does not climb", rule="GA3"),
            "op": OneOf("create", "modify", "delete"),
            "content_hash": Nullable(content_hash("GA12")),
        },
        rule="SCHEMA",
    )
    return Obj(
        {
            "git_apply_schema_version": version_of(1, "GA1"),
            "outcome": OneOf("SUCCESS", "PARTIAL", "FAILED", "REFUSED"),
            "dry_run": Bool(),
            "repo_root": Text(is_relative, "a relative path", rule="GA9"),
            "branch": Obj(
                {
                    "name": Text(is_branch_name, "the name of a branch", rule="GA6"),
                    "created": Bool(),
                    "head_before": Nullable(object_id),
                    "head_after": Nullable(object_id),
                },
                rule="SCHEMA",
            ),
            "git_state": Obj({"clean_before": Nullable(Bool()), "clean_after": Nullable(Bool())}, rule="GA2"),
            "pack_source": Obj({"run_id": Nullable(Text()), "bundle_hash": Nullable(Text())}, rule="SCHEMA"),
            "apply_result_hash": Nullable(content_hash(bare=level == "compat")),
            "changed_files": Arr(changed, rule="GA5"),
            "summary": Obj(
                {name: Int(0) for name in ("total_files", "created", "modified", "deleted", "total_bytes_written")},
                rule="SCHEMA",
            ),
        },
        {
            "commit": Obj({"sha": object_id, "message": non_empty()}, rule="GA10"),
            "violations": violations(),
            "error": non_empty(),
        },
        rule="SCHEMA",
    )


def _was_clean_or_allowed(outcome: str, git_state: dict[str, Any]) -> Iterator[Fault]:
    if outcome == "SUCCESS" and git_state["clean_before"] is None:
        yield Fault("true or false, as it was looked at", "null", "clean_before", field=1)


def _changed_what_the_patch_says(outcome: str, changed: list[dict[str, Any]], patch: dict[str, Any]) -> Iterator[Fault]:
    """A patch that was refused, or failed and was taken back, has changed nothing."""
    if outcome == "SUCCESS" or changed:
        for fault in paths_are_the_patchs(changed, patch):
            yield Fault(fault.expected, fault.found, field=1)


def _changes_nothing(dry_run: bool, branch: dict[str, Any], commit: dict[str, Any] | None) -> Iterator[Fault]:
    if dry_run and branch["head_before"] != branch["head_after"]:
        yield Fault("the same commit as head_before in a dry run", "another", "head_after", field=1)
    if dry_run and commit is not None:
        yield Fault("no commit in a dry run", "one", field=2)


def _commit_is_head(commit: dict[str, Any], branch: dict[str, Any]) -> Iterator[Fault]:
    if branch["head_after"] != commit["sha"]:
        yield Fault(f"{commit['sha']}, the commit that was made", shown(branch["head_after"]), "head_after", field=1)


def _hash_where_content(op: str, digest: str | None) -> Iterator[Fault]:
    if (digest is None) != (op == "delete"):
        yield Fault("null for delete and a hash for all others", shown(digest), field=1)


def _sums_agree(changed: list[dict[str, Any]], summary: dict[str, Any]) -> Iterator[Fault]:
    real = {
        "total_files": len(changed),
        "created": sum(file["op"] == "create" for file in changed),
        "modified": sum(file["op"] == "modify" for file in changed),
        "deleted": sum(file["op"] == "delete" for file in changed),
    }
    for name, number in real.items():
        if summary[name] != number:
            yield Fault(f"{number}, as the changed files add up", shown(summary[name]), name, field=1)


GIT_APPLY = Contract(
    "git apply result",
    "git-apply",
    _shape,
    (
        Rule("SCHEMA", "all members are there with their types"),
        Rule("SCHEMA", "the summary adds up", _sums_agree, needs=("changed_files", "summary")),
        Rule("SCHEMA", "failures and refusals say why", tells_why, needs=("outcome", "?error")),
        Rule("GA1", "the schema version is 1.x.y"),
        Rule("GA2", "the state of the repository is told", _was_clean_or_allowed, needs=("outcome", "git_state")),
        Rule("GA3", "paths are relative and do not climb"),
        Rule(
            "GA4",
            "paths are the patch's",
            _changed_what_the_patch_says,
            needs=("outcome", "changed_files"),
            context=_PATCH,
        ),
        Rule("GA5", "changed files stand in the order of their paths", by_path, needs=("changed_files",)),
        Rule("GA5", "violations are sorted", sorted_violations, needs=("violations",)),
        Rule("GA6", "the branch has a name that git takes"),
        Rule("GA7", "a dry run changes nothing", _changes_nothing, needs=("dry_run", "branch", "?commit")),
        Rule("GA8", "only local commands are run", behaviour=True),
        Rule("GA9", "no path is absolute"),
        Rule("GA10", "the commit that was made is the branch's head", _commit_is_head, needs=("commit", "branch")),
        Rule("GA11", "the output is canonical", behaviour=True),
        Rule(
            "GA12",
            "hashes are of contents, and there where there is content",
            _hash_where_content,
            each="changed_files",
            needs=("op", "content_hash"),
        ),
    ),
)


def verify_git_apply(value: object, *, level: Level = "spec", patch: dict[str, Any] | None = None) -> Report:
    """GA1-GA12; GA4 where the `patch`, itself verified, is at hand."""
    return examine(GIT_APPLY, value, level, {} if patch is None else {_PATCH: patch})


EXAMPLE: dict[str, Any] = {
    "git_apply_schema_version": "1.0.0",
    "outcome": "SUCCESS",
    "dry_run": False,
    "repo_root": ".",
    "branch": {
        "name": "apply/hr_mjz4k1s0_9f86d081",
        "created": True,
        "head_before": "0123456789abcdef0123456789abcdef01234567",
        "head_after": "89abcdef0123456789abcdef0123456789abcdef",
    },
    "git_state": {"clean_before": True, "clean_after": True},
    "pack_source": {
        "run_id": "hr_mjz4k1s0_9f86d081",
        "bundle_hash": "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
    },
    "apply_result_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "changed_files": [
        {
            "path": "out/greeting.txt",
            "op": "create",
            "content_hash": "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
        }
    ],
    "summary": {"total_files": 1, "created": 1, "modified": 0, "deleted": 0, "total_bytes_written": 6},
    "commit": {"sha": "89abcdef0123456789abcdef0123456789abcdef", "message": "Apply patch from pack\n"},
}

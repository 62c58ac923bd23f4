"""The results of applying: what no vector of theirs can show, as it takes the patch (contracts 2.10)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from affidavit import verify_apply, verify_git_apply
from affidavit.contracts.apply import EXAMPLE as APPLY
from affidavit.contracts.git_apply import EXAMPLE as GIT_APPLY
from affidavit.contracts.patch import EXAMPLE as PATCH
from affidavit.contracts.patch import verify_patch


def patch_of(*paths: str) -> dict[str, Any]:
    """A patch that deletes these."""
    patch: dict[str, Any] = copy.deepcopy(PATCH)
    patch["operations"] = [{"op": "delete", "path": path} for path in sorted(paths)]
    patch["total_bytes"] = 0
    assert verify_patch(patch).ok
    return patch


@pytest.mark.parametrize("paths", [["out/greeting.txt"], ["out/greeting.txt", "out/old.txt", "x"], ["a", "b"], []])
def test_AS6_results_are_of_the_patchs_paths_and_no_others(paths: list[str]) -> None:
    ours = [result["path"] for result in APPLY["operation_results"]]
    assert verify_apply(APPLY, patch=patch_of(*ours)).ok
    assert [finding.rule_id for finding in verify_apply(APPLY, patch=patch_of(*paths)).findings] == ["AS6"]


@pytest.mark.parametrize("paths", [["out/greeting.txt", "x"], ["a"], []])
def test_GA4_changed_files_are_the_patchs_and_no_others(paths: list[str]) -> None:
    ours = [file["path"] for file in GIT_APPLY["changed_files"]]
    assert verify_git_apply(GIT_APPLY, patch=patch_of(*ours)).ok
    assert [finding.rule_id for finding in verify_git_apply(GIT_APPLY, patch=patch_of(*paths)).findings] == ["GA4"]


@pytest.mark.parametrize(
    ("verify", "example", "rule"), [(verify_apply, APPLY, "AS6"), (verify_git_apply, GIT_APPLY, "GA4")]
)
def test_without_the_patch_that_is_not_checked(verify: Any, example: Any, rule: str) -> None:
    assert [left.rule_id for left in verify(example).not_checked] == [rule]

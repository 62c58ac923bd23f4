"""The patch: what no vector can show (contracts 2.4)."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.patch import EXAMPLE, MOST_BYTES, files_above, unsafe_path, verify_patch
from affidavit.rules.model import Finding
from tests.support.values import json_values

SEGMENTS = st.sampled_from(["a", "b", "a.b", "-", "\u00e9"])


def test_PS7_the_limit_is_the_policys() -> None:
    assert verify_patch(EXAMPLE, limit=8).ok
    found = verify_patch(EXAMPLE, limit=7).findings
    assert [(finding.rule_id, finding.path) for finding in found] == [("PS7", "/operations")]


def test_PS7_without_a_policy_the_limit_is_the_default_profiles() -> None:
    large = copy.deepcopy(EXAMPLE)
    for size, expected in ((MOST_BYTES, []), (MOST_BYTES + 1, ["PS7"])):
        large["operations"][1].update(content="x" * size, size_bytes=size)
        large["total_bytes"] = size
        assert [finding.rule_id for finding in verify_patch(large).findings] == expected


@given(data=st.data())
def test_PS10_violations_are_sorted(data: st.DataObject) -> None:
    """Whatever is wrong, and in whichever order the rules come upon it."""
    patch = copy.deepcopy(EXAMPLE)
    for name in data.draw(st.sets(st.sampled_from(sorted(patch)))):
        patch[name] = data.draw(json_values())
    patch["operations"] = [EXAMPLE["operations"][0], *data.draw(st.lists(json_values(), max_size=3))]
    for operation in patch["operations"]:
        if isinstance(operation, dict):
            operation.setdefault("path", data.draw(st.sampled_from(["/b", "../a", "", "c:", "a\\b"])))
    findings = verify_patch(patch).findings
    assert list(findings) == sorted(findings, key=Finding.key)
    told = [(finding.rule_id, finding.path, finding.message) for finding in findings]
    assert told == sorted(told, key=lambda texts: [text.encode("utf-16-be", "surrogatepass") for text in texts])


@given(st.lists(st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join), max_size=8))
def test_PS5_what_lies_below_a_file_is_found(paths: list[str]) -> None:
    wanted = {}
    for path in paths:
        above = [other for other in paths if path.startswith(other + "/")]
        if above:
            wanted[path] = min(above, key=len)
    assert files_above(paths) == wanted


def test_PS5_many_paths_with_many_slashes_take_no_time() -> None:
    deep = ["/".join(["a"] * number) + "!" for number in range(1, 2000)]
    assert files_above([*deep, "x/" * 2_000_000]) == {}


@given(st.lists(SEGMENTS, min_size=1, max_size=5))
def test_PS4_ordinary_paths_are_safe(segments: list[str]) -> None:
    assert unsafe_path("/".join(segments)) is None


@given(path=st.text(st.sampled_from("./\\a \n\x00"), max_size=8))
def test_PS4_a_safe_path_leads_below_its_root(path: str) -> None:
    """Held against a walk of the segments, which knows nothing of the rule's own tests."""
    if unsafe_path(path) is None and not path.startswith("/"):
        segments = path.split("/")
        assert all(segment not in ("", ".", "..") for segment in segments)
        assert not set(path) & set("\\\n\x00")


def test_a_value_that_json_cannot_carry_is_found() -> None:
    patch: dict[str, Any] = {**EXAMPLE, "note": {1, 2}}
    assert [(finding.rule_id, finding.path) for finding in verify_patch(patch).findings] == [("SCHEMA", "/note")]

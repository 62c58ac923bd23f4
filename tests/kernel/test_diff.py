"""Two documents side by side (ADR 0505)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from affidavit.canon.jcs import canonical
from affidavit.kernel.diff import Comparison, Side
from affidavit.kernel.difference import ABSENT, Absent, differences
from tests.support.values import json_values


@given(json_values())
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert list(differences(value, value)) == []


@given(json_values(), json_values())
def test_values_differ_exactly_when_their_canonical_bytes_do(left: Any, right: Any) -> None:
    assert bool(list(differences(left, right))) == (canonical(left) != canonical(right))


@given(json_values(), json_values())
def test_each_difference_stands_where_it_says_with_what_is_there(left: Any, right: Any) -> None:
    for steps, one, other in differences(left, right):
        assert _at(left, steps) is one or canonical(_at(left, steps)) == canonical(one)
        assert _at(right, steps) is other or canonical(_at(right, steps)) == canonical(other)


@given(json_values(), json_values())
def test_the_differences_are_the_same_from_the_other_side(left: Any, right: Any) -> None:
    there = [(steps, repr(one), repr(other)) for steps, one, other in differences(left, right)]
    back = [(steps, repr(one), repr(other)) for steps, other, one in differences(right, left)]
    assert there == back


def _at(value: Any, steps: tuple[Any, ...]) -> Any:
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError):
            return ABSENT
    return value


def test_one_is_one_point_zero_and_not_true() -> None:
    assert list(differences([1], [1.0])) == []
    assert [steps for steps, _, _ in differences([1], [True])] == [(0,)]


def compared(name: str, left: Any, right: Any) -> Comparison:
    return Comparison(Side("run", "a", {name: left}, {}), Side("run", "b", {name: right}, {}))


@pytest.mark.parametrize(
    ("name", "left", "is_ephemeral"),
    [
        ("run.json", {"run_id": "a", "started_at": "a", "completed_at": "a", "intent": {"path": "a"}}, True),
        ("run.json", {"intent": {"sha256": "a"}}, False),
        ("run.json", {"decision": {"run_id": "a"}}, False),
        ("runner.json", {"runner_id": "a", "timing": {"duration_ms": 1}, "unknown": 1}, True),
        ("runner.json", {"limits": {"timeout_ms": 1}}, False),
        ("evidence.json", {"executor_id": "a", "total_duration_ms": 1}, True),
        ("evidence.json", {"status": "a"}, False),
        ("model_io.json", {"created_at_utc": "a", "interactions": [{"latency_ms": 1}]}, True),
        ("model_io.json", {"interactions": [{"response_content": "a"}]}, False),
        ("bundle.json", {"id": "a"}, False),
        ("meta.json", {"anything": "a"}, True),
        ("RUN_META.json", {"run_id": "a", "sealed_at": "a"}, True),
        ("RUN_META.json", {"engine_version": "a"}, False),
        ("RUN_OUTPUT.json", {"outputs_hash": "a"}, True),
        ("RUN_OUTPUT.json", {"outputs": {"a": "a"}}, False),
    ],
)
def test_what_names_times_and_numbers_a_run_is_ephemeral(name: str, left: Any, is_ephemeral: bool) -> None:
    found = compared(name, left, _changed(left))
    assert bool(found.ephemeral) == is_ephemeral
    assert bool(found.canonical) != is_ephemeral
    assert found.is_same == is_ephemeral


def _changed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _changed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_changed(item) for item in value]
    return 2 if isinstance(value, int) else "b"


def test_what_only_one_has_is_told_with_the_other_side_empty() -> None:
    found = compared("bundle.json", {"a": 1, "b": [1, 2]}, {"b": [1], "c": None})
    told = [difference.as_json() for difference in found.canonical]
    assert told == [
        {"member": "bundle.json", "pointer": "/a", "a": 1},
        {"member": "bundle.json", "pointer": "/b/1", "a": 2},
        {"member": "bundle.json", "pointer": "/c", "b": None},
    ]
    assert isinstance(found.canonical[0].right, Absent)


def test_outputs_are_told_as_files_and_not_twice() -> None:
    run: Any = {"execution": {"outputs": [{"path": "x", "sha256": "a"}]}}
    other: Any = {"execution": {"outputs": []}}
    left = Side("run", "a", {"run.json": run}, {"x": ("a", 1), "same": ("s", 1), "changed": ("a", 1)})
    right = Side("run", "b", {"run.json": other}, {"same": ("s", 1), "new": ("n", 1), "changed": ("b", 1)})
    found = Comparison(left, right)
    assert found.canonical == []
    assert (found.added, found.removed, found.changed) == (["new"], ["x"], ["changed"])
    assert not found.is_same


def test_a_run_id_that_is_all_over_a_document_is_no_difference() -> None:
    left = Side("plan run", "a", {"x.json": {"path": "out/one/x", "one": 1}}, {}, repeated_id="one")
    right = Side("plan run", "b", {"x.json": {"path": "out/two/x", "two": 1}}, {}, repeated_id="two")
    assert Comparison(left, right).is_same

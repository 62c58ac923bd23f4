"""The runner record: what no vector can show (seed 001, contracts 2.8)."""

from __future__ import annotations

import copy
import os
import time
from multiprocessing import get_context

from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.runner import CORE, EXAMPLE, is_runner_id, new_runner_id, runner_hash, verify_runner
from tests.support.values import json_values


def test_the_seeds_example_has_the_known_hash() -> None:
    report = verify_runner(EXAMPLE)
    assert report.ok
    assert report.facts == {"runner_hash": "sha256:830861b74667a7c5b9967012e89ada945b3e53c0eb61ea74fbdfc6497edb22bc"}


@given(timing=json_values(), ephemeral=json_values())
def test_RN11_core_hash_excludes_timing_and_ephemeral(timing: object, ephemeral: object) -> None:
    record = {**EXAMPLE, "timing": timing, "ephemeral": ephemeral, "unknown": timing}
    assert runner_hash(record) == runner_hash(EXAMPLE)


@given(member=st.sampled_from([name for name in CORE if name in EXAMPLE]), value=json_values())
def test_RN11_core_hash_covers_every_core_member(member: str, value: object) -> None:
    record = {**copy.deepcopy(EXAMPLE), member: value}
    assert (runner_hash(record) == runner_hash(EXAMPLE)) == (canonical(value) == canonical(EXAMPLE[member]))


def test_RN12_canonical_round_trip() -> None:
    written = canonical(EXAMPLE)
    assert canonical(read(written)) == written
    assert verify_runner(read(written)).facts == verify_runner(EXAMPLE).facts


def test_RN12_a_value_that_json_cannot_carry_is_found() -> None:
    report = verify_runner({**EXAMPLE, "note": {1, 2}})
    assert [(finding.rule_id, finding.path) for finding in report.findings] == [("RN12", "/note")]
    assert "runner_hash" not in report.facts


def _make_ids(second: int) -> list[str]:
    return [new_runner_id(second, os.urandom(8)) for _ in range(1250)]


def test_RN2_runner_ids_are_unique() -> None:
    """Ten thousand ids that eight processes make for one second are distinct (contracts 2.8)."""
    with get_context("spawn").Pool(8) as pool:
        made = [runner_id for batch in pool.map(_make_ids, [int(time.time())] * 8) for runner_id in batch]
    assert len(set(made)) == 10_000
    assert all(map(is_runner_id, made))


def test_no_violation_stands_before_another_in_the_order_of_rule_path_message() -> None:
    record = {**EXAMPLE, "write_roots": ["/b", "a/.."], "limits": {}, "exit": None, "platform": {"os": 1}}
    found = [(finding.rule_id, finding.path, finding.message) for finding in verify_runner(record).findings]
    assert len(found) > 8
    assert found == sorted(found)

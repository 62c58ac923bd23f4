"""The run result: what no vector can show (seed 000)."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.policy import built_in
from affidavit.contracts.run import EPHEMERAL, EXAMPLE, canonical_subset, run_hash, verify_run
from tests.support.values import json_values

OWN = {**built_in("dev"), "name": "mine"}


def test_RS7_canonical_round_trip() -> None:
    written = canonical(EXAMPLE)
    assert canonical(read(written)) == written
    assert verify_run(read(written)).facts == {"run_hash": run_hash(EXAMPLE)}


def test_RS7_a_value_that_json_cannot_carry_is_found() -> None:
    report = verify_run({**EXAMPLE, "note": float("nan")})
    assert [(finding.rule_id, finding.path) for finding in report.findings] == [("RS7", "/note")]


@given(member=st.sampled_from(EPHEMERAL), value=json_values())
def test_the_run_hash_leaves_out_when_and_where(member: str, value: object) -> None:
    moved = {**copy.deepcopy(EXAMPLE), member: value}
    moved["intent"]["path"] = "elsewhere.json"
    assert run_hash(moved) == run_hash(EXAMPLE)


@given(member=st.sampled_from(sorted(canonical_subset(EXAMPLE).keys() - {"intent"})), value=json_values())
def test_the_run_hash_covers_everything_else(member: str, value: object) -> None:
    changed = {**copy.deepcopy(EXAMPLE), member: value}
    assert (run_hash(changed) == run_hash(EXAMPLE)) == (canonical(value) == canonical(EXAMPLE[member]))


def test_RS5_a_custom_profile_needs_its_file() -> None:
    record = {**EXAMPLE, "policy": OWN}
    assert [left.rule_id for left in verify_run(record).not_checked] == ["RS5"]
    assert verify_run(record, policy=OWN).not_checked == ()
    report = verify_run(record, policy={**OWN, "timeout_ms": 1000})
    assert [(finding.rule_id, finding.path) for finding in report.findings] == [("RS5", "/policy/timeout_ms")]

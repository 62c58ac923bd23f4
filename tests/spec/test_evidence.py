"""The evidence: what no vector can show (contracts 2.5)."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.bundle import EXAMPLE as BUNDLE
from affidavit.contracts.evidence import CORE, EXAMPLE, evidence_hash, verify_basic_evidence, verify_evidence
from affidavit.contracts.proposal import derive_proposal, proposal_hash
from tests.support.values import json_values


@given(data=st.data())
def test_EV5_equal_cores_have_equal_hashes(data: st.DataObject) -> None:
    """Neither the order in which things ran nor what is said about when and where changes the hash."""
    record = copy.deepcopy(EXAMPLE)
    record["action_results"] = data.draw(st.permutations(record["action_results"]))
    record["test_results"] = data.draw(st.permutations(record["test_results"]))
    for name in record.keys() - set(CORE):
        record[name] = data.draw(json_values())
    assert evidence_hash(record) == evidence_hash(EXAMPLE)


@given(name=st.sampled_from(["proposal_id", "proposal_hash", "status"]), value=st.text())
def test_EV5_every_core_member_is_covered(name: str, value: str) -> None:
    assert (evidence_hash({**EXAMPLE, name: value}) == evidence_hash(EXAMPLE)) == (value == EXAMPLE[name])


def test_EV5_every_result_is_covered() -> None:
    for name in ("action_results", "test_results"):
        shorter = copy.deepcopy(EXAMPLE)
        del shorter[name][0]
        assert evidence_hash(shorter) != evidence_hash(EXAMPLE)


def test_EV1_the_proposal_is_derived_from_the_bundle() -> None:
    proposal = derive_proposal(BUNDLE)
    assert proposal is not None
    named = {"id": proposal["id"], "hash": proposal_hash(proposal)}
    report = verify_evidence(EXAMPLE, proposal=named)
    assert report.ok
    assert report.not_checked == ()
    assert [left.rule_id for left in verify_evidence(EXAMPLE).not_checked] == ["EV1"]
    other = {**EXAMPLE, "proposal_hash": "sha256:" + "0" * 64}
    report = verify_evidence(other, proposal=named)
    assert [(finding.rule_id, finding.path) for finding in report.findings] == [("EV1", "/proposal_hash")]


def test_what_a_pack_asks_of_evidence_is_its_five_members() -> None:
    odd = {**EXAMPLE, "action_results": [1], "test_results": [{}], "status": "odd"}
    assert verify_basic_evidence(odd).ok
    assert not verify_evidence(odd).ok
    assert [finding.rule_id for finding in verify_basic_evidence({**odd, "status": 1}).findings] == ["SCHEMA"]


@given(value=json_values(), level=st.sampled_from(["spec", "compat", "strict"]))
def test_any_value_gives_a_basic_report(value: object, level: str) -> None:
    assert not verify_basic_evidence(value, level=level).ok  # type: ignore[arg-type]

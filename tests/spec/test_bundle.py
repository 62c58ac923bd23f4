"""The bundle: what no vector can show (contracts 1 and 2.3)."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import KERNEL
from affidavit.canon.reader import read
from affidavit.contracts.bundle import EXAMPLE, branch_id, bundle_hash, content_hash, verify_bundle


def test_BS8_canonical_round_trip() -> None:
    written = canonical(EXAMPLE)
    assert canonical(read(written)) == written
    assert verify_bundle(read(written)).facts == {"bundle_hash": bundle_hash(EXAMPLE)}
    report = verify_bundle({**EXAMPLE, "note": b""})
    assert [(finding.rule_id, finding.path) for finding in report.findings] == [("BS8", "/note")]


def test_BS2_equal_bundles_have_equal_hashes() -> None:
    turned = {name: EXAMPLE[name] for name in reversed(EXAMPLE)}
    assert bundle_hash(turned) == bundle_hash(EXAMPLE)
    assert bundle_hash(turned) == "sha256:" + KERNEL.digest(EXAMPLE).hex


def test_content_is_hashed_as_a_json_string() -> None:
    assert content_hash("abc") == "a4fb58ab9e76dcf8d9b2638c78dc2ba08b72447170604684d3f1adfb9842f950"


def test_a_branch_is_named_by_its_question_and_its_answer() -> None:
    assert branch_id("q_1", "a") == KERNEL.digest({"answer": "a", "question_id": "q_1"}).hex[:8]


def test_scores_of_other_kernels_are_not_checked() -> None:
    foreign = {**copy.deepcopy(EXAMPLE), "kernel_version": "9.9.9"}
    left = [left.rule_id for left in verify_bundle(foreign, level="strict").not_checked]
    assert left == ["SCHEMA"]


@given(scores=st.lists(st.integers(0, 100), min_size=1, max_size=4), mean=st.integers(0, 100))
def test_a_mean_is_any_integer_next_to_it(scores: list[int], mean: int) -> None:
    bundle = copy.deepcopy(EXAMPLE)
    bundle["terminal_nodes"] = [copy.deepcopy(bundle["root_node"]) for _ in scores]
    for node, score in zip(bundle["terminal_nodes"], scores, strict=True):
        node["density"]["density_score"] = score
    bundle["stats"]["avg_terminal_density"] = mean
    found = {finding.path for finding in verify_bundle(bundle, level="strict").findings}
    assert ("/stats/avg_terminal_density" in found) == (abs(mean - sum(scores) / len(scores)) >= 1)

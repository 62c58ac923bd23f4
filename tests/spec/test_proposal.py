"""The proposal: what no vector can show (contracts 2.9)."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.bundle import EXAMPLE as BUNDLE
from affidavit.contracts.proposal import EXAMPLE, derive_proposal, verify_proposal
from tests.support.values import json_values


def test_the_proposal_is_derived_from_the_bundle() -> None:
    assert derive_proposal(BUNDLE) == EXAMPLE
    assert verify_proposal(derive_proposal(BUNDLE), level="strict").ok


@given(content=st.one_of(st.text(), json_values().map(repr)), kind=st.sampled_from(["file", "command", "config"]))
def test_a_bundle_that_the_kernel_did_not_make_has_no_proposal_or_a_valid_one(content: str, kind: str) -> None:
    """Anybody may write our version into a bundle: deriving from it must end, and never in an exception."""
    bundle = copy.deepcopy(BUNDLE)
    bundle["outputs"][0].update({"type": kind, "content": content})
    proposal = derive_proposal(bundle)
    assert proposal is None or verify_proposal(proposal).ok


@pytest.mark.parametrize("content", ["[1]", "{}", '{"id":1,"argv":[]}', '{"id":"a","argv":[]', "\x00"])
def test_outputs_that_hold_no_declared_work_are_not_taken_for_some(content: str) -> None:
    bundle = copy.deepcopy(BUNDLE)
    for output in bundle["outputs"]:
        if output["type"] == "command":
            output["content"] = content
    assert derive_proposal(bundle) is None

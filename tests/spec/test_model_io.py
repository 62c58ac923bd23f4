"""The model session: what no vector can show (contracts 2.7)."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.profiles import RAW
from affidavit.contracts.model_io import CORE, EXAMPLE, INTERACTION_CORE, model_io_hash, verify_model_io
from affidavit.rules.model import Finding
from tests.support.values import json_values


def session(*responses: str) -> dict[str, Any]:
    interactions = [
        {
            "i": index,
            "prompt_hash": "sha256:" + "0" * 64,
            "response_hash": RAW.digest(response.encode()).content_hash,
            "response_content": response,
        }
        for index, response in enumerate(responses)
    ]
    return {**copy.deepcopy(EXAMPLE), "interactions": interactions}


def found(value: object) -> list[tuple[str, str]]:
    return [(finding.rule_id, finding.path) for finding in verify_model_io(value).findings]


def test_MI4_at_most_ten_thousand_interactions() -> None:
    assert found(session(*["x"] * 10_000)) == []
    assert found(session(*["x"] * 10_001)) == [("MI4", "/interactions")]


def test_MI11_responses_are_not_too_long() -> None:
    """Counted in UTF-8: the second has few characters and many bytes."""
    assert found(session("x" * 1_000_000)) == []
    assert found(session("x" * 1_000_001)) == [("MI11", "/interactions/0/response_content")]
    assert found(session("\u00e9" * 500_000)) == []
    assert found(session("", "\u00e9" * 500_001)) == [("MI11", "/interactions/1/response_content")]


def test_MI11_the_session_is_not_too_long() -> None:
    text = "x" * 1_000_000
    assert found(session(*[text] * 100)) == []
    assert found(session(*[text] * 100, "x")) == [("MI11", "/interactions")]


@given(data=st.data())
def test_MI10_violations_are_sorted(data: st.DataObject) -> None:
    value = session("a", "b", "c")
    for name in data.draw(st.sets(st.sampled_from(CORE))):
        value[name] = data.draw(json_values())
    for interaction in value["interactions"]:
        for name in data.draw(st.sets(st.sampled_from(INTERACTION_CORE))):
            interaction[name] = data.draw(json_values())
    findings = verify_model_io(value).findings
    assert list(findings) == sorted(findings, key=Finding.key)


@given(data=st.data())
def test_MI12_the_hash_speaks_of_the_core_alone(data: st.DataObject) -> None:
    value = copy.deepcopy(EXAMPLE)
    for name in (*(value.keys() - {*CORE, "interactions"}), "other"):
        value[name] = data.draw(json_values())
    for interaction in value["interactions"]:
        for name in ("tokens_input", "tokens_output", "latency_ms", "other"):
            interaction[name] = data.draw(json_values())
    assert model_io_hash(value) == model_io_hash(EXAMPLE)
    assert verify_model_io(value).facts == verify_model_io(EXAMPLE).facts


@given(name=st.sampled_from(CORE), inner=st.sampled_from(INTERACTION_CORE), value=st.text())
def test_MI12_the_hash_covers_every_core_member(name: str, inner: str, value: str) -> None:
    outer = {**EXAMPLE, name: value}
    assert (model_io_hash(outer) == model_io_hash(EXAMPLE)) == (value == EXAMPLE[name])
    other = copy.deepcopy(EXAMPLE)
    other["interactions"][1][inner] = value
    assert (model_io_hash(other) == model_io_hash(EXAMPLE)) == (value == EXAMPLE["interactions"][1][inner])


def test_a_core_that_json_cannot_carry_is_found() -> None:
    """A lone surrogate has no UTF-8, so it has no hash either."""
    value = copy.deepcopy(EXAMPLE)
    value["adapter_id"] = "\ud800"
    assert found(value) == [("SCHEMA", "/adapter_id")]
    value = copy.deepcopy(EXAMPLE)
    value["interactions"][0]["response_content"] = "\ud800"
    assert found(value) == [("MI7", "/interactions/0/response_content")]

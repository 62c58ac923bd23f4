"""The intent: normalisation (contracts 2.9)."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.intent import (
    EXAMPLE,
    is_work_id,
    normalised,
    normalised_constraint,
    normalised_text,
    source_intent_hash,
    verify_intent,
)

#: Letters that normalisation is about, and some that it leaves alone.
_LETTERS = st.sampled_from(list("ab \t\n\r\v\f\u00a0\u2003\u2028\ufeffe\u0301\u00e9\u212bx"))
rough = st.text(_LETTERS, max_size=24)


@given(text=rough)
def test_a_goal_is_normalised_as_the_contract_says(text: str) -> None:
    wanted = re.sub("\r\n?", "\n", text.removeprefix("\ufeff"))
    wanted = unicodedata.normalize("NFC", wanted)
    white = "\\s\ufeff"  # every letter drawn above that ECMAScript trims is white to Python too, but the BOM
    assert normalised_text(text) == re.sub(f"^[{white}]+|[{white}]+$", "", wanted)


@given(text=rough)
def test_a_constraint_is_normalised_as_the_contract_says(text: str) -> None:
    wanted = re.sub("[ \t]+", " ", normalised_text(text))
    assert normalised_constraint(text) == re.sub("\n{3,}", "\n\n", wanted)


@given(text=rough)
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalised_text(normalised_text(text)) == normalised_text(text)
    assert normalised_constraint(normalised_constraint(text)) == normalised_constraint(text)


@given(constraints=st.lists(rough, max_size=6), data=st.data())
def test_order_repetition_and_blanks_of_constraints_mean_nothing(constraints: list[str], data: st.DataObject) -> None:
    plain = normalised({"goal": "x", "constraints": constraints})
    turned = data.draw(st.permutations(constraints + constraints))
    padded = [f"\r\n {text}\t" for text in turned]
    assert normalised({"goal": " x\r", "constraints": [*padded, "", " "]}) == plain


@pytest.mark.parametrize("white", list("\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"))
def test_a_blank_goal_is_blank_whatever_makes_it_so(white: str) -> None:
    assert not verify_intent({"goal": white * 3}).ok
    assert normalised_text(f"{white}x{white}") == "x"


@pytest.mark.parametrize("visible", list("\u0085\u180e\u200b\u2060\x00"))
def test_what_ecmascript_does_not_trim_stays(visible: str) -> None:
    assert normalised_text(visible) == visible


@given(text=st.text(st.sampled_from("a0_-A\n"), max_size=4))
def test_ids_have_their_form(text: str) -> None:
    assert is_work_id(text) == bool(re.fullmatch("[a-z0-9][a-z0-9_-]{0,63}", text))


def test_ids_have_their_length() -> None:
    assert is_work_id("a" * 64)
    assert not is_work_id("a" * 65)


def test_what_is_left_out_hashes_as_what_is_empty() -> None:
    full = {"goal": "x", "constraints": [], "context": {}}
    assert source_intent_hash(normalised({"goal": "x"})) == source_intent_hash(normalised(full))
    assert verify_intent(EXAMPLE).facts == {"source_intent_hash": source_intent_hash(normalised(EXAMPLE))}

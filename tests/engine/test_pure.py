"""The pure parts of sealing: names of keys, hashes, sums (contracts 3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import RAW
from affidavit.contracts.engine_examination import (
    Examination,
    judge_here,
    member_of_json,
    member_of_value,
    outputs_hash_of,
)
from affidavit.contracts.engine_family import INPUT, OUTPUT, is_run_id
from affidavit.contracts.forbidden_keys import FORBIDDEN, ForbiddenKeys, name_form, named_by
from affidavit.contracts.run_artifacts import read_sums, sums_text
from affidavit.contracts.run_output import outputs_hash
from affidavit.kernel.seal import put_input, put_output
from tests.support.values import json_values


@pytest.mark.parametrize(
    "name",
    [
        "userID",
        "User-Id",
        "USER_ID",
        "_user_id",
        "user id",
        "user..id",
        "user_id_",
        "userId",
        "\uff55ser_id",
        "User\u00a0Id",
    ],
)
def test_spellings_of_a_forbidden_key(name: str) -> None:
    assert name_form(name) == "user_id"
    assert ForbiddenKeys().holds(name)


@pytest.mark.parametrize("name", ["USERID", "role_count", "userids", "user", "id", "", "_", "phones", "xadmin"])
def test_names_that_are_no_forbidden_key(name: str) -> None:
    assert not ForbiddenKeys().holds(name)


def test_every_listed_key_is_its_own_form() -> None:
    assert [name_form(name) for name in FORBIDDEN] == list(FORBIDDEN)


def test_words_of_camel_case_are_parted() -> None:
    assert name_form("HTTPRole") == "http_role"
    assert name_form("paymentState2") == "payment_state2"
    assert name_form("priceID") == "price_id"


def test_an_input_schema_names_more_of_them_in_four_places() -> None:
    schema = {
        "properties": {"context": {"x_forbidden_fields": ["a"], "forbidden_fields": ["b", 3]}},
        "context": {"x_forbidden_fields": ["c"], "forbidden_fields": ["d"]},
        "x_forbidden_fields": ["e"],
    }
    assert named_by(schema) == ["a", "b", "c", "d"]
    nothings: list[Any] = [
        None,
        [],
        {"properties": []},
        {"properties": {"context": True}},
        {"context": {"forbidden_fields": 1}},
    ]
    for nothing in nothings:
        assert named_by(nothing) == []
    assert ForbiddenKeys([""]).holds("_") is False


_KEYS = st.sampled_from(["userID", "note", "Role", "x", "phone_", "deep"])
_CONTEXTS = st.recursive(
    st.integers(0, 9), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4)
)


@given(_CONTEXTS)
def test_stripping_takes_all_of_them_and_only_them_and_is_idempotent(context: Any) -> None:
    keys = ForbiddenKeys()
    before = list(keys.places({"context": context}))
    kept, removed = keys.strip(context)
    assert bool(removed) == bool(before)
    assert list(keys.places({"context": kept})) == []
    assert keys.strip(kept) == (kept, [])
    if not removed:
        assert kept == context


@given(json_values(), st.sampled_from(["context", "inputs", None]))
def test_the_quick_walk_and_the_exact_one_agree(value: Any, spared: str | None) -> None:
    keys = ForbiddenKeys(["", "a", ":"])
    document = {"context": value, "inputs": [value]}
    assert (list(keys._walk(document, spared)) != []) == keys._has_any(document, spared)


_HASHES = st.sampled_from(["0" * 64, "f" * 64, "x", 1, None, {"outputs_hash": "0" * 64}])


@given(json_values(), _HASHES, _HASHES)
def test_the_hash_is_the_same_cut_out_of_the_text_and_written_anew(value: Any, told: Any, nested: Any) -> None:
    document = {"a": value, "outputs_hash": told, "z": {"outputs_hash": nested, "more": value}}
    for some in (document, {"outputs_hash": told}, {"a": value, "outputs_hash": told}, {"outputs_hash": told, "z": 1}):
        assert outputs_hash_of(member_of_value(some)) == outputs_hash(some)
        assert outputs_hash_of(member_of_json(canonical(some))) == outputs_hash(some)


@given(json_values(), st.booleans())
def test_an_output_is_completed_with_hashes_that_hold(value: Any, nested: bool) -> None:
    bundle = Examination("spec", judge_here)
    put_input(bundle, {"run_id": "r", "inputs": {}}, separate_parameters=False)
    document: dict[str, Any] = {"outputs": value, "z": {"outputs_hash": "0" * 64} if nested else 0}
    put_output(bundle, document)
    made = bundle.members[OUTPUT]
    assert made.text == canonical(made.value)
    assert made.digest == RAW.digest(made.text or b"").hex
    assert made.value["outputs_hash"] == outputs_hash(made.value)  # type: ignore[arg-type, call-overload, index]
    assert made.value["inputs_hash"] == bundle.members[INPUT].digest  # type: ignore[call-overload, index]


_PATHS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="\\"), min_size=1, max_size=8)


@given(st.dictionaries(_PATHS.filter(lambda path: path[0] not in "-/" and "//" not in path), st.just("0" * 64)))
def test_sums_are_read_as_they_are_written(digests: dict[str, str]) -> None:
    digests = {path: digest for path, digest in digests.items() if not {"", ".", ".."} & set(path.split("/"))}
    read = read_sums(sums_text(digests))
    assert (read.digests, read.faults) == (digests, [])


@given(st.binary(max_size=200))
def test_any_bytes_for_sums_are_told(data: bytes) -> None:
    read = read_sums(data)
    assert read.faults or sums_text(read.digests) == data


@pytest.mark.parametrize("name", ["run-1", "R.1_x", "a" * 128])
def test_names_of_runs(name: str) -> None:
    assert is_run_id(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", ".run", "-run", "a/b", "a\\b", "a b", "a\n", "a" * 129, "a\0", "\u212a", "\u0661"]
)
def test_names_that_no_run_has(name: str) -> None:
    assert not is_run_id(name)

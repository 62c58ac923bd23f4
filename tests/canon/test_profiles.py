"""Hash profiles: the known values, and digests that never mix (contracts 1)."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.order import in_order, is_in_order, utf16
from affidavit.canon.profiles import ENGINE, KERNEL, MODEL_IO, PLAN, PROFILES, RAW, _Waiting, derive_id, raw_hasher
from affidavit.values import Digest
from tests.support.values import json_values

STRICT = {
    "name": "strict",
    "allow_network": False,
    "timeout_ms": 30000,
    "max_output_files": 200,
    "max_total_output_bytes": 10485760,
    "allowed_commands": ["node", "npm"],
    "allowed_write_roots": ["out", "dist", "build"],
}


def test_kernel_hashes_have_the_known_values() -> None:
    assert KERNEL.digest("abc").hex == "a4fb58ab9e76dcf8d9b2638c78dc2ba08b72447170604684d3f1adfb9842f950"
    assert KERNEL.digest(STRICT).content_hash == (
        "sha256:1f5c1221e6ae2e17e8b4b861801d28cd0eac8c79e7013cc94a3eb124f134d161"
    )


def test_engine_hash_has_the_known_value() -> None:
    run_input = {
        "run_id": "run-0001",
        "project_id": "proj-1",
        "inputs": {"samples": [0, 0.5, 1e21]},
        "parameters": {"window": "hann", "n": 4},
        "context": {"note": "ok"},
    }
    assert ENGINE.digest(run_input).hex == "1b412bf748730e63ef63915c70358bd188744cebc70d334d2a9f7f7031af7d78"


@given(json_values())
def test_each_profile_hashes_the_bytes_it_is_named_for(value: object) -> None:
    jcs = canonical(value)
    assert KERNEL.digest(value).hex == hashlib.sha256(jcs + b"\n").hexdigest()
    assert ENGINE.digest(value).hex == MODEL_IO.digest(value).hex == hashlib.sha256(jcs).hexdigest()
    assert RAW.digest(jcs).hex == ENGINE.digest(value).hex


@pytest.mark.parametrize("size", [0, 1, 262_143, 262_144, 1_000_000])
def test_small_and_large_inputs_hash_alike(size: int) -> None:
    data = b"\xa5" * size
    hasher = raw_hasher()
    hasher.update(data)
    assert RAW.digest(data).hex == hashlib.sha256(data).hexdigest() == RAW.digest_hex(hasher.hexdigest()).hex


def test_plan_hashes_what_python_writes() -> None:
    payload = {"b": [1, 2], "a": "é", "n": None}
    wanted = b'{"a": "\\u00e9", "b": [1, 2], "n": null}'
    assert PLAN.digest(payload).hex == hashlib.sha256(wanted).hexdigest()


def test_digests_of_two_profiles_are_never_equal() -> None:
    digits = "0" * 64
    assert Digest("ENGINE", digits) != Digest("MODEL_IO", digits)
    assert Digest("ENGINE", digits) == Digest("ENGINE", digits)
    assert len({Digest(name, digits) for name in PROFILES}) == len(PROFILES) == 5
    assert Digest("RAW", digits) != digits


@pytest.mark.parametrize("digits", ["", "0" * 63, "0" * 65, "A" * 64, "0" * 63 + "\n", "\u0660" * 64])
def test_a_digest_is_64_lowercase_hex_digits(digits: str) -> None:
    with pytest.raises(ValueError, match="64 lowercase hex"):
        Digest("RAW", digits)


def test_derived_ids_are_the_prefix_and_sixteen_digits_of_the_kernel_hash() -> None:
    assert derive_id("q", "abc") == "q_a4fb58ab9e76dcf8"


def test_raw_hashes_bytes_only() -> None:
    with pytest.raises(TypeError):
        RAW.digest("text")


@given(st.lists(st.text(st.sampled_from("aZ09_\u00e9\ud7ff\ud800\udfff\ue000\uffff\U00010000\U0010ffff"), max_size=4)))
def test_the_one_order_is_that_of_utf16_code_units(texts: list[str]) -> None:
    ordered = in_order(texts)
    assert sorted(texts) == sorted(ordered)
    assert all(utf16(a) <= utf16(b) for a, b in pairwise(ordered))
    assert is_in_order(ordered)
    assert is_in_order(texts) == (texts == ordered)


def test_the_order_is_not_natural_and_not_by_code_point() -> None:
    assert in_order(["PK2", "PK12"]) == ["PK12", "PK2"]
    assert in_order(["\ufb33", "\U0001f600", "a", "Z"]) == ["Z", "a", "\U0001f600", "\ufb33"]


@pytest.mark.parametrize("size", [0, 1, 262_143, 262_144, 262_145, 3_000_000])
@pytest.mark.parametrize("piece", [1000, 262_144, 5_000_000])
def test_a_hasher_that_waits_to_see_how_much_it_gets_says_the_same(size: int, piece: int) -> None:
    data = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    waiting = _Waiting()
    for at in range(0, size, piece):
        waiting.update(memoryview(data)[at : at + piece])
    wanted = hashlib.sha256(data).hexdigest()
    assert waiting.hexdigest() == wanted
    assert waiting.hexdigest() == wanted
    waiting.update(b"more")
    assert waiting.hexdigest() == hashlib.sha256(data + b"more").hexdigest()

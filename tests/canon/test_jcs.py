"""Canonical JSON is RFC 8785, exactly, whichever writer is asked; what JSON cannot carry is refused (ADR 0004)."""

from __future__ import annotations

import enum
import math
import random
import struct
import subprocess
import sys
from collections import OrderedDict
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.fast import LAYS_OUT_AS_EXPECTED, fast_canonical, fast_canonical_of_float_free
from affidavit.canon.jcs import _small, _written, canonical
from affidavit.canon.numbers import number_text
from affidavit.errors import UnsupportedValue
from affidavit.values import MAX_DEPTH, MAX_SAFE_INTEGER
from tests.support.values import doubles, json_values, texts

# RFC 8785 appendix B: the bits of a double, and its text.
APPENDIX_B = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"),
    ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), APPENDIX_B)
def test_number_texts_of_rfc_8785_appendix_b(bits: str, text: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert number_text(value) == text
    assert canonical(value) == text.encode()
    large = [value] * 20_000  # beyond the size from which orjson's texts are put right
    assert canonical(large) == b"[" + b",".join([text.encode()] * 20_000) + b"]"


def test_keys_sort_by_utf16_code_units() -> None:
    """RFC 8785, 3.2.3: the emoji's surrogates come before U+FB33."""
    value = {"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\U0001f600": 5, "\u0080": 6, "\u00f6": 7}
    wanted = '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\U0001f600":5,"\ufb33":3}'.encode()
    assert canonical(value) == wanted
    assert _written(value) == wanted
    assert fast_canonical(value) is None


def test_escapes_are_minimal() -> None:
    assert (
        canonical('\u20ac$\x0f\nA\'B"\\\\"/\x7f\u2028') == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\x7f\u2028"'.encode()
    )


@given(json_values(max_leaves=40))
def test_all_writers_agree_with_each_other_and_with_rfc8785(value: Any) -> None:
    wanted = _written(value)
    assert rfc8785.dumps(value) == wanted
    assert canonical(value) == wanted
    assert _small(value) in (wanted, None)
    assert fast_canonical(value) in (wanted, None)
    large = {"pad": ["x" * 70_000], "value": value}
    assert fast_canonical(large) in (_written(large), None)


_LOOK_ALIKES = st.sampled_from(["1.0", ".0,", "e+16,", "e-5]", "-0.0}", "1e16", "x.0\n", "0.0]", "e+20"])


@given(st.lists(st.one_of(doubles, _LOOK_ALIKES, st.lists(st.one_of(doubles, _LOOK_ALIKES))), max_size=30))
def test_numbers_are_told_from_look_alikes_in_strings(value: list[Any]) -> None:
    large = ["x" * 70_000, *value]
    written = fast_canonical(large)
    assert LAYS_OUT_AS_EXPECTED
    assert written == _written(large)


def test_a_hundred_thousand_random_doubles_agree_with_rfc8785() -> None:
    """By their bits, so that every magnitude comes up; `make fuzz` compares millions."""
    source = random.Random(8785)
    values = [value for value in struct.unpack("<100000d", source.randbytes(800_000)) if math.isfinite(value)]
    assert canonical(values) == rfc8785.dumps(values)
    assert len(values) > 99_000


@given(st.dictionaries(texts, st.one_of(st.none(), texts)))
def test_float_free_documents_are_written_as_the_reference_writes_them(value: dict[str, Any]) -> None:
    assert fast_canonical_of_float_free(value) in (_written(value), None)


def test_the_fast_writer_is_really_taken() -> None:
    """Otherwise the agreements above would be tested on nothing."""
    assert fast_canonical({"b": [1, "x", None, True], "a": {}}) == b'{"a":{},"b":[1,"x",null,true]}'
    assert fast_canonical([2.5, 1.0] * 20_000) == _written([2.5, 1.0] * 20_000)
    assert fast_canonical(["x" * 70_000, -0.0, 1e16, 1e-5, 1e21]) == _written(["x" * 70_000, -0.0, 1e16, 1e-5, 1e21])
    assert _small({"b": [1, "x", None, True], "a": {}}) == b'{"a":{},"b":[1,"x",null,true]}'


class _Text(str):
    __slots__ = ()


class _Number(int):
    pass


class _Double(float):
    pass


class _Members(dict[str, int]):
    pass


class _Colour(enum.IntEnum):
    RED = 1


class _Word(enum.StrEnum):
    RED = "red"


REFUSED: list[tuple[object, str, str]] = [
    (math.nan, "VALUE_NOT_FINITE", ""),
    ([math.inf], "VALUE_NOT_FINITE", "/0"),
    ({"a/b~": -math.inf}, "VALUE_NOT_FINITE", "/a~1b~0"),
    (MAX_SAFE_INTEGER + 1, "VALUE_INTEGER", ""),
    ([0, -MAX_SAFE_INTEGER - 1], "VALUE_INTEGER", "/1"),
    (10**4000, "VALUE_INTEGER", ""),
    ("\ud800", "VALUE_SURROGATE", ""),
    ({"a": ["\udfff"]}, "VALUE_SURROGATE", "/a/0"),
    ({"\udc80": 1}, "VALUE_SURROGATE", ""),
    ({1: 2}, "VALUE_KEY", ""),
    ({"a": {None: 2}}, "VALUE_KEY", "/a"),
    ({_Text("a"): 1}, "VALUE_KEY", ""),
    ({1, 2}, "VALUE_TYPE", ""),
    (b"x", "VALUE_TYPE", ""),
    (object(), "VALUE_TYPE", ""),
    (1j, "VALUE_TYPE", ""),
    (_Text("a"), "VALUE_TYPE", ""),
    (_Number(1), "VALUE_TYPE", ""),
    (_Double(1), "VALUE_TYPE", ""),
    (_Members(a=1), "VALUE_TYPE", ""),
    (OrderedDict(a=1), "VALUE_TYPE", ""),
    (_Colour.RED, "VALUE_TYPE", ""),
    (_Word.RED, "VALUE_TYPE", ""),
    ([[None, {"x": _Colour.RED}]], "VALUE_TYPE", "/0/1/x"),
]


@pytest.mark.parametrize(("value", "code", "place"), REFUSED, ids=lambda part: type(part).__name__)
def test_what_json_cannot_carry_is_refused_at_its_place(value: object, code: str, place: str) -> None:
    for writer in (canonical, _written):
        with pytest.raises(UnsupportedValue) as caught:
            writer(value)
        assert (caught.value.code, caught.value.place) == (code, place)
    for writer_or_none in (_small, fast_canonical):
        assert writer_or_none(value) is None
    large = {"pad": ["x" * 70_000], "value": value}
    assert fast_canonical(large) is None


def test_depth_is_refused_by_every_writer_alike() -> None:
    deepest: Any = []
    for _ in range(MAX_DEPTH - 1):
        deepest = [deepest]
    text = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert canonical(deepest) == _written(deepest) == _small(deepest) == fast_canonical(deepest) == text
    for value in ([deepest], {"a": deepest}, ["x" * 70_000, deepest]):
        with pytest.raises(UnsupportedValue) as caught:
            canonical(value)
        assert caught.value.code == "VALUE_TOO_DEEP"
        assert _small(value) is None
        assert fast_canonical(value) is None
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(UnsupportedValue):
        canonical(endless)


def test_a_tuple_is_an_array() -> None:
    assert canonical((1, ("a", ()))) == b'[1,["a",[]]]'


def test_the_writer_answers_alike_with_and_without_orjson_loaded() -> None:
    probe = (
        "import sys\n"
        "if sys.argv[1] == 'with': import orjson\n"
        "from affidavit.canon.jcs import canonical\n"
        "sys.stdout.buffer.write(canonical({'\\ue000': [1.0, 1e20, -0.0, 1e-6], '\\U0001f600': {'b': 0, 'a': 'x'}}))\n"
        "sys.stdout.buffer.write(canonical([{'k%d' % n: n} for n in range(100)]))\n"
        "print('orjson' in sys.modules, file=sys.stderr)\n"
    )
    answers = [
        subprocess.run([sys.executable, "-c", probe, how], capture_output=True, check=True)
        for how in ("with", "without")
    ]
    assert answers[0].stdout == answers[1].stdout != b""
    assert [answer.stderr for answer in answers] == [b"True\n", b"False\n"]

"""The strict reader: what it refuses, where it says so, and that its three tiers give one answer (contracts 1)."""

from __future__ import annotations

import gc
import json
import math
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from affidavit.canon.certified import read_certified
from affidavit.canon.jcs import canonical
from affidavit.canon.reader import MAX_BYTES, _scanned, read, read_document
from affidavit.canon.reference import read_reference
from affidavit.errors import ParseError
from affidavit.values import MAX_DEPTH, MAX_SAFE_INTEGER, MAX_VALUES
from tests.support.same import same
from tests.support.values import json_values

REFUSED = [
    # bytes, code, offset, line, column
    (b"", "JSON_SYNTAX", 0, 1, 1),
    (b"  \n ", "JSON_SYNTAX", 4, 2, 2),
    (b'{"a":1,"a":2}', "JSON_DUPLICATE_KEY", 7, 1, 8),
    (b'{"a":1,\n "\\u0061":2}', "JSON_DUPLICATE_KEY", 9, 2, 2),
    (b'[{"b":{"x":0,"x":0}}]', "JSON_DUPLICATE_KEY", 13, 1, 14),
    (b"NaN", "JSON_NUMBER", 0, 1, 1),
    (b"[Infinity]", "JSON_NUMBER", 1, 1, 2),
    (b"[-Infinity]", "JSON_NUMBER", 1, 1, 2),
    (b"1e400", "JSON_NUMBER", 0, 1, 1),
    (b"-1e400", "JSON_NUMBER", 0, 1, 1),
    (b"[01]", "JSON_NUMBER", 1, 1, 2),
    (b"1.", "JSON_NUMBER", 0, 1, 1),
    (b".5", "JSON_SYNTAX", 0, 1, 1),
    (b"+1", "JSON_SYNTAX", 0, 1, 1),
    (b"-", "JSON_NUMBER", 0, 1, 1),
    (b"1e", "JSON_NUMBER", 0, 1, 1),
    (b"0x10", "JSON_TRAILING", 1, 1, 2),
    (b"9007199254740993", "JSON_NUMBER", 0, 1, 1),
    (b"-9007199254740993", "JSON_NUMBER", 0, 1, 1),
    (b"18446744073709551615", "JSON_NUMBER", 0, 1, 1),
    (b"1" + b"0" * 5000, "JSON_NUMBER", 0, 1, 1),
    (b'"\\ud800"', "JSON_SURROGATE", 1, 1, 2),
    (b'"\\udc00\\ud800"', "JSON_SURROGATE", 1, 1, 2),
    (b'"\\ud800x"', "JSON_SURROGATE", 1, 1, 2),
    (b'{"\\uDBFF":1}', "JSON_SURROGATE", 2, 1, 3),
    (b'"\xed\xa0\x80"', "JSON_UTF8", 1, 1, 2),
    (b'"\xff"', "JSON_UTF8", 1, 1, 2),
    (b'"\xc0\x80"', "JSON_UTF8", 1, 1, 2),
    (b'"\xe2\x82', "JSON_UTF8", 1, 1, 2),
    ('{"é":\n"\ufeff"}x'.encode(), "JSON_TRAILING", 13, 2, 5),
    (b"\xef\xbb\xbf{}", "JSON_BOM", 0, 1, 1),
    (b"{} {}", "JSON_TRAILING", 3, 1, 4),
    (b"1 2", "JSON_TRAILING", 2, 1, 3),
    (b"{}\x00", "JSON_TRAILING", 2, 1, 3),
    (b"[1,]", "JSON_SYNTAX", 3, 1, 4),
    (b'{"a":1,}', "JSON_SYNTAX", 7, 1, 8),
    (b"{a:1}", "JSON_SYNTAX", 1, 1, 2),
    (b"{'a':1}", "JSON_SYNTAX", 1, 1, 2),
    (b'{"a" 1}', "JSON_SYNTAX", 5, 1, 6),
    (b"[1 2]", "JSON_SYNTAX", 3, 1, 4),
    (b"[1", "JSON_SYNTAX", 2, 1, 3),
    (b'"abc', "JSON_SYNTAX", 0, 1, 1),
    (b'"a\nb"', "JSON_SYNTAX", 2, 1, 3),
    (b'"\\x41"', "JSON_SYNTAX", 2, 1, 3),
    (b'"\\u12"', "JSON_SYNTAX", 1, 1, 2),
    (b"tru", "JSON_SYNTAX", 0, 1, 1),
    (b"True", "JSON_SYNTAX", 0, 1, 1),
    (b"\xa0{}", "JSON_UTF8", 0, 1, 1),
    ("\u00a0{}".encode(), "JSON_SYNTAX", 0, 1, 1),
    (b"\x0c{}", "JSON_SYNTAX", 0, 1, 1),
    (b"// no\n{}", "JSON_SYNTAX", 0, 1, 1),
    (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "JSON_TOO_DEEP", MAX_DEPTH, 1, MAX_DEPTH + 1),
    (b'{"a":' * 100_000, "JSON_TOO_DEEP", 5 * MAX_DEPTH, 1, 5 * MAX_DEPTH + 1),
]


@pytest.mark.parametrize(("data", "code", "offset", "line", "column"), REFUSED, ids=lambda part: repr(part)[:40])
def test_what_is_not_strict_json_is_refused_at_its_byte(
    data: bytes, code: str, offset: int, line: int, column: int
) -> None:
    with pytest.raises(ParseError) as caught:
        read(data)
    error = caught.value
    assert (error.code, error.offset, error.line, error.column) == (code, offset, line, column)
    assert error.expected
    assert error.found
    assert f"at byte {offset} (line {line}, column {column})" in error.message


def test_what_is_refused_alone_is_refused_by_the_certified_reader_too() -> None:
    """orjson is asked first for large documents, and would take some of these."""
    taken = [data for data, *_ in REFUSED if read_certified(b'{"pad":["x"],"x":' + data + b"}") is not None]
    assert taken == []


def test_a_large_document_is_read_as_strictly_as_a_small_one() -> None:
    padded = b'{"pad":[' + b",".join(b'"%d"' % n for n in range(200_000)) + b'],"x":%s}'
    assert len(padded) > 1_500_000
    for data in (b'{"a":1,"a":2}', b"18446744073709551616", b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, b"NaN", b'"\\ud800"'):
        with pytest.raises(ParseError):
            read(padded.replace(b"%s", data))


READ: list[tuple[bytes, object]] = [
    (b" null ", None),
    (b"\t\r\n[true,false]\n", [True, False]),
    (b"9007199254740991", MAX_SAFE_INTEGER),
    (b"-9007199254740991", -MAX_SAFE_INTEGER),
    (b"9007199254740992", 2.0**53),
    (b"100000000000000000000", 1e20),
    (b"-100000000000000000000", -1e20),
    (b"-0", 0),
    (b"-0.0", -0.0),
    (b"1E2", 100.0),
    (b"5e-324", 5e-324),
    (b"1e-400", 0.0),
    (b"9007199254740993.0", 2.0**53),
    (b'"\\ud83d\\ude00\\u0000\\/"', "\U0001f600\x00/"),
    (b'{"":{"":[]}}', {"": {"": []}}),
]


@pytest.mark.parametrize(("data", "value"), READ, ids=lambda part: repr(part)[:40])
def test_what_is_strict_json_is_read(data: bytes, value: object) -> None:
    assert same(read(data), value)


def test_two_hundred_levels_are_read() -> None:
    assert canonical(read(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)) == b"[" * MAX_DEPTH + b"]" * MAX_DEPTH


def test_more_bytes_than_allowed_are_refused() -> None:
    assert read(b'"1234"', max_bytes=6) == "1234"
    with pytest.raises(ParseError) as caught:
        read(b'"12345"', max_bytes=6)
    assert (caught.value.code, caught.value.offset) == ("JSON_TOO_LARGE", 6)
    assert MAX_BYTES == 64 * 1024 * 1024


def test_more_values_than_allowed_are_refused() -> None:
    many = b"[" + b"0," * (MAX_VALUES - 2) + b"0]"  # the array is a value too
    assert len(read(many)) == MAX_VALUES - 1  # type: ignore[arg-type]
    with pytest.raises(ParseError) as caught:
        read(b"[0," + many[1:])
    assert caught.value.code == "JSON_TOO_MANY_VALUES"


def test_a_refusal_never_costs_more_than_linear_time() -> None:
    """Shapes on which careless readers go quadratic: long digits, many escapes, deep or unclosed containers."""
    for data in (b"1" * 2_000_000, b'"' + b"\\n" * 1_000_000, b'["' * 500_000, b"-" * 1_000_000, b'"\\ud800' * 100_000):
        with pytest.raises(ParseError):
            read(data)


@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbf")
def test_any_bytes_give_a_value_or_a_parse_error(data: bytes) -> None:
    try:
        value = read(data)
    except ParseError as error:
        refusal = error
    else:
        # as bytes: 0.0 is written as 0, which reads as an integer (contracts 1)
        assert canonical(read(canonical(value))) == canonical(value)
        return
    assert 0 <= refusal.offset <= len(data)
    assert refusal.line >= 1
    assert refusal.column >= 1


_PIECES = [
    *(b"{", b"}", b"[", b"]", b",", b":", b'"', b'"a"', b'"b"', b"\\", b"\\u", b"d800", b"0", b"1", b"-", b".", b"e"),
    *(b"true", b"null", b"NaN", b" ", b"\n", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b"\xed\xa0\x80", b"9007199254740993"),
]


@given(st.lists(st.sampled_from(_PIECES), max_size=14).map(b"".join))
def test_the_quick_readers_accept_only_what_the_reference_accepts_and_read_the_same(data: bytes) -> None:
    try:
        wanted = read_reference(data, max_bytes=MAX_BYTES)
    except ParseError:
        assert _scanned(data) is None
        assert read_certified(data) is None
        return
    scanned, certified = _scanned(data), read_certified(data)
    assert scanned is None or same(scanned.value, wanted)
    assert certified is None or same(certified[0], wanted)


@given(json_values(max_leaves=30))
def test_reading_what_the_writer_writes_gives_the_same_bytes_again(value: object) -> None:
    written = canonical(value)
    assert canonical(read(written)) == written
    assert read_document(written).canonical() == written
    indented = json.dumps(value, indent=1, ensure_ascii=True).encode()
    assert canonical(read(indented)) == written
    certified = read_certified(indented)
    if certified is not None:
        assert canonical(certified[0]) == written
        assert certified[1] == _float_free(certified[0])


def _float_free(value: object) -> bool:
    if type(value) is dict:
        return all(map(_float_free, value.values()))
    return all(map(_float_free, value)) if type(value) is list else type(value) is not float


def test_large_documents_take_the_certified_way() -> None:
    """Otherwise the agreement above would be tested on nothing."""
    assert read_certified(b'{"a": [1, 2.5, "x"]}') == ({"a": [1, 2.5, "x"]}, False)
    assert read_certified(b'{"a": [1, "2.5", "e5", "1e5,", ".0,"]}') is not None
    assert read_certified(b'{"a": [1, "2.5", "e5"]}')[1] is True  # type: ignore[index]
    large = canonical([{"name": f"n{number}", "size": number} for number in range(60_000)])
    assert len(large) > 1_500_000
    assert read_document(large).canonical() == large


def test_the_reader_leaves_the_collector_as_it_was() -> None:
    assert gc.isenabled()
    read(b"{}")
    assert gc.isenabled()
    gc.disable()
    try:
        read(b"{}")
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_document_that_was_handed_out_is_looked_at_again_before_it_is_written() -> None:
    document = read_document(canonical(["x"] * 500_000))
    value = document.value
    assert type(value) is list
    value[0] = math.pi
    assert document.canonical().startswith(b"[3.141592653589793,")


def test_the_reader_answers_alike_with_and_without_orjson_loaded() -> None:
    probe = (
        "import sys\n"
        "if sys.argv[1] == 'with': import orjson\n"
        "from affidavit.canon.reader import read\n"
        "from affidavit.canon.jcs import canonical\n"
        "from affidavit.errors import ParseError\n"
        "for data in (b'[1.0, 1e20, \"\\xf0\\x9f\\x98\\x80\", -0.0]', b'[1,2,{\"a\":1,\"a\":2}]' + b' ' * 20000,"
        " b'[' * 300, b'[18446744073709551616]' + b' ' * 20000):\n"
        "    try: print(canonical(read(data)))\n"
        "    except ParseError as error: print(error)\n"
    )
    answers = [
        subprocess.run([sys.executable, "-c", probe, how], capture_output=True, check=True).stdout
        for how in ("with", "without")
    ]
    assert answers[0] == answers[1]
    assert answers[0].count(b"\n") == 4


def test_what_the_caller_froze_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        assert frozen > 0
        read(b"[" + b",".join([b"{}"] * 700_000) + b"]")
        assert gc.get_freeze_count() == frozen
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("function", ["reader.read", "syntax.check_syntax"])
def test_malformed_bytes_are_a_parse_error_where_nobody_has_imported_json(function: str) -> None:
    """The C scanner takes its error class from json.decoder, which the command never imports."""
    module, name = function.split(".")
    probe = (
        "import sys\n"
        f"from affidavit.canon.{module} import {name} as take\n"
        "from affidavit.errors import ParseError\n"
        "assert 'json' not in sys.modules\n"
        f"for data in {[data for data, *_ in REFUSED if len(data) < 5000]!r}:\n"
        "    try:\n"
        "        take(data)\n"
        "    except ParseError:\n"
        "        continue\n"
        f"    assert {module == 'syntax'}, data\n"
        "print('done')\n"
    )
    ran = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False, text=True)
    assert (ran.stdout, ran.stderr) == ("done\n", "")

"""Each hand-written text form holds exactly where the pattern that its contract states matches the whole text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.runner import is_runner_id
from affidavit.values import is_content_hash, is_hex, is_id, is_locale, is_semver, parse_timestamp, pointer, timed_id

if TYPE_CHECKING:
    from collections.abc import Callable

_SEMVER = (
    r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)"
    r"(-((0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(\+([0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*))?"
)

FORMS: dict[str, tuple[Callable[[str], bool], str]] = {
    "hex": (lambda text: is_hex(text, 64), r"[0-9a-f]{64}"),
    "content hash": (is_content_hash, r"sha256:[0-9a-f]{64}"),
    "id": (lambda text: is_id(text, "node"), r"node_[0-9a-f]{16}"),
    "semver": (is_semver, _SEMVER),
    "locale": (is_locale, r"(C|POSIX|[a-z]{2,3}(_[A-Z]{2})?)([.][A-Za-z0-9-]+)?(@[A-Za-z0-9]+)?"),
    "runner id": (is_runner_id, r"runner_[0-9]{8}_[0-9]{6}_[a-z0-9]+"),
}

#: One character put in, taken out or doubled: the mistakes that careless forms let through.
_SPOILERS = [
    "\n",
    " ",
    "\x00",
    "\u0660",
    "\uff11",
    "\u00e9",
    "A",
    "a",
    "g",
    "0",
    "9",
    ".",
    "-",
    "_",
    "+",
    "@",
    ":",
    "/",
]


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_a_form_is_its_pattern(form: str, data: st.DataObject) -> None:
    holds, pattern = FORMS[form]
    text = data.draw(st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True))
    assert holds(text)
    at = data.draw(st.integers(0, len(text)))
    spoiled = data.draw(
        st.sampled_from([text[:at] + spoiler + text[at + cut :] for spoiler in (*_SPOILERS, "") for cut in (0, 1)])
    )
    assert holds(spoiled) == (re.fullmatch(pattern, spoiled, re.ASCII) is not None)


@pytest.mark.parametrize("form", FORMS)
@given(text=st.text(max_size=12))
def test_a_form_agrees_with_its_pattern_on_any_text(form: str, text: str) -> None:
    holds, pattern = FORMS[form]
    assert holds(text) == (re.fullmatch(pattern, text, re.ASCII) is not None)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), st.booleans())  # noqa: DTZ001 -- made aware below
def test_every_real_instant_is_read_as_its_milliseconds(moment: datetime, with_millis: bool) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000 if with_millis else 0, tzinfo=UTC)
    text = moment.strftime("%m-%dT%H:%M:%S")
    text = f"{moment.year:04}-{text}" + (f".{moment.microsecond // 1000:03}Z" if with_millis else "Z")
    assert parse_timestamp(text) == (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "text",
    [
        *("", "2026-01-06", "2026-01-06T12:00:00", "2026-01-06T12:00:00+00:00", "2026-01-06t12:00:00z"),
        *("2026-01-06 12:00:00Z", "2026-01-06T12:00:00Z\n", "2026-01-06T12:00:00.0Z", "2026-01-06T12:00:00,000Z"),
        *("2026-02-29T12:00:00Z", "1900-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-13-01T12:00:00Z"),
        *("2026-00-01T12:00:00Z", "2026-01-00T12:00:00Z", "2026-01-06T24:00:00Z", "2026-01-06T12:60:00Z"),
        *("2026-01-06T12:00:60Z", "0000-01-06T12:00:00Z", "20260106T120000.000Z000", "2026-01-06T12:00:0\u0660Z"),
    ],
)
def test_what_is_no_real_utc_instant_is_none(text: str) -> None:
    assert parse_timestamp(text) is None


def test_leap_days_are_real() -> None:
    assert parse_timestamp("2024-02-29T00:00:00Z") is not None
    assert parse_timestamp("2000-02-29T00:00:00Z") is not None


@given(st.lists(st.one_of(st.text(), st.integers(0, 99))))
def test_a_pointer_escapes_what_would_split_it(steps: list[str | int]) -> None:
    written = pointer(*steps)
    read_back = [part.replace("~1", "/").replace("~0", "~") for part in written.split("/")[1:]]
    assert read_back == [str(step) for step in steps]


@given(st.integers(0, 2**45), st.binary(min_size=4, max_size=4))
def test_timed_ids_hold_their_instant_and_are_told_apart_by_chance(epoch_ms: int, random: bytes) -> None:
    prefix, instant, rest = timed_id("er", epoch_ms, random).split("_")
    assert (prefix, int(instant, 36), bytes.fromhex(rest)) == ("er", epoch_ms, random)
    assert re.fullmatch("0|[1-9a-z][0-9a-z]*", instant)

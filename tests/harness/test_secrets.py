"""Secrets are replaced wherever the pieces of a stream begin and end (contracts 2.9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.errors import UsageError
from affidavit.harness.secrets import Replacing, Secrets

ONE = Secrets({"TOKEN": "s3cret"})


def through(secrets: Secrets, *pieces: bytes) -> bytes:
    stream = Replacing(secrets)
    return b"".join([*(stream.feed(piece) for piece in pieces), stream.end()])


def test_a_secret_is_replaced_by_its_name() -> None:
    assert through(ONE, b"a s3cret and s3crets3cret") == b"a [secret:TOKEN] and [secret:TOKEN][secret:TOKEN]"
    assert ONE.replaced("my s3cret") == "my [secret:TOKEN]"
    assert ONE.stands_in("xs3cretx")
    assert not ONE.stands_in("s3cre")


def test_every_border_between_pieces_is_seen_across() -> None:
    text = b"before s3cret after s3cre"
    for at in range(len(text) + 1):
        assert through(ONE, text[:at], text[at:]) == b"before [secret:TOKEN] after s3cre"
    assert through(ONE, *(text[at : at + 1] for at in range(len(text)))) == b"before [secret:TOKEN] after s3cre"


def test_what_is_no_beginning_of_a_secret_is_given_out_at_once() -> None:
    stream = Replacing(ONE)
    assert stream.feed(b"progress 10%\r") == b"progress 10%\r"
    assert stream.feed(b"s3c") == b""
    assert stream.feed(b"ond") == b"s3cond"


def test_of_two_secrets_at_one_place_the_longer_is_replaced() -> None:
    both = Secrets({"SHORT": "abab", "LONG": "ababc"})
    assert through(both, b"aba", b"b", b"c abab") == b"[secret:LONG] [secret:SHORT]"


def test_a_value_that_is_no_text_is_found_as_its_bytes() -> None:
    raw = b"\xff\xfe\x00key"
    secrets = Secrets({"RAW": raw.decode("utf-8", "surrogateescape")})
    assert through(secrets, b"<" + raw[:2], raw[2:] + b">") == b"<[secret:RAW]>"


@pytest.mark.parametrize("value", ["abc", ""])
def test_what_could_not_be_kept_secret_is_wrong_usage(value: str) -> None:
    with pytest.raises(UsageError):
        Secrets({"T": value})


_SMALL = st.text("ab", min_size=4, max_size=8)


@given(
    st.dictionaries(st.sampled_from(["A", "B", "C"]), _SMALL, max_size=3), st.lists(st.binary(max_size=9)), st.data()
)
def test_pieces_make_no_difference(values: dict[str, str], more: list[bytes], data: st.DataObject) -> None:
    secrets = Secrets(values)
    pieces = [*more, *data.draw(st.lists(st.text("ab", max_size=9).map(str.encode)))]
    assert through(secrets, *pieces) == through(secrets, b"".join(pieces))


@given(_SMALL, st.lists(st.text("abc", max_size=12).map(str.encode)))
def test_no_secret_is_left(value: str, pieces: list[bytes]) -> None:
    """With a name that no piece can be mistaken for."""
    secrets = Secrets({"X": value})
    assert value.encode() not in through(secrets, *pieces).replace(b"[secret:X]", b"|")

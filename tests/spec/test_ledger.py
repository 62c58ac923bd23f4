"""The ledger: what no vector can show (contracts 2.6)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import KERNEL
from affidavit.contracts.ledger import MOST_LINE_BYTES, split_lines, verify_ledger
from affidavit.rules.report import as_json
from tests.support.values import json_values
from tests.vectors.make_ledger import chained, lines, unchained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from affidavit.rules.model import Report
    from affidavit.values import Level


def verified(data: bytes, level: Level = "spec") -> Report:
    return verify_ledger(data, level=level)


def found(report: Report) -> list[str]:
    return sorted(f"{finding.rule_id} {finding.path}".rstrip() for finding in report.findings)


def test_a_sound_ledger_tells_its_last_hash() -> None:
    entries = chained()
    report = verified(lines(entries))
    assert report.facts == {"entries": 3, "last_sha256": KERNEL.digest(entries[-1]).content_hash}
    assert report.not_checked == ()


def test_a_ledger_that_is_no_chain_is_told_so() -> None:
    assert [left.rule_id for left in verified(lines(unchained())).not_checked] == ["CHAIN"]


def test_CHAIN_the_first_broken_link_is_named_and_no_other() -> None:
    entries = chained(8)
    entries[3]["accepted"] = False
    entries[5]["accepted"] = False
    report = verified(lines(entries))
    assert found(report) == ["CHAIN /4/prev_sha256"]
    assert "on line 5" in report.findings[0].found
    assert [left.reason for left in report.not_checked] == ["the links below the first that is broken"]


def test_CHAIN_nobody_can_say_what_follows_an_unreadable_line() -> None:
    whole = lines(chained(4)).split(b"\n")
    report = verified(b"\n".join([whole[0], whole[1][:30], *whole[2:]]))
    assert found(report) == ["LD1 /1"]
    assert [left.rule_id for left in report.not_checked] == ["CHAIN"]


@given(data=st.binary(max_size=60) | st.text("a\n\r", max_size=20).map(str.encode), cuts=st.lists(st.integers(0, 60)))
def test_lines_are_the_same_however_the_stream_is_cut(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(edges)]
    *whole, rest = data.split(b"\n")
    assert list(split_lines(pieces)) == [line + b"\n" for line in whole] + [rest] * (rest != b"")


def test_a_line_without_end_is_not_held_in_memory() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(64):
            yield b"x" * (1 << 20)
        yield b"\n" + lines(chained(1))

    got = list(split_lines(pieces()))
    assert len(got) == 2
    assert MOST_LINE_BYTES < len(got[0]) <= MOST_LINE_BYTES + (1 << 20) + 1
    report = verify_ledger(got)
    assert [finding.path for finding in report.findings] == ["/0"]


@given(data=st.binary(max_size=200), level=st.sampled_from(["spec", "compat", "strict"]))
def test_any_bytes_give_a_report(data: bytes, level: Level) -> None:
    report = verified(data, level)
    assert report.ok == (not report.findings)


@given(data=st.data())
def test_any_changed_byte_of_a_chained_ledger_is_found(data: st.DataObject) -> None:
    """At strict, where the bytes are canonical; the last line has nobody below who names it, so it is kept."""
    body = lines(chained(3))
    last = lines(chained(3)[:2])
    at = data.draw(st.integers(0, len(last) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != body[at]))
    assert not verified(body[:at] + bytes([other]) + body[at + 1 :], "strict").ok


@pytest.mark.parametrize("name", chained()[1])
def test_every_deletion_and_change_of_type_in_an_entry_is_found(name: str) -> None:
    """At `strict` on the last line, so that no link below it tells."""
    other: object
    for other in (None, True, -1, 0.5, "\x00", [[]], {"\x00": {}}):
        entries: list[dict[str, object]] = [*chained()]
        if type(other) is type(entries[-1][name]):
            continue
        entries[-1][name] = other
        assert not verified(lines(entries), "strict").ok, other
    entries = [*chained()]
    del entries[-1][name]
    assert not verified(lines(entries), "strict").ok


def test_every_reordering_and_deletion_of_lines_is_found() -> None:
    sound = chained(5)
    for index in range(5):
        kept = [entry for at, entry in enumerate(sound) if at != index]
        assert verified(lines(kept)).ok is (index == 4)  # whoever keeps last_sha256 sees that too
    for index in range(4):
        swapped = [*sound]
        swapped[index : index + 2] = reversed(swapped[index : index + 2])
        assert not verified(lines(swapped)).ok


@given(data=st.data(), level=st.sampled_from(["spec", "compat", "strict"]))
def test_any_value_in_place_of_any_member_gives_a_report(data: st.DataObject, level: Level) -> None:
    entries: list[object] = [*chained()]
    index = data.draw(st.integers(0, 2))
    value = data.draw(json_values())
    entry = entries[index]
    assert isinstance(entry, dict)
    if data.draw(st.booleans()):
        entry[data.draw(st.sampled_from(sorted(entry)))] = value
    else:
        entries[index] = value
    report = verified(b"".join(canonical(entry) + b"\n" for entry in entries), level)
    assert as_json(report)["ok"] is report.ok

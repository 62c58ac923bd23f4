"""Verifiers are total: any value in, a Report out; what is changed in a valid document is found, or known to be free.

Every contract that has a specification is held to this, by its module's EXAMPLE.
"""

from __future__ import annotations

import copy
import importlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.rules.model import Report
from affidavit.rules.report import as_json, as_lines
from tests.support.contracts import SEVERAL, documents, verifier_of
from tests.support.free import FREE
from tests.support.values import json_values

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Documents that are not one JSON value are held to the same by tests of their own.
SINGLE = [document for document in documents() if document not in SEVERAL]

#: A value of each type, unlike what any document means.
OTHERS: tuple[Any, ...] = (None, True, -1, 0.5, "\x00", [[]], {"\x00": {}})

LEVELS = ("spec", "compat", "strict")


def example(document: str) -> dict[str, Any]:
    value: dict[str, Any] = copy.deepcopy(importlib.import_module(f"affidavit.contracts.{document}").EXAMPLE)
    return value


def places(value: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document but the root."""
    members: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield (*steps, step)
        yield from places(member, (*steps, step))


def container_of(value: Any, place: tuple[str | int, ...]) -> Any:
    for step in place[:-1]:
        value = value[step]
    return value


@pytest.mark.parametrize("document", SINGLE)
def test_the_example_is_valid_at_every_level(document: str) -> None:
    for level in LEVELS:
        report = verifier_of(document)(example(document), level=level)
        assert report.ok, (level, report)


@pytest.mark.parametrize("document", SINGLE)
@given(value=json_values(), level=st.sampled_from(LEVELS))
def test_any_value_gives_a_report(document: str, value: Any, level: str) -> None:
    assert isinstance(verifier_of(document)(value, level=level), Report)


@pytest.mark.parametrize("document", SINGLE)
@given(data=st.data())
def test_any_value_in_place_of_any_member_gives_a_report(document: str, data: st.DataObject) -> None:
    value = example(document)
    place = data.draw(st.sampled_from(list(places(value))))
    container_of(value, place)[place[-1]] = data.draw(json_values())
    report = verifier_of(document)(value, level=data.draw(st.sampled_from(LEVELS)))
    assert isinstance(report, Report)
    assert as_json(report)["ok"] is report.ok
    assert as_lines(report, name="x", verbose=True)
    assert report.findings == tuple(sorted(report.findings, key=lambda finding: finding.key()))


@pytest.mark.parametrize("document", SINGLE)
def test_every_deletion_is_found_or_free(document: str) -> None:
    free = FREE[document]
    for place in places(example(document)):
        value = example(document)
        del container_of(value, place)[place[-1]]
        judge(document, value, place, "deleted", free.deleted)


@pytest.mark.parametrize("document", SINGLE)
def test_every_change_of_type_is_found_or_free(document: str) -> None:
    free = FREE[document]
    for place in places(example(document)):
        for other in OTHERS:
            value = example(document)
            container = container_of(value, place)
            if type(container[place[-1]]) is type(other):
                continue
            container[place[-1]] = other
            allowed = free.retyped | free.nulled if other is None else free.retyped
            judge(document, value, place, f"retyped to {other!r}", allowed)


@pytest.mark.parametrize("document", SINGLE)
def test_every_reordering_is_found_or_free(document: str) -> None:
    free = FREE[document]
    for place in places(example(document)):
        value = example(document)
        items = container_of(value, place)[place[-1]]
        if isinstance(items, list) and items != items[::-1]:
            items.reverse()
            judge(document, value, place, "reordered", free.reordered)


def judge(document: str, value: Any, place: tuple[str | int, ...], what: str, free: frozenset[str]) -> None:
    """Found at the strictest level unless the table says that the place (items by `*`) is free."""
    name = "/".join("*" if isinstance(step, int) else step for step in place)
    report = verifier_of(document)(value, level="strict")
    exact = "/".join(map(str, place))
    assert report.ok == (name in free or exact in free), (
        f"{document}: {name} {what}: {'not found' if report.ok else report}"
    )

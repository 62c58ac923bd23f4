"""`affidavit explain` and `affidavit schema`: what is specified, for people and for other tools."""

from __future__ import annotations

import copy
import importlib
import re
from typing import Any

import jsonschema_rs
import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.cli.verbs.schema import DOCUMENTS
from affidavit.errors import ParseError
from affidavit.rules.schema import json_schema
from tests.properties.test_total import OTHERS, container_of, places
from tests.support.cli import affidavit, on_terminal
from tests.support.contracts import contract_of, documents, headings, verifier_of
from tests.support.vectors import all_vectors

LEVELS = ("spec", "compat", "strict")


@pytest.mark.parametrize("document", documents())
def test_every_rule_can_be_explained_as_its_specification_words_it(document: str) -> None:
    ran = affidavit("explain", "--json", document)
    body: Any = read(ran.out)
    assert ran.status == 0
    assert {rule["rule_id"]: rule["title"] for rule in body["rules"]} == headings(document)
    assert all(rule["text"] and not re.search(r"^#", rule["text"], re.MULTILINE) for rule in body["rules"])


def test_an_id_of_several_documents_is_told_of_each_and_a_qualified_one_of_one() -> None:
    several: Any = read(affidavit("explain", "--json", "SCHEMA").out)
    assert len(several["rules"]) > 5
    one: Any = read(affidavit("explain", "--json", "run:SCHEMA").out)
    assert [rule["document"] for rule in one["rules"]] == ["run"]


def test_explain_is_read_by_people_also_through_a_pager() -> None:
    ran = affidavit("explain", "RN6")
    assert ran.status == 0
    assert ran.out.startswith(b"runner:RN6  ")
    assert b"`allowlist` and `blocklist`" in ran.out
    assert on_terminal("explain", "--color=never", "RN6").out == ran.out


def test_a_mistyped_id_gets_a_suggestion() -> None:
    ran = affidavit("explain", "RN66")
    assert ran.status == 1
    assert b"did you mean RN" in ran.err


def test_without_an_id_all_are_listed() -> None:
    listed = affidavit("explain").out.decode()
    assert all(re.search(rf"^{document} ", listed, re.MULTILINE) for document in documents())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_schema_is_one_and_takes_the_example(document: str, level: str) -> None:
    ran = affidavit("schema", "--level", level, document.replace("_", "-"))
    schema: Any = read(ran.out)
    assert ran.status == 0
    assert canonical(schema) + b"\n" == ran.out
    jsonschema_rs.meta.validate(schema)
    example = importlib.import_module(f"affidavit.contracts.{document}").EXAMPLE
    jsonschema_rs.Draft202012Validator(schema).validate(example)


def test_a_schema_takes_every_vector_that_a_verifier_takes() -> None:
    validators: dict[tuple[str, str], Any] = {}
    for vector in all_vectors():
        if vector.document in DOCUMENTS and vector.document != "ledger" and not vector.expected:
            key = (vector.document, vector.level)
            if key not in validators:
                shape = contract_of(vector.document).shape(vector.level)  # type: ignore[arg-type]
                validators[key] = jsonschema_rs.Draft202012Validator(json_schema(shape))
            try:
                value = read(vector.body)
            except ParseError:
                continue
            assert validators[key].is_valid(value), vector.name


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name != "ledger"])
def test_a_schema_refuses_nothing_that_a_verifier_takes(document: str) -> None:
    """Every node of the example replaced by a value of each other type: what the schema refuses has a finding."""
    module = importlib.import_module(f"affidavit.contracts.{document}")
    validator = jsonschema_rs.Draft202012Validator(json_schema(contract_of(document).shape("spec")))
    refused = 0
    for place in places(module.EXAMPLE):
        for other in OTHERS:
            value = copy.deepcopy(module.EXAMPLE)
            container_of(value, place)[place[-1]] = other
            if not validator.is_valid(value):
                refused += 1
                assert not verifier_of(document)(value).ok, (place, other)
    assert refused > len(list(places(module.EXAMPLE)))


def test_schema_lists_and_suggests() -> None:
    assert affidavit("schema").out.split() == [document.encode() for document in DOCUMENTS]
    ran = affidavit("schema", "runer")
    assert ran.status == 1
    assert b"did you mean run" in ran.err


def test_a_person_reads_an_indented_schema() -> None:
    shown = on_terminal("schema", "runner").out
    assert shown.count(b"\n") > 50
    assert read(shown) == read(affidavit("schema", "runner").out)

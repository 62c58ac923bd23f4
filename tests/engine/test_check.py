"""`engine check`: contracts that are complete and say the same (contracts 3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.json_schema import SchemaFault, constrains_nothing
from affidavit.engine.check import check_engine
from affidavit.engine.judge import judge
from tests.support.cli import affidavit, on_terminal
from tests.support.engine_folders import engine_folder, write
from tests.support.engines import engine_contracts

if TYPE_CHECKING:
    from pathlib import Path


def found(path: str) -> list[str]:
    return [f"{finding.rule_id} {finding.path}" for finding in check_engine(path).findings]


def test_sound_contracts_pass(tmp_path: Path) -> None:
    report = check_engine(engine_folder(str(tmp_path)))
    assert report.ok
    assert "warnings" not in report.facts
    assert set(report.facts["contracts_hashes"]) == set(os.listdir(tmp_path))


@pytest.mark.parametrize("name", sorted(["SEALING_SPEC.md", *engine_contracts()]))
def test_a_contract_that_is_absent_is_named(name: str, tmp_path: Path) -> None:
    engine_folder(str(tmp_path))
    os.remove(tmp_path / name)
    expected = [f"CONTRACT {name}"]
    assert found(str(tmp_path)) == expected


def test_a_contract_is_never_read_through_a_symlink(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    write(str(tmp_path), "elsewhere.json", b"{}")
    os.remove(os.path.join(engine, "INPUT_SCHEMA.json"))
    os.symlink("../elsewhere.json", os.path.join(engine, "INPUT_SCHEMA.json"))
    assert found(engine) == ["CONTRACT INPUT_SCHEMA.json"]


def test_a_fifo_for_a_contract_blocks_nobody(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path))
    os.remove(tmp_path / "OUTPUT_SCHEMA.json")
    os.mkfifo(tmp_path / "OUTPUT_SCHEMA.json")
    assert found(engine) == ["CONTRACT OUTPUT_SCHEMA.json"]


def test_contracts_of_two_engines_are_inconsistent(tmp_path: Path) -> None:
    contracts = engine_contracts()
    contracts["INPUT_SCHEMA.json"]["engine_version"] = "2.0.0"
    assert found(engine_folder(str(tmp_path), contracts)) == ["CONTRACT_INCONSISTENT INPUT_SCHEMA.json#/engine_version"]


def test_an_entrypoint_in_the_folder_is_there(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path), entrypoint=["./run.sh"])
    assert found(engine) == ["ENTRYPOINT ENGINE_MANIFEST.json#/entrypoint/0"]
    write(engine, "run.sh", b"#!/bin/sh\n")
    assert found(engine) == []


@pytest.mark.parametrize(
    "schema", [True, {}, {"title": "x"}, {"properties": {"a": True}}, {"allOf": [{}, {"items": {"description": "x"}}]}]
)
def test_a_schema_that_refuses_nothing_is_a_warning(schema: Any, tmp_path: Path) -> None:
    contracts = engine_contracts()
    contracts["INPUT_SCHEMA.json"] = schema
    report = check_engine(engine_folder(str(tmp_path), contracts))
    assert report.ok
    assert [(told["code"], told["path"]) for told in report.facts["warnings"]] == [
        ("SCHEMA_VACUOUS", "INPUT_SCHEMA.json")
    ]


def test_a_schema_that_refuses_something_is_not_vacuous() -> None:
    schemas: list[Any] = [
        False,
        {"type": "object"},
        {"properties": {"a": {"const": 1}}},
        {"$ref": "#/$defs/a"},
        {"not": {}},
    ]
    for schema in schemas:
        assert not constrains_nothing(schema)


def doubling(depth: int) -> dict[str, Any]:
    """A schema of a few kilobytes that takes 2^depth steps to judge anything by."""
    defs: dict[str, Any] = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(depth)}
    return {"$ref": "#/$defs/d0", "$defs": defs | {f"d{depth}": {"type": "string"}}}


def test_a_schema_that_takes_years_is_a_fault_and_no_hang() -> None:
    answer = judge(doubling(60), ("x",), seconds=1)
    assert isinstance(answer, SchemaFault)
    assert "longer" in answer.found


def test_a_document_that_is_wrong_in_many_ways_takes_no_more_memory_than_there_is() -> None:
    """Each error holds a copy of what it is about."""
    document: Any = {"items": [{"at": n, "label": f"sample {n}"} for n in range(100_000)]}
    schemas: list[Any] = [{"allOf": [{"type": "string", "minimum": n} for n in range(400)]}, doubling(9)]
    for schema in schemas:
        errors = judge(schema, (document,))
        assert isinstance(errors, list)
        assert errors[0][0] == ()
    assert judge({"type": "object"}, (document,)) == []


def test_a_schema_with_references_is_judged_all_the_same() -> None:
    assert judge(doubling(3), ("x",)) == []
    errors = judge(doubling(3), (1,))
    assert isinstance(errors, list)
    assert errors[0][0] == ()


def test_the_network_is_never_asked() -> None:
    for target in ("http://127.0.0.1:9/x", "https://localhost/x", "file:///etc/passwd"):
        assert isinstance(judge({"$ref": target}, (1,)), SchemaFault)


def test_the_command_checks_and_tells(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    ran = affidavit("engine", "check", engine)
    body: Any = read(ran.out)
    assert (ran.status, body["ok"], body["engine"]) == (0, True, "SPECTRA 1.0.0")
    assert b"a valid engine" in on_terminal("engine", "check", engine).out
    os.remove(os.path.join(engine, "SEALING_SPEC.md"))
    assert affidavit("engine", "check", engine).status == 1
    assert affidavit("engine", "check", str(tmp_path / "none")).status == 2
    assert affidavit("engine", "check").status == 3
    write(engine, "ENGINE_MANIFEST.json", canonical({"io": 3}))
    assert affidavit("engine", "check", engine).status == 1

"""`--sarif FILE`: the findings as code-review tools take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.runner import EXAMPLE
from tests.support.cli import affidavit
from tests.support.pack_files import two_members, write_directory

if TYPE_CHECKING:
    from pathlib import Path


def run_of(path: Path) -> Any:
    data = path.read_bytes()
    body: Any = read(data)
    assert canonical(body) + b"\n" == data
    assert body["version"] == "2.1.0"
    (run,) = body["runs"]
    assert run["tool"]["driver"]["name"] == "affidavit"
    assert {result["ruleId"] for result in run["results"]} <= {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    return run


def test_a_finding_has_its_rule_its_file_and_its_place(tmp_path: Path) -> None:
    (tmp_path / "a b\u00e9.json").write_bytes(canonical({**EXAMPLE, "write_roots": ["z", "a"]}))
    ran = affidavit("runner-verify", "--sarif", "found.sarif", "a b\u00e9.json", cwd=str(tmp_path))
    assert ran.status == 3
    run = run_of(tmp_path / "found.sarif")
    (result,) = run["results"]
    assert result["ruleId"] == "runner-record/RN7"
    assert result["level"] == "error"
    assert "expected" in result["message"]["text"]
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%C3%A9.json"
    assert location["logicalLocations"] == [{"fullyQualifiedName": "/write_roots/0"}]
    assert run["invocations"][0]["executionSuccessful"] is True


def test_no_findings_are_an_empty_list(tmp_path: Path) -> None:
    path = tmp_path / "found.sarif"
    assert affidavit("runner-verify", "-", f"--sarif={path}", stdin=canonical(EXAMPLE)).status == 0
    assert run_of(path)["results"] == []


def test_a_finding_in_a_pack_names_the_member(tmp_path: Path) -> None:
    pack = write_directory(tmp_path / "pack", {**two_members(), "bundle.json": b"{}"})
    assert affidavit("pack-verify", "--sarif", str(tmp_path / "x"), pack).status == 1
    uris = {
        location["physicalLocation"]["artifactLocation"]["uri"]
        for result in run_of(tmp_path / "x")["results"]
        for location in result["locations"]
    }
    assert uris == {f"file://{pack}/bundle.json"}


def test_verify_writes_one_file_for_all_paths_and_tells_what_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "runner.json").write_bytes(b"{}")
    (tmp_path / "torn.json").write_bytes(b'{"a":\n  oops}')
    assert affidavit("verify", "--sarif=x", "runner.json", "torn.json", "absent", cwd=str(tmp_path)).status == 2
    run = run_of(tmp_path / "x")
    assert {result["ruleId"].split("/")[0] for result in run["results"]} == {"runner-record"}
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    torn, absent = (told for told in invocation["toolExecutionNotifications"] if told["level"] == "error")
    assert torn["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 3}
    assert absent["message"]["text"].startswith("IO: absent")


def test_what_has_no_report_is_told_too_by_a_verifier_of_one_document(tmp_path: Path) -> None:
    assert affidavit("run-verify", "--sarif", str(tmp_path / "x"), "-", stdin=b"{").status == 2
    assert run_of(tmp_path / "x")["invocations"][0]["executionSuccessful"] is False


@pytest.mark.parametrize("place", ["nowhere/found.sarif", "."])
def test_a_file_that_cannot_be_written_is_an_error(place: str, tmp_path: Path) -> None:
    ran = affidavit("runner-verify", "--sarif", place, "-", stdin=canonical(EXAMPLE), cwd=str(tmp_path))
    assert ran.status == 1
    assert b'"code":"IO"' in ran.err

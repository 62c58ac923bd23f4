"""`affidavit verify PATH...`: what is recognised, one answer for each path, exit statuses (contracts 5)."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.cli.recognise import BY_MEMBERS, BY_NAME, BY_SCHEMA, module_of
from affidavit.cli.verbs.schema import DOCUMENTS
from tests.support.cli import affidavit, on_terminal
from tests.support.contracts import SEVERAL, documents
from tests.support.pack_files import seven_members, two_members, write_archive, write_directory
from tests.vectors.make_ledger import chained, lines

if TYPE_CHECKING:
    from pathlib import Path


def answers(out: bytes) -> list[dict[str, Any]]:
    found: Any = [read(line) for line in out.splitlines()]
    assert b"".join(canonical(answer) + b"\n" for answer in found) == out
    return found  # type: ignore[no-any-return]


def example(document: str) -> Any:
    return importlib.import_module(f"affidavit.contracts.{document}").EXAMPLE


#: Documents that only their file's name tells from others.
NAMELESS = {
    "runtime_events": "runtime_events.normalized.json",
    "run_artifacts": "ARTIFACT_INDEX.json",
    "runtime_results": "runtime_results.json",
}


@pytest.mark.parametrize("document", [name for name in DOCUMENTS if name != "ledger"])
def test_every_document_is_recognised(document: str) -> None:
    assert module_of(example(document), NAMELESS.get(document, "x.json")) == document


def test_every_contract_that_a_table_names_is_there() -> None:
    named = {module for _, module in BY_MEMBERS} | set(BY_SCHEMA.values()) | set(BY_NAME.values())
    assert named == set(DOCUMENTS) - {"ledger"}
    several = set(SEVERAL) - {"ledger"}
    assert {document.replace("-", "_") for document in documents()} - several == set(DOCUMENTS)
    for module in named:
        assert callable(getattr(importlib.import_module(f"affidavit.contracts.{module}"), f"verify_{module}"))


def test_each_path_has_one_answer_in_order(tmp_path: Path) -> None:
    write_directory(tmp_path / "pack", seven_members())
    write_archive(tmp_path / "pack.zip", seven_members())
    write_directory(tmp_path, {name: seven_members()[name] for name in ("run.json", "policy.json")})
    (tmp_path / "ledger.jsonl").write_bytes(lines(chained()))
    paths = ["pack", "pack.zip", "run.json", "policy.json", "ledger.jsonl"]
    ran = affidavit("verify", *paths, cwd=str(tmp_path))
    found = answers(ran.out)
    assert (ran.status, ran.err) == (0, b"")
    assert [answer["path"] for answer in found] == paths
    assert [answer["document"] for answer in found] == ["pack", "pack", "run result", "policy", "ledger"]
    assert all(answer["ok"] for answer in found)
    # what is verified alone answers the same
    alone = read(affidavit("run-verify", "run.json", cwd=str(tmp_path)).out)
    assert {**found[2]} == {"document": "run result", "path": "run.json", **alone}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["good"], 0),
        (["good", "bad"], 1),
        (["good", "absent"], 2),
        (["bad", "absent", "good"], 2),
        (["torn"], 2),
        (["strange"], 2),
        (["empty"], 2),
        ([], 3),
        (["--level", "lax", "good"], 3),
    ],
)
def test_the_exit_status_is_that_of_the_worst(names: list[str], status: int, tmp_path: Path) -> None:
    write_directory(tmp_path / "good", two_members())
    write_directory(tmp_path / "bad", {"run.json": b"{}"})
    (tmp_path / "torn").write_bytes(b'{"run_schema_version":')
    (tmp_path / "strange").write_bytes(b'{"a":1}')
    (tmp_path / "empty").mkdir()
    ran = affidavit("verify", *names, cwd=str(tmp_path))
    assert ran.status == status
    assert len(answers(ran.out)) == max(1, len(names)) or status == 3


def test_what_cannot_be_read_is_told_with_its_path(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    write_directory(tmp_path / "pack", two_members())
    os.symlink("pack", tmp_path / "link")
    ran = affidavit("verify", "absent", "fifo", "link", "pack", cwd=str(tmp_path))
    assert ran.status == 2
    told = [(answer["path"], answer["ok"], answer.get("error", {}).get("code")) for answer in answers(ran.out)]
    assert told == [("absent", False, "IO"), ("fifo", False, "IO"), ("link", False, "IO"), ("pack", True, None)]


@pytest.mark.parametrize(
    "name", ["run.json", "bundle.json", "policy.json", "runner.json", "patch.json", "evidence.json"]
)
def test_a_damaged_document_is_recognised_by_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b'{"x":1}')
    ran = affidavit("verify", name, cwd=str(tmp_path))
    (answer,) = answers(ran.out)
    assert ran.status == 1
    assert answer["violations"]


def test_a_pack_without_run_json_is_a_pack_with_a_finding(tmp_path: Path) -> None:
    write_directory(tmp_path / "pack", {"bundle.json": two_members()["bundle.json"]})
    ran = affidavit("verify", "pack", cwd=str(tmp_path))
    (answer,) = answers(ran.out)
    assert (ran.status, answer["violations"][0]["rule_id"]) == (1, "PK1")


def test_a_document_that_names_itself_another_is_judged_as_that(tmp_path: Path) -> None:
    """Recognition chooses and never excuses: a run result that carries a runner's version is no valid runner record."""
    (tmp_path / "run.json").write_bytes(canonical({**example("run"), "runner_schema_version": "1.0.0"}))
    ran = affidavit("verify", "run.json", cwd=str(tmp_path))
    assert (ran.status, answers(ran.out)[0]["document"]) == (1, "runner record")


def test_standard_input_is_one_document() -> None:
    ran = affidavit("verify", "-", stdin=canonical(example("runner")))
    assert (ran.status, answers(ran.out)[0]["path"]) == (0, "-")


def test_each_line_of_json_lines_is_a_document(tmp_path: Path) -> None:
    packet = example("mismatch_packets")
    path = tmp_path / "mismatch_packets.jsonl"
    path.write_bytes((canonical(packet) + b"\n") * 3)
    ran = affidavit("verify", str(path))
    assert (ran.status, answers(ran.out)[0]["entries"]) == (0, 3)
    path.write_bytes(canonical(packet) + b"\n" + canonical({**packet, "mismatch_reason": "x"}) + b"\n")
    (answer,) = answers(affidavit("verify", str(path)).out)
    assert [(found["rule_id"], found["path"]) for found in answer["violations"]] == [("MP2", "/1/mismatch_reason")]
    for torn in (b"", canonical(packet) + b"\n{", canonical(packet) + b'\n{"a":1}\n'):
        path.write_bytes(torn)
        assert affidavit("verify", str(path)).status == 2


def test_a_person_reads_each_and_the_sum(tmp_path: Path) -> None:
    write_directory(tmp_path / "pack", two_members())
    (tmp_path / "torn.json").write_bytes(b"{")
    ran = on_terminal("verify", "--color=never", "pack", "torn.json", "nowhere", cwd=str(tmp_path))
    shown = ran.out.decode()
    assert ran.status == 2
    assert "pack: a valid pack" in shown
    assert "torn.json: " in shown
    assert "nowhere: No such file or directory" in shown
    assert "1 of 3 valid" in shown

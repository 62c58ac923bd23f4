"""`affidavit report`: a page about whatever is there, and a status that says whether it verifies."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.engine_family import OUTPUT
from tests.support.cli import affidavit
from tests.support.engines import sealed_files
from tests.support.pack_files import seven_members, write_directory
from tests.support.pages import Seen

if TYPE_CHECKING:
    from pathlib import Path

GOAL = "Write the greeting"
WORK = {"files": [{"path": "out/x", "op": "create", "content": "x"}]}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "intent.json").write_bytes(canonical({"goal": GOAL, "context": {"work": WORK}}))
    ran = affidavit("run", "intent.json", "--out", "runs", cwd=str(tmp_path))
    assert ran.status == 0, ran
    return tmp_path / "runs"


def report(path: Path, *words: str) -> tuple[int, dict[str, Any], Seen]:
    page = path.parent / "page.html"
    ran = affidavit("report", str(path), "--html", str(page), *words)
    told: Any = read(ran.out)
    return ran.status, told, Seen(page.read_bytes())


def test_the_latest_run_of_a_folder(out: Path) -> None:
    status, told, seen = report(out)
    assert status == 0
    assert told["ok"] is True
    assert told["title"] in seen.text
    assert GOAL in seen.text
    assert "verified" in seen.text
    assert "run_status.json" in seen.text


def test_a_changed_run_claims_and_is_not_believed(out: Path) -> None:
    (run,) = [name for name in os.listdir(out) if name.startswith("hr_")]
    bundle = out / run / "bundle.json"
    bundle.write_bytes(bundle.read_bytes().replace(b"greeting", b"farewell"))
    status, told, seen = report(out)
    assert (status, told["ok"]) == (1, False)
    assert "it claims: accepted" in seen.text
    assert "does not verify" in seen.text
    assert "RD3" in seen.text


def test_a_pack_and_one_that_is_damaged(tmp_path: Path) -> None:
    write_directory(tmp_path / "pack", seven_members())
    assert report(tmp_path / "pack")[0] == 0
    (tmp_path / "pack" / "run.json").write_bytes(b"{}")
    status, _, seen = report(tmp_path / "pack")
    assert status == 1
    assert "damaged" in seen.text
    assert "PK3" in seen.text


def test_a_sealed_engine_run_and_one_that_was_changed(tmp_path: Path) -> None:
    folder = tmp_path / "run-0001"
    folder.mkdir()
    for name, text in sealed_files().items():
        (folder / name).write_text(text)
    status, told, seen = report(folder)
    assert (status, told["title"]) == (0, "run-0001")
    assert "verified" in seen.text
    assert "SHA256SUMS.txt" in seen.text
    (folder / OUTPUT).write_text((folder / OUTPUT).read_text().replace("12.5", "12.6"))
    status, _, seen = report(folder)
    assert status == 1
    assert "it claims: sealed" in seen.text


def test_two_runs_side_by_side(out: Path, tmp_path: Path) -> None:
    (first,) = [name for name in os.listdir(out) if name.startswith("hr_")]
    assert affidavit("run", "intent.json", "--out", "runs", cwd=str(tmp_path)).status == 0
    status, _, seen = report(out, "--against", str(out / first))
    assert status == 0
    assert "the same" in seen.text
    other = {"goal": "Write <another> greeting", "context": {"work": WORK}}
    (tmp_path / "intent.json").write_bytes(canonical(other))
    assert affidavit("run", "intent.json", "--out", "runs", cwd=str(tmp_path)).status == 0
    status, _, seen = report(out, "--against", str(out / first))
    assert "different" in seen.text
    assert "bundle.json /root_node/goal" in seen.text
    assert '"Write <another> greeting"' in seen.text
    assert seen.dangers() == []


def test_standard_output_is_the_page_and_nothing_else(out: Path) -> None:
    ran = affidavit("report", str(out), "--html", "-")
    assert ran.out.startswith(b"<!DOCTYPE html>\n")
    assert ran.out.endswith(b"</html>\n")


def test_where_there_is_nothing_to_show(tmp_path: Path) -> None:
    ran = affidavit("report", str(tmp_path), "--html", str(tmp_path / "page.html"))
    assert ran.status == 2
    assert not (tmp_path / "page.html").exists()
    assert affidavit("report", str(tmp_path)).status == 3

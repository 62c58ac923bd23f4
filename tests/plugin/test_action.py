"""The GitHub action, as far as it can be run without its runner: the same steps, with the environment it gives them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.runner import EXAMPLE
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def action() -> str:
    with open(os.path.join(ROOT, "action.yml"), encoding="utf-8") as file:
        return file.read()


@pytest.fixture
def runner(tmp_path: Path) -> dict[str, str]:
    """What the runner sets, and the command where the step before has installed it."""
    (tmp_path / "temp" / "affidavit" / "bin").mkdir(parents=True)
    command = tmp_path / "temp" / "affidavit" / "bin" / "affidavit"
    command.symlink_to(os.path.join(os.path.dirname(sys.executable), "affidavit"))
    return {
        "PATH": os.environ["PATH"],
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "ACTION": ROOT,
        "LEVEL": "spec",
        "SARIF": "",
        "VERSION": "",
    }


def step(name: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [os.path.join(ROOT, "tools", "action"), name], env=env, cwd=cwd, capture_output=True, check=False
    )


def told(env: dict[str, str]) -> list[Any]:
    """The step's output `result`, as the runner reads it."""
    with open(env["GITHUB_OUTPUT"], encoding="utf-8") as file:
        lines = file.read().splitlines()
    name, _, delimiter = lines[0].partition("<<")
    assert name == "result"
    assert lines[-1] == delimiter
    return [read(line.encode()) for line in lines[1:-1]]


def test_it_verifies_each_path_and_tells_the_answers(tmp_path: Path, runner: dict[str, str]) -> None:
    (tmp_path / "runner.json").write_bytes(canonical(EXAMPLE))
    (tmp_path / "with blank.json").write_bytes(canonical({**EXAMPLE, "write_roots": ["/"]}))
    ran = step("verify", {**runner, "PATHS": "runner.json\n"}, tmp_path)
    assert (ran.returncode, ran.stderr) == (0, b"")
    ran = step("verify", {**runner, "PATHS": "runner.json\n\nwith blank.json\n", "GITHUB_OUTPUT": "second"}, tmp_path)
    assert ran.returncode == 1
    answers = told({"GITHUB_OUTPUT": str(tmp_path / "second")})
    assert [(answer["path"], answer["ok"]) for answer in answers] == [("runner.json", True), ("with blank.json", False)]


def test_an_input_is_never_part_of_a_script(tmp_path: Path, runner: dict[str, str]) -> None:
    for hostile in ("$(touch here)", "`touch here`", "; touch here", '"; touch here; "', "--sarif=here"):
        assert step("verify", {**runner, "PATHS": hostile}, tmp_path).returncode != 0
        assert not (tmp_path / "here").exists()
    assert not re.search(r"run:.*\$\{\{", action()), "an expression in a script is how inputs become commands"


def test_it_writes_sarif_where_it_is_asked_to(tmp_path: Path, runner: dict[str, str]) -> None:
    (tmp_path / "runner.json").write_bytes(canonical({**EXAMPLE, "write_roots": ["/"]}))
    assert step("verify", {**runner, "PATHS": "runner.json", "SARIF": "found.sarif"}, tmp_path).returncode == 1
    found: Any = read((tmp_path / "found.sarif").read_bytes())
    assert found["version"] == "2.1.0"


def test_every_input_reaches_the_script_and_no_other_does() -> None:
    text = action()
    declared = set(re.findall(r"^  ([a-z]+):\n    description", text, re.MULTILINE)) - {"result"}
    assert declared == set(re.findall(r"\$\{\{ inputs\.([a-z]+) \}\}", text))
    with open(os.path.join(ROOT, "tools", "action"), encoding="utf-8") as file:
        script = file.read()
    for name in re.findall(r"^        ([A-Z]+): ", text, re.MULTILINE):
        assert f"${name}" in script or f"${{{name}:-}}" in script


def test_an_unknown_step_is_wrong_usage(tmp_path: Path, runner: dict[str, str]) -> None:
    assert step("", runner, tmp_path).returncode == 3

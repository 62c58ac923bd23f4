"""The hooks for pre-commit: each entry is a command that does what its hook says, with the files it would be given."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING

from affidavit.canon.jcs import canonical
from affidavit.contracts.runner import EXAMPLE
from tests.support.cli import affidavit
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def hooks() -> dict[str, dict[str, str]]:
    """The definitions, which are a list of plain `key: value` maps."""
    with open(os.path.join(ROOT, ".pre-commit-hooks.yaml"), encoding="utf-8") as file:
        text = file.read()
    found = {}
    for block in text.split("- id: ")[1:]:
        name, _, rest = block.partition("\n")
        found[name] = dict(re.findall(r"^  ([a-z_]+): (.*)$", rest, re.MULTILINE))
    return found


def run_hook(name: str, *files: str) -> int:
    command, *words = shlex.split(hooks()[name]["entry"])
    assert command == "affidavit"
    return affidavit(*words, *files).status


def test_each_hook_has_what_pre_commit_needs() -> None:
    assert set(hooks()) == {"affidavit-verify", "affidavit-canonical"}
    for hook in hooks().values():
        assert {"name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"


def test_verify_passes_sound_documents_and_stops_broken_ones(tmp_path: Path) -> None:
    good, bad = tmp_path / "runner.json", tmp_path / "bad.json"
    good.write_bytes(canonical(EXAMPLE))
    bad.write_bytes(canonical({**EXAMPLE, "write_roots": ["/etc"]}))
    assert run_hook("affidavit-verify", str(good)) == 0
    assert run_hook("affidavit-verify", str(good), str(bad)) == 1


def test_verify_is_given_documents_of_ours_by_name() -> None:
    pattern = hooks()["affidavit-verify"]["files"].strip("'")
    assert re.search(pattern, "evidence/runner.json")
    assert re.search(pattern, "run.json")
    assert not re.search(pattern, "package.json")
    assert not re.search(pattern, "prerun.json")


def test_canonical_stops_what_is_not_canonical(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(b'{"a":1}\n')
    bad.write_bytes(b'{ "a": 1 }\n')
    assert run_hook("affidavit-canonical", str(good), str(good)) == 0
    assert run_hook("affidavit-canonical", str(good), str(bad)) == 1

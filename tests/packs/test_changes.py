"""What a command changed, from the run to the repository (ADR 0504)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.profiles import RAW
from affidavit.canon.reader import read
from affidavit.packs.changes import MOST_FILE_BYTES
from affidavit.packs.verify import verify_pack
from tests.support.cli import Ran, affidavit, on_terminal
from tests.support.patches import tree
from tests.support.repositories import git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox

FILES = {"src/app.py": b"print('hello')\n", "src/old.py": b"pass\n", "README.md": b"# App\n"}
AGENT = """
sed -i "s/hello/goodbye/" src/app.py
rm src/old.py
mkdir -p docs
printf 'All about it\\n' > docs/guide.md
printf '\\377\\376' > docs/picture.png
printf 'a\\000b' > docs/nul
printf '#!/bin/sh\\n' > tool && chmod +x tool
ln -s docs link
printf hidden > .git/config.new
head -c %d /dev/zero | tr '\\0' x > docs/huge.txt
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", FILES)


def run(repository: Path, script: str, *words: str) -> Ran:
    ran = affidavit("run", *words, "--", "sh", "-c", script, cwd=str(repository))
    assert ran.status in (0, 1), ran
    return ran


def exported(repository: Path, *words: str) -> Any:
    ran = affidavit("pack-export", "--changes", "--out", "pack", *words, cwd=str(repository))
    assert ran.status == 0, ran
    assert verify_pack(repository / "pack", level="strict").ok
    return read(ran.out)


def test_what_an_agent_changed_is_exported_reviewed_and_applied(repository: Path) -> None:
    agents: Any = read(run(repository, AGENT % (MOST_FILE_BYTES + 1)).out)
    before = tree(repository, without=[".git", ".affidavit"])
    told = exported(repository, "--with", "meta")
    assert told["run_id"] != agents["run_id"]
    assert {file["path"]: file["reason"].split(",")[0] for file in told["left_out"]} == {
        ".git": "1 files that git keeps for itself",
        "docs/huge.txt": f"{MOST_FILE_BYTES + 1} bytes",
        "docs/nul": "binary",
        "docs/picture.png": "binary",
    }
    assert any("tool" in warning and "executable" in warning for warning in told["warnings"])
    patch: Any = read((repository / "pack" / "patch.json").read_bytes())
    assert [(operation["op"], operation["path"]) for operation in patch["operations"]] == [
        ("create", "docs/guide.md"),
        ("modify", "src/app.py"),
        ("delete", "src/old.py"),
        ("create", "tool"),
    ]
    meta: Any = read((repository / "pack" / "meta.json").read_bytes())
    committed = (repository / ".affidavit" / agents["run_id"] / "run.json").read_bytes()
    assert meta["source"]["run_id"] == agents["run_id"]
    assert meta["source"]["run_sha256"] == RAW.digest(committed).content_hash
    assert tree(repository, without=[".git", ".affidavit", "pack"]) == before

    words = ("git-apply", "--pack", "pack", "--repo", ".", "--branch", "agent/fix", "--commit")
    ran = affidavit(*words, cwd=str(repository))
    assert ran.status == 0, ran
    assert git(repository, "diff", "--stat", "--summary", "main", "agent/fix").splitlines()[-1].strip()
    assert (repository / "src" / "app.py").read_bytes() == b"print('goodbye')\n"
    assert (repository / "docs" / "guide.md").read_bytes() == b"All about it\n"
    assert not (repository / "src" / "old.py").exists()


def test_the_new_run_is_bound_by_the_policy_of_the_first_and_names_it(repository: Path, tmp_path: Path) -> None:
    policy = (
        b'{"name":"mine","allow_network":false,"timeout_ms":60000,"max_output_files":9,'
        b'"max_total_output_bytes":4096,"allowed_commands":[],"allowed_write_roots":["docs"]}'
    )
    (tmp_path / "mine.json").write_bytes(policy)
    first: Any = read(run(repository, "mkdir docs; echo x > docs/x", "--policy-file", str(tmp_path / "mine.json")).out)
    told = exported(repository)
    result: Any = read((repository / "pack" / "run.json").read_bytes())
    assert result["policy"] == read(policy)
    intent: Any = read((repository / ".affidavit" / told["run_id"] / "intent.json").read_bytes())
    assert intent["context"]["source"]["run_id"] == first["run_id"]
    assert intent["context"]["source"]["cmd"] == ["sh", "-c", "mkdir docs; echo x > docs/x"]


def test_a_file_that_becomes_a_directory_is_left_out_and_the_rest_is_not(repository: Path) -> None:
    run(repository, "rm README.md; mkdir README.md; echo x > README.md/x; echo y > y")
    told = exported(repository)
    assert sorted(file["path"] for file in told["left_out"]) == ["README.md", "README.md/x"]
    patch: Any = read((repository / "pack" / "patch.json").read_bytes())
    assert [operation["path"] for operation in patch["operations"]] == ["y"]


def test_changes_of_a_rejected_run_can_be_had_with_a_warning(repository: Path) -> None:
    run(repository, "echo half > half; exit 3")
    assert any("rejected" in warning for warning in exported(repository)["warnings"])


@pytest.mark.parametrize("script", ["true", "printf '\\377' > picture"])
def test_without_text_changes_there_is_nothing_to_export(repository: Path, script: str) -> None:
    run(repository, script)
    ran = affidavit("pack-export", "--changes", "--out", "pack", cwd=str(repository))
    assert (ran.status, b"export.no_changes" in ran.err) == (1, True)
    assert (b"picture: binary" in ran.err) == ("picture" in script)
    assert not (repository / "pack").exists()


def test_a_workspace_that_changed_since_does_not_pass_in_silence(repository: Path) -> None:
    run(repository, "sed -i s/App/Application/ README.md; rm src/old.py")
    (repository / "src" / "old.py").unlink()
    ran = affidavit("pack-export", "--changes", "--out", "pack", cwd=str(repository))
    assert (ran.status, b"export.changes_refused" in ran.err) == (1, True)
    assert b"src/old.py" in ran.err
    (repository / "src" / "old.py").write_bytes(FILES["src/old.py"])
    run(repository, "sed -i s/App/Application/ README.md")
    (repository / "README.md").write_bytes(b"# Application\n")
    assert any("in the workspace already" in warning for warning in exported(repository)["warnings"])


def test_a_person_is_told_what_the_pack_holds_and_what_not(repository: Path) -> None:
    run(repository, "echo x > x; printf '\\377' > picture")
    ran = on_terminal("pack-export", "--changes", "--color=never", "--out", "pack", cwd=str(repository))
    assert ran.status == 0
    text = ran.out.decode()
    assert "accepted" in text
    assert "pack of run hr_" in text
    assert "left out: picture: binary, 1 bytes" in text


def test_it_also_works_from_elsewhere(repository: Path, tmp_path: Path) -> None:
    run(repository, "echo x > x")
    ran = affidavit(
        "pack-export",
        str(repository / ".affidavit"),
        "--changes",
        *("--workspace", str(repository), "--from", str(repository / ".affidavit"), "--zip", "pack.zip"),
        cwd=str(tmp_path),
    )
    assert ran.status == 0, ran
    assert sorted(os.listdir(tmp_path)) == ["pack.zip", "repository"]

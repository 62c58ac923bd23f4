"""Applying a patch to real git repositories (GA1-GA12; contracts 2.10)."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.profiles import KERNEL, RAW
from affidavit.contracts.git_apply import verify_git_apply
from affidavit.contracts.run import EXAMPLE as RUN
from affidavit.packs.apply import apply_pack
from affidavit.packs.git_apply import git_apply
from affidavit.packs.target import STAGE
from tests.support.cli import COMMAND, environment
from tests.support.patches import create, delete, modify, patch_of, tree, write_patch_pack
from tests.support.repositories import commit_all, git, make_repository

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"kept/config.ini": b"old = 1\n", "kept/old.txt": b"old\n", "other": b"other\n"}
OPERATIONS = (create("new/page.md", "# Hello\n"), modify("kept/config.ini", "new = 1\n"), delete("kept/old.txt"))
RUN_BRANCH = f"apply/{RUN['run_id']}"


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No git configuration of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in os.environ:
        if name.startswith(("GIT_", "XDG_")):
            monkeypatch.delenv(name)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", FILES)


@pytest.fixture
def pack(tmp_path: Path) -> str:
    return write_patch_pack(tmp_path / "pack", *OPERATIONS)


def applied(pack: str, repository: Path, *operations: dict[str, Any], **how: Any) -> dict[str, Any]:
    """The result, which is a valid one about this patch, and names no place of the host."""
    done = git_apply(pack, repository, **how)
    report = verify_git_apply(done.result, level="strict", patch=patch_of(*(operations or OPERATIONS)))
    assert report.ok, report.findings
    assert "/tmp" not in str(done.result)
    return done.result


def state(repository: Path) -> tuple[object, ...]:
    """All of a repository that somebody could miss."""
    return (
        tree(repository, without=[".git"]),
        git(repository, "for-each-ref"),
        (repository / ".git" / "HEAD").read_bytes(),
        git(repository, "status", "--porcelain", "--ignore-submodules=all"),
        git(repository, "ls-files", "--stage"),
    )


def refused(pack: str, repository: Path, *operations: dict[str, Any], **how: Any) -> dict[str, Any]:
    """The result of what is refused, as a dry run and for good, and changes nothing."""
    before = state(repository)
    told = applied(pack, repository, *operations, dry_run=True, **how)
    result = applied(pack, repository, *operations, **how)
    assert {**told, "dry_run": False, "apply_result_hash": None} == {**result, "apply_result_hash": None}
    assert result["outcome"] == "REFUSED"
    assert result["changed_files"] == []
    assert state(repository) == before
    return result


def test_the_patch_is_applied_on_a_new_branch_and_not_committed(pack: str, repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    result = applied(pack, repository)
    assert result["outcome"] == "SUCCESS"
    assert result["branch"] == {"name": RUN_BRANCH, "created": True, "head_before": head, "head_after": head}
    assert result["git_state"] == {"clean_before": True, "clean_after": False}
    assert result["pack_source"]["run_id"] == RUN["run_id"]
    assert result["changed_files"] == [
        {"path": "kept/config.ini", "op": "modify", "content_hash": RAW.digest(b"new = 1\n").content_hash},
        {"path": "kept/old.txt", "op": "delete", "content_hash": None},
        {"path": "new/page.md", "op": "create", "content_hash": RAW.digest(b"# Hello\n").content_hash},
    ]
    assert "commit" not in result
    assert git(repository, "branch", "--show-current") == RUN_BRANCH
    assert git(repository, "rev-parse", "main", RUN_BRANCH) == f"{head}\n{head}"
    assert git(repository, "status", "--porcelain") == " M kept/config.ini\n D kept/old.txt\n?? new/"


def test_GA7_a_dry_run_changes_nothing_and_tells_what_would_be(pack: str, repository: Path) -> None:
    before = state(repository)
    index = (repository / ".git" / "index").stat()
    told = applied(pack, repository, dry_run=True, commit=True)
    assert told["outcome"] == "SUCCESS"
    assert told["branch"]["created"]
    assert "commit" not in told
    assert (repository / ".git" / "index").stat().st_ino == index.st_ino
    assert state(repository) == before


def test_the_apply_result_that_is_hashed_is_that_of_pack_apply(pack: str, repository: Path, tmp_path: Path) -> None:
    shutil.copytree(repository, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"))
    plain = apply_pack(pack, tmp_path / "plain").result
    assert applied(pack, repository)["apply_result_hash"] == KERNEL.digest(plain).content_hash


def test_GA10_a_commit_holds_our_own_paths_and_nothing_else(pack: str, repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    (repository / "other").write_bytes(b"being edited\n")
    (repository / "staged").write_bytes(b"staged\n")
    git(repository, "add", "staged")
    assert refused(pack, repository, commit=True)["violations"][0]["rule_id"] == "GA2"
    result = applied(pack, repository, commit=True, allow_dirty=True)
    assert result["commit"]["sha"] == git(repository, "rev-parse", "HEAD") == result["branch"]["head_after"]
    assert git(repository, "rev-parse", "HEAD^", "main") == f"{head}\n{head}"
    assert git(repository, "diff", "--name-status", "HEAD^", "HEAD") == (
        "M\tkept/config.ini\nD\tkept/old.txt\nA\tnew/page.md"
    )
    assert git(repository, "status", "--porcelain") == " M other\nA  staged"
    assert git(repository, "log", "-1", "--format=%B") == (
        f"Apply patch from pack\n\nPack run_id: {RUN['run_id']}\n"
        f"Bundle hash: {result['pack_source']['bundle_hash']}\n\nApplied via git-apply CLI\n"
    )
    assert git(repository, "log", "-1", "--format=%an %ae %cn %ce") == (
        "affidavit affidavit@localhost affidavit affidavit@localhost"
    )
    assert git(repository, "fsck", "--strict") == ""


def test_a_commit_is_the_users_own_where_git_knows_the_user(pack: str, repository: Path) -> None:
    git(repository, "config", "user.name", "Zoé")
    git(repository, "config", "user.email", "zoe@example.org")
    config = (repository / ".git" / "config").read_bytes()
    assert applied(pack, repository, commit=True, message="Mine\n")["git_state"]["clean_after"] is True
    assert git(repository, "log", "-1", "--format=%an %ae %cn %B") == "Zoé zoe@example.org Zoé Mine\n"
    assert (repository / ".git" / "config").read_bytes() == config


def test_an_uncommitted_change_of_a_file_of_the_patch_is_not_lost(pack: str, repository: Path) -> None:
    (repository / "kept" / "config.ini").write_bytes(b"a day's work\n")
    result = refused(pack, repository, allow_dirty=True)
    assert [(found["rule_id"], found["path"]) for found in result["violations"]] == [("GA2", "kept/config.ini")]


def test_GA6_branches(pack: str, repository: Path, tmp_path: Path) -> None:
    git(repository, "branch", "here")
    git(repository, "branch", "taken/by")
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "elsewhere")
    head = git(repository, "rev-parse", "HEAD")
    (repository / "later").write_bytes(b"")
    commit_all(repository)
    git(repository, "branch", "now")
    for name in ("here", "taken", "taken/by/us", "elsewhere", "-x", "a..b", "a b", "HEAD", "x.lock", "", "@"):
        if name:
            assert refused(pack, repository, branch=name)["violations"][0]["rule_id"] == "GA6", name
    result = applied(pack, repository, branch="now", commit=True)
    assert (result["branch"]["name"], result["branch"]["created"]) == ("now", False)
    git(repository, "switch", "-q", "here")
    assert git(repository, "rev-parse", "HEAD") == head
    result = applied(pack, repository, branch="here")
    assert (result["branch"]["created"], result["outcome"]) == (False, "SUCCESS")
    git(repository, "checkout", "-q", "-f", "main")


def test_a_detached_head_moves_to_the_branch(pack: str, repository: Path) -> None:
    git(repository, "switch", "-q", "--detach")
    assert applied(pack, repository, commit=True)["branch"]["created"]
    assert git(repository, "branch", "--show-current") == RUN_BRANCH


@pytest.mark.parametrize("commit", [False, True])
def test_a_repository_without_a_commit(tmp_path: Path, commit: bool) -> None:
    repository = make_repository(tmp_path / "empty")
    operation = create("first", "x")
    pack = write_patch_pack(tmp_path / "one", operation)
    result = applied(pack, repository, operation, commit=commit)
    assert (result["outcome"], result["branch"]["head_before"]) == ("SUCCESS", None)
    assert git(repository, "branch", "--show-current") == RUN_BRANCH
    assert git(repository, "status", "--porcelain") == ("" if commit else "?? first")


def test_a_linked_working_tree_is_a_repository_like_any(pack: str, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    assert applied(pack, tmp_path / "second", commit=True)["outcome"] == "SUCCESS"
    assert git(tmp_path / "second", "status", "--porcelain") == ""
    assert git(repository, "branch", "--show-current") == "main"


def test_what_is_no_repository_of_ones_own_is_refused(pack: str, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "link").symlink_to(repository)
    git(tmp_path, "clone", "-q", "--bare", str(repository), "bare.git")
    (tmp_path / "pretends" / ".git").mkdir(parents=True)
    for place in ("plain", "link", "bare.git", "pretends", "absent", "repository/kept", "repository/.git"):
        result = applied(pack, tmp_path / place)
        assert (result["outcome"], result["violations"][0]["rule_id"]) == ("REFUSED", "GA2"), place


def test_a_repository_of_another_user_is_refused(
    pack: str, repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever safe.directory says, and before git has read anything."""
    git(repository, "config", "--add", "safe.directory", "*")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    user = os.geteuid()
    if user == 0:
        os.chown(repository / ".git", 12345, 12345)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    monkeypatch.setenv("PATH", "/nonexistent")
    assert "another user" in applied(pack, repository)["violations"][0]["message"]


def test_a_working_tree_that_is_elsewhere_is_refused(pack: str, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    git(repository, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert "elsewhere" in applied(pack, repository)["violations"][0]["message"]
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_merge_that_is_not_finished_is_refused(pack: str, repository: Path) -> None:
    (repository / ".git" / "MERGE_HEAD").write_text(git(repository, "rev-parse", "HEAD") + "\n")
    assert "half done" in refused(pack, repository)["violations"][0]["message"]


# Nothing of what a repository could start is started.

HOOKS = (
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "pre-auto-gc",
    "pre-commit",
    "prepare-commit-msg",
    "reference-transaction",
)


@pytest.fixture
def witness(tmp_path: Path) -> Path:
    """A program that tells that it ran."""
    program = tmp_path / "witness"
    program.write_text(f"#!/bin/sh\necho ran >> {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    return program


def assert_nothing_ran(tmp_path: Path) -> None:
    assert not (tmp_path / "ran").exists()


def test_no_hook_and_no_configured_program_runs(pack: str, repository: Path, witness: Path, tmp_path: Path) -> None:
    for name in HOOKS:
        shutil.copy(witness, repository / ".git" / "hooks" / name)
    for setting in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "credential.helper",
        "diff.external",
        "gpg.program",
        "sequence.editor",
        "pager.status",
        "alias.status",
        "alias.commit-tree",
    ):
        git(repository, "config", setting, f"!{witness}" if setting.startswith("alias") else str(witness))
    git(repository, "config", "commit.gpgSign", "true")
    git(repository, "config", "core.hooksPath", ".git/hooks")
    assert applied(pack, repository, commit=True)["outcome"] == "SUCCESS"
    assert_nothing_ran(tmp_path)


@pytest.mark.parametrize("where", ["attributes of the repository", "attributes of the patch", "info"])
@pytest.mark.parametrize("kind", ["clean", "smudge", "process"])
def test_a_filter_that_would_start_a_program_is_refused(
    repository: Path, witness: Path, tmp_path: Path, where: str, kind: str
) -> None:
    git(repository, "config", f"filter.Strange Name.{kind}", str(witness))
    git(repository, "config", "filter.Strange Name.required", "true")
    git(repository, "config", f"filter.harmless.{kind}", str(witness))
    attributes = "*.ini filter=lfs\n"
    git(repository, "config", f"filter.lfs.{kind}", str(witness))
    operations = list(OPERATIONS)
    if where == "info":
        (repository / ".git" / "info" / "attributes").write_text(attributes)
    elif where == "attributes of the patch":
        operations.append(create(".gitattributes", attributes))
    else:
        (repository / ".gitattributes").write_text(attributes)
        git(repository, "-c", f"filter.lfs.{kind}=", "add", ".gitattributes")
        git(repository, "-c", f"filter.lfs.{kind}=", "commit", "-q", "-m", "attributes")
    os.utime(repository / "kept" / "config.ini", (1, 1))  # so that git status would look into it
    before = (tree(repository, without=[".git"]), git(repository, "for-each-ref"))
    pack = write_patch_pack(tmp_path / "filtered", *operations)
    result = applied(pack, repository, *operations, commit=True)
    assert result["outcome"] == "REFUSED"
    assert (tree(repository, without=[".git"]), git(repository, "for-each-ref")) == before
    assert git(repository, "branch", "--show-current") == "main"
    assert [(found["rule_id"], found["path"]) for found in result["violations"]] == [("GA8", "kept/config.ini")]
    assert_nothing_ran(tmp_path)


def test_a_submodule_is_not_written_to_and_its_programs_do_not_run(
    pack: str, repository: Path, witness: Path, tmp_path: Path
) -> None:
    other = make_repository(tmp_path / "other", {"file": b"x\n"})
    git(repository, "submodule", "--quiet", "add", str(other), "sub")
    commit_all(repository)
    git(repository / "sub", "config", "core.fsmonitor", str(witness))
    for operation in (create("sub/new", "x"), modify("sub/file", "x"), create("sub/a/b", "x"), delete("sub/file")):
        in_submodule = write_patch_pack(tmp_path / operation["path"] / operation["op"], operation)
        result = refused(in_submodule, repository, operation)
        assert "submodule" in result["violations"][0]["message"]
    nested = create("vendor/new", "x")
    make_repository(repository / "vendor", {"file": b"x\n"})
    assert "another repository" in str(refused(write_patch_pack(tmp_path / "nested", nested), repository, nested))
    assert applied(pack, repository, commit=True)["outcome"] == "SUCCESS"
    assert_nothing_ran(tmp_path)


def test_a_file_that_a_sparse_checkout_left_out_is_not_created(repository: Path, tmp_path: Path) -> None:
    git(repository, "sparse-checkout", "set", "--no-cone", "/kept/")
    operation = create("other", "mine\n")
    result = refused(write_patch_pack(tmp_path / "sparse", operation), repository, operation)
    assert result["violations"][0]["rule_id"] == "GA4"


NAMES = ("-rf", ":(top)x", "with blank", "qu\"ote's", "*", "[a]", "Zoé/名前", "a;b|c&d", "$(touch x)", "#", "%s", "~")


def test_unusual_names(repository: Path, tmp_path: Path) -> None:
    operations = [create(name, f"{name}\n") for name in NAMES]
    pack = write_patch_pack(tmp_path / "names", *operations)
    assert applied(pack, repository, *operations, commit=True)["summary"]["created"] == len(NAMES)
    told = git(repository, "diff", "-z", "--name-only", "HEAD^", "HEAD").removesuffix("\0").split("\0")
    assert sorted(told) == sorted(NAMES)
    assert git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("autocrlf", ["true", "input", "false"])
def test_GA12_the_hashes_are_of_the_bytes_written_whatever_autocrlf(
    repository: Path, tmp_path: Path, autocrlf: str
) -> None:
    git(repository, "config", "core.autocrlf", autocrlf)
    operations = (create("dos.txt", "a\r\nb\r\n"), create("unix.txt", "a\nb\n"), modify("other", "x\r\n"))
    pack = write_patch_pack(tmp_path / "lines", *operations)
    result = applied(pack, repository, *operations, commit=True)
    assert result["git_state"]["clean_after"] is True
    for file in result["changed_files"]:
        assert RAW.digest((repository / file["path"]).read_bytes()).content_hash == file["content_hash"]
    assert (repository / "dos.txt").read_bytes() == b"a\r\nb\r\n"
    stored = git(repository, "cat-file", "-p", "HEAD:dos.txt")
    assert ("\r" in stored) == (autocrlf == "false")


def test_files_that_git_ignores_are_committed_too(repository: Path, tmp_path: Path) -> None:
    (repository / ".gitignore").write_text("build/\n")
    commit_all(repository)
    operation = create("build/made", "x\n")
    pack = write_patch_pack(tmp_path / "ignored", operation)
    applied(pack, repository, operation, commit=True)
    assert git(repository, "ls-files", "build") == "build/made"


def test_the_callers_environment_does_not_steer_git(
    pack: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make_repository(tmp_path / "other", FILES)
    before = state(other)
    for name, value in (("GIT_DIR", other / ".git"), ("GIT_WORK_TREE", other), ("GIT_INDEX_FILE", tmp_path / "index")):
        monkeypatch.setenv(name, str(value))
    assert applied(pack, repository, commit=True)["outcome"] == "SUCCESS"
    monkeypatch.delenv("GIT_DIR")
    assert state(other) == before


# What fails is taken back.


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock"])
def test_what_git_cannot_do_leaves_everything_as_it_was(pack: str, repository: Path, lock: str) -> None:
    before = state(repository)
    (repository / ".git" / lock).write_bytes(b"")
    done = git_apply(pack, repository, commit=True)
    os.unlink(repository / ".git" / lock)
    assert done.result["outcome"] == "FAILED"
    assert done.failure is not None
    assert state(repository) == before
    assert not (repository / STAGE).exists()


def test_a_commit_that_cannot_be_made_current_takes_all_back(
    pack: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from affidavit.packs import git_apply as module
    from affidavit.packs.git import GitFailed

    def fail(_self: object, _commit: str, _message: str) -> None:
        raise GitFailed("update-ref", "ended with 128", "cannot lock ref")

    before = state(repository)
    monkeypatch.setattr(module._Finish, "_move_head", fail)
    done = git_apply(pack, repository, commit=True)
    assert (done.result["outcome"], done.result["error"]) == ("FAILED", "git update-ref ended with 128")
    assert verify_git_apply(done.result, level="strict", patch=patch_of(*OPERATIONS)).ok
    assert state(repository) == before


def test_what_cannot_be_asked_afterwards_is_not_told_and_the_rest_is(
    pack: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from affidavit.packs.git import GitFailed
    from affidavit.packs.repository import Repository

    real = Repository.dirty
    asked: list[bool] = []

    def dirty(self: Repository) -> set[str]:
        asked.append(True)
        if len(asked) > 1:
            raise GitFailed("status", "ended with 128")
        return real(self)

    monkeypatch.setattr(Repository, "dirty", dirty)
    result = applied(pack, repository, commit=True)
    assert (result["outcome"], result["git_state"]) == ("SUCCESS", {"clean_before": True, "clean_after": None})
    assert result["commit"]["sha"] == git(repository, "rev-parse", "HEAD")


def test_a_branch_that_cannot_be_taken_back_is_told(
    pack: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from affidavit.packs import git_apply as module
    from affidavit.packs.git import GitFailed

    def fail(*_: object) -> None:
        raise GitFailed("symbolic-ref", "ended with 128")

    monkeypatch.setattr(module._Finish, "_make_commit", fail)
    monkeypatch.setattr(module._CheckedOut, "_move_back", fail)
    done = git_apply(pack, repository, commit=True)
    assert done.result["outcome"] == "FAILED"
    assert "could not take branch and HEAD back" in done.result["error"]
    assert git(repository, "status", "--porcelain") == ""


def test_a_patch_that_does_not_fit_refuses_before_any_branch_is_made(repository: Path, tmp_path: Path) -> None:
    operations = (create("other", "x"), create("fine", "x"))
    pack = write_patch_pack(tmp_path / "unfit", *operations)
    result = refused(pack, repository, *operations, commit=True)
    assert result["apply_result_hash"] is not None
    assert "nothing was written" in result["error"]


def test_an_interrupted_apply_is_invisible_to_git(repository: Path) -> None:
    (repository / STAGE).mkdir()
    (repository / STAGE / ".gitignore").write_bytes(b"*\n")
    (repository / STAGE / "0").write_bytes(b"")
    assert git(repository, "status", "--porcelain") == ""


def test_GA8_no_network_is_asked(pack: str, repository: Path, tmp_path: Path) -> None:
    """Also where the repository is a partial clone whose objects are far away."""
    for name, value in (
        ("remote.origin.url", "http://127.0.0.1:1/never"),
        ("remote.origin.promisor", "true"),
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
    ):
        git(repository, "config", name, value)
    words = ("git-apply", "--pack", pack, "--repo", str(repository), "--commit")
    log = tmp_path / "log"
    done = subprocess.run(
        ["strace", "-f", "-o", log, "-e", "trace=connect,sendto", *COMMAND, *words],
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "exited with 0" in log.read_text()
    assert "AF_INET" not in log.read_text()

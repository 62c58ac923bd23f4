"""Applying a patch to a directory (AS1-AS12; contracts 2.10)."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.profiles import RAW
from affidavit.contracts.apply import verify_apply
from affidavit.packs import change as changing
from affidavit.packs.apply import apply_pack, recover
from affidavit.packs.change import Busy, Claim
from affidavit.packs.journal import Step, Unrecovered
from affidavit.packs.target import STAGE, open_target
from affidavit.store import renames
from tests.support.pack_files import two_members, write_directory
from tests.support.patches import create, delete, modify, patch_of, tree, write_patch_pack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OPERATIONS = (
    create("new/deep/page.md", "# Hello\n"),
    create("plain.txt", "plain\n"),
    modify("kept/config.ini", "new = 1\n"),
    delete("kept/old.txt"),
)
APPLIED = {"new/deep/page.md": b"# Hello\n", "plain.txt": b"plain\n", "kept/config.ini": b"new = 1\n"}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    there = tmp_path / "target"
    (there / "kept").mkdir(parents=True)
    (there / "kept" / "config.ini").write_bytes(b"old = 1\n")
    (there / "kept" / "config.ini").chmod(0o755)
    (there / "kept" / "old.txt").write_bytes(b"old\n")
    (there / "other").write_bytes(b"not ours\n")
    return there


@pytest.fixture
def pack(tmp_path: Path) -> str:
    return write_patch_pack(tmp_path / "pack", *OPERATIONS)


def hash_of(data: bytes) -> str:
    return RAW.digest(data).content_hash


def applied(
    pack: str, target: Path, *operations: dict[str, Any], dry_run: bool = False, partial: bool = False
) -> dict[str, Any]:
    """The result, which is a valid one about this patch."""
    result = apply_pack(pack, target, dry_run=dry_run, partial=partial).result
    report = verify_apply(result, level="strict", patch=patch_of(*(operations or OPERATIONS)))
    assert report.ok, report.findings
    return result


def files(target: Path) -> dict[str, bytes]:
    return {path: data for path, (kind, _, data) in tree(target).items() if kind == "file"}


def test_every_operation_is_carried_out_and_told(pack: str, target: Path) -> None:
    result = applied(pack, target)
    assert files(target) == {**APPLIED, "other": b"not ours\n"}
    assert result["outcome"] == "SUCCESS"
    assert result["target_root"] == "."
    assert [
        (found["op"], found["path"], found["before_hash"], found["after_hash"], found["bytes_written"])
        for found in result["operation_results"]
    ] == [
        ("modify", "kept/config.ini", hash_of(b"old = 1\n"), hash_of(b"new = 1\n"), 8),
        ("delete", "kept/old.txt", hash_of(b"old\n"), None, 0),
        ("create", "new/deep/page.md", None, hash_of(b"# Hello\n"), 8),
        ("create", "plain.txt", None, hash_of(b"plain\n"), 6),
    ]
    assert result["summary"] == {
        "total_operations": 4,
        "succeeded": 4,
        "skipped": 0,
        "failed": 0,
        "total_bytes_written": 22,
    }
    assert result["patch_source"]["proposal_id"] == patch_of()["source_proposal_id"]


def test_a_modified_file_keeps_its_permissions(pack: str, target: Path) -> None:
    applied(pack, target)
    assert tree(target)["kept/config.ini"][1] == 0o755


def test_AS8_a_dry_run_writes_nothing_and_tells_what_the_real_one_does(pack: str, target: Path) -> None:
    before = tree(target)
    told = applied(pack, target, dry_run=True)
    assert tree(target) == before
    assert told.pop("dry_run") is True
    done = applied(pack, target)
    assert done.pop("dry_run") is False
    assert told == done


def test_AS11_applied_again_create_and_delete_refuse_and_modify_succeeds(tmp_path: Path, target: Path) -> None:
    for number, (operation, outcome) in enumerate(
        ((create("plain.txt", "x"), "REFUSED"), (delete("kept/old.txt"), "REFUSED"), (modify("other", "x"), "SUCCESS"))
    ):
        pack = write_patch_pack(tmp_path / str(number), operation)
        assert applied(pack, target, operation)["outcome"] == "SUCCESS"
        assert applied(pack, target, operation)["outcome"] == outcome


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (create("other", "x"), "expected no file, found a regular file"),
        (create("kept", "x"), "expected no file, found a directory"),
        (create("link", "x"), "expected no file, found a symlink"),
        (create("linked/x", "x"), 'expected no file, found a symlink at "linked"'),
        (create("other/x", "x"), 'expected no file, found a regular file at "other"'),
        (create("FIFO", "x"), "expected no file, found a FIFO"),
        (create(STAGE + "/x", "x"), f"expected no file, found a name that is reserved, {STAGE}"),
        (modify("absent", "x"), "expected a regular file, found no file"),
        (modify("absent/x", "x"), "expected a regular file, found no file"),
        (modify("kept", "x"), "expected a regular file, found a directory"),
        (modify("link", "x"), "expected a regular file, found a symlink"),
        (modify("linked/old.txt", "x"), 'expected a regular file, found a symlink at "linked"'),
        (delete("absent"), "expected a regular file, found no file"),
        (delete("kept"), "expected a regular file, found a directory"),
        (delete("link"), "expected a regular file, found a symlink"),
        (delete("FIFO"), "expected a regular file, found a FIFO"),
        (delete("linked/old.txt"), 'expected a regular file, found a symlink at "linked"'),
        (
            create("bare.git/hooks/pre-commit", "x"),
            'expected no file, found a directory that git keeps for itself at "',
        ),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_what_does_not_fit_refuses_all_and_changes_nothing(
    tmp_path: Path, target: Path, operation: dict[str, Any], error: str, dry_run: bool
) -> None:
    (target / "link").symlink_to("other")
    (target / "linked").symlink_to("kept")
    os.mkfifo(target / "FIFO")
    for name in ("objects", "refs"):
        (target / "bare.git" / name).mkdir(parents=True)
    (target / "bare.git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    operations = (create("aa/first", "x"), operation, modify("sound", "x"))
    (target / "sound").write_bytes(b"sound")
    pack = write_patch_pack(tmp_path / "pack", *operations)
    before = tree(target)
    result = applied(pack, target, *operations, dry_run=dry_run)
    assert result["outcome"] == "REFUSED"
    told = {found["path"]: found for found in result["operation_results"]}
    assert told[operation["path"]]["error"].startswith(error)
    assert {found["status"] for found in result["operation_results"]} == {"error", "skipped"}
    assert all(found["before_hash"] == found["after_hash"] for found in told.values())
    assert tree(target) == before


def test_the_hash_that_a_delete_names_is_compared(tmp_path: Path, target: Path) -> None:
    for digest, outcome in ((hash_of(b"another"), "REFUSED"), (hash_of(b"old\n"), "SUCCESS")):
        operation = delete("kept/old.txt", expected_hash=digest)
        pack = write_patch_pack(tmp_path / outcome, operation)
        assert applied(pack, target, operation)["outcome"] == outcome
    assert not (target / "kept" / "old.txt").exists()


def test_with_partial_what_fits_is_done(tmp_path: Path, target: Path) -> None:
    operations = (create("other", "x"), create("new/a", "a"), delete("absent"), modify("kept/old.txt", "new"))
    pack = write_patch_pack(tmp_path / "pack", *operations)
    told = applied(pack, target, *operations, partial=True, dry_run=True)
    result = applied(pack, target, *operations, partial=True)
    assert {**told, "dry_run": False} == result
    assert result["outcome"] == "PARTIAL"
    assert {found["path"]: found["status"] for found in result["operation_results"]} == {
        "absent": "error",
        "kept/old.txt": "success",
        "new/a": "success",
        "other": "error",
    }
    assert files(target) == {
        "kept/config.ini": b"old = 1\n",
        "kept/old.txt": b"new",
        "new/a": b"a",
        "other": b"not ours\n",
    }
    assert (
        applied(write_patch_pack(tmp_path / "none", operations[0]), target, operations[0], partial=True)["outcome"]
        == "FAILED"
    )


def test_AS3_without_a_patch_it_is_refused(tmp_path: Path, target: Path) -> None:
    result = apply_pack(write_directory(tmp_path / "pack", two_members()), target).result
    assert verify_apply(result, level="strict").ok
    assert (result["outcome"], result["violations"][0]["rule_id"]) == ("REFUSED", "AS3")


def test_AS4_a_pack_that_does_not_verify_is_refused(tmp_path: Path, target: Path) -> None:
    before = tree(target)
    for number, operation in enumerate((create(".git/hooks/pre-commit", "x"), create("../x", "x"), create("/x", "x"))):
        result = apply_pack(write_patch_pack(tmp_path / str(number), operation), target).result
        assert verify_apply(result, level="strict").ok
        assert result["outcome"] == "REFUSED"
        assert {found["rule_id"] for found in result["violations"]} == {"PK8"}
    assert tree(target) == before


def test_AS5_the_target_is_a_real_directory_without_symlinks_on_the_way(
    pack: str, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "way").symlink_to(tmp_path)
    (target / ".git" / "sub").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    for place in ("absent", "target/other", "way/target", "target/../target", "target/.git", "target/.git/sub", "way"):
        result = apply_pack(pack, place).result
        assert verify_apply(result, level="strict", patch=patch_of(*OPERATIONS)).ok
        assert result["outcome"] == "REFUSED", place
        assert [found["rule_id"] for found in result["violations"]] == ["AS5"]
        assert str(tmp_path) not in str(result)
    assert apply_pack(pack, "./target//.").result["outcome"] == "SUCCESS"


def test_a_pack_may_be_named_by_a_path_that_climbs(pack: str, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(target)
    assert apply_pack(f"../{os.path.basename(pack)}", ".").result["outcome"] == "SUCCESS"


def test_an_empty_patch_is_a_success_that_writes_nothing(tmp_path: Path, target: Path) -> None:
    before = tree(target)
    assert apply_pack(write_patch_pack(tmp_path / "pack"), target).result["outcome"] == "SUCCESS"
    assert tree(target) == before


# What changes between looking and writing. The change is made at the moment of the first step.


def change_at_first_step(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    real = changing._make
    done: list[bool] = []

    def make(root: int, path: str) -> None:
        if not done:
            done.append(True)
            change()
        real(root, path)

    monkeypatch.setattr(changing, "_make", make)


def replace(path: Path, put: Callable[[Path], object]) -> None:
    path.unlink()
    put(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "a file appears where one is created": lambda target: (target / "plain.txt").write_bytes(b"mine"),
    "a directory appears where a file is created": lambda target: os.mkdir(target / "plain.txt"),
    "a modified file has other bytes": lambda target: (target / "kept" / "config.ini").write_bytes(b"mine"),
    "a modified file is gone": lambda target: os.unlink(target / "kept" / "config.ini"),
    "a deleted file has other bytes": lambda target: (target / "kept" / "old.txt").write_bytes(b"mine"),
    "a deleted file is gone": lambda target: os.unlink(target / "kept" / "old.txt"),
    "a file is a directory": lambda target: replace(target / "kept" / "config.ini", os.mkdir),
    "a file is a symlink": lambda target: replace(target / "kept" / "old.txt", lambda at: os.symlink("/etc/fstab", at)),
    "a directory is gone": lambda target: os.rename(target / "kept", target / "elsewhere"),
    "the new directory is a symlink": lambda target: os.symlink("kept", target / "new"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("can_exchange", [True, False], ids=["exchange", "two renames"])
def test_what_changed_meanwhile_is_kept_and_nothing_is_applied(
    pack: str, target: Path, monkeypatch: pytest.MonkeyPatch, change: str, can_exchange: bool
) -> None:
    if not can_exchange:
        monkeypatch.setattr(renames, "_renameat2", lambda *_: False)
    after: list[object] = []

    def do() -> None:
        CHANGES[change](target)
        after.append(tree(target, without=[STAGE]))

    change_at_first_step(monkeypatch, do)
    result = applied(pack, target)
    assert result["outcome"] == "FAILED"
    assert [found["status"] for found in result["operation_results"]].count("error") == 1
    assert tree(target) == after[0]


def test_with_partial_only_what_changed_is_left_out(pack: str, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change_at_first_step(monkeypatch, lambda: (target / "kept" / "config.ini").write_bytes(b"mine"))
    assert applied(pack, target, partial=True)["outcome"] == "PARTIAL"
    assert files(target) == {**APPLIED, "kept/config.ini": b"mine", "other": b"not ours\n"}


def test_a_filesystem_that_cannot_exchange_is_written_by_two_renames(
    pack: str, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renames, "_renameat2", lambda *_: False)
    assert applied(pack, target)["outcome"] == "SUCCESS"
    assert files(target) == {**APPLIED, "other": b"not ours\n"}
    assert not (target / STAGE).exists()


# What a crash leaves.


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours runs after it."""


def interrupt(pack: str, target: Path, monkeypatch: pytest.MonkeyPatch, at: int) -> None:
    """Ends an apply before its step `at`, and leaves all as it is then."""
    real = changing.Change._carry_out

    def carry_out(self: changing.Change, number: int, step: Step) -> None:
        if number == at:
            raise Killed
        real(self, number, step)

    with monkeypatch.context() as patched:
        patched.setattr(changing.Change, "_carry_out", carry_out)
        patched.setattr(changing.Change, "_leave", lambda self: os.close(self._stage))
        with pytest.raises(Killed):
            apply_pack(pack, target)


@pytest.mark.parametrize("at", range(4))
def test_what_a_crash_left_is_rolled_back_by_the_next_apply(
    pack: str, target: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    before = tree(target)
    interrupt(pack, target, monkeypatch, at)
    assert (target / STAGE).exists()
    assert apply_pack(pack, target, dry_run=True).result["outcome"] == "REFUSED"
    assert recover(target) == "rolled back"
    assert tree(target) == before
    assert recover(target) == "nothing"
    interrupt(pack, target, monkeypatch, at)
    again = apply_pack(pack, target)
    assert (again.recovered, again.result["outcome"]) == ("rolled back", "SUCCESS")
    assert files(target) == {**APPLIED, "other": b"not ours\n"}


def test_a_file_that_was_changed_after_a_crash_is_not_rolled_back(
    pack: str, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(pack, target, monkeypatch, 1)
    (target / "kept" / "config.ini").write_bytes(b"a day's work\n")
    with pytest.raises(Unrecovered, match="other contents"):
        recover(target)
    assert (target / "kept" / "config.ini").read_bytes() == b"a day's work\n"
    assert b"old = 1\n" in files(target / STAGE).values()


def test_a_journal_that_was_copied_moves_nothing(
    pack: str, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(pack, target, monkeypatch, 2)
    subprocess.run(["cp", "-a", target, tmp_path / "copy"], check=True)
    before = tree(tmp_path / "copy")
    with pytest.raises(Unrecovered, match="a copy of one"):
        recover(tmp_path / "copy")
    assert tree(tmp_path / "copy") == before


@pytest.mark.parametrize(
    "journal",
    [
        b"{",
        b"{}",
        b'{"inode":INODE,"directories":[],"steps":[{"path":".git/hooks/x","before":null,"after":null,"inode":1}]}',
        b'{"inode":INODE,"directories":["../x"],"steps":[]}',
    ],
)
def test_a_journal_that_no_apply_wrote_moves_nothing(target: Path, journal: bytes) -> None:
    (target / STAGE).mkdir()
    inode = os.stat(target / STAGE).st_ino
    (target / STAGE / "journal.json").write_bytes(journal.replace(b"INODE", str(inode).encode()))
    (target / STAGE / "0.old").write_bytes(b"#!/bin/sh\n")
    before = tree(target)
    with pytest.raises(Unrecovered):
        recover(target)
    assert tree(target) == before


def test_what_is_not_ours_in_the_hidden_directory_stays(target: Path) -> None:
    (target / STAGE).mkdir()
    (target / STAGE / "thesis.txt").write_bytes(b"years")
    with pytest.raises(Unrecovered, match="other files"):
        recover(target)
    assert (target / STAGE / "thesis.txt").read_bytes() == b"years"


def test_a_hidden_directory_that_is_a_symlink_is_refused(target: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "0").write_bytes(b"")
    (target / STAGE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unrecovered):
        recover(target)
    assert (tmp_path / "elsewhere" / "0").exists()


def test_two_at_once_do_not_mix(pack: str, target: Path) -> None:
    root = open_target(str(target))
    assert isinstance(root, int)
    try:
        with Claim(root), pytest.raises(Busy):
            apply_pack(pack, target)
    finally:
        os.close(root)
    assert apply_pack(pack, target).result["outcome"] == "SUCCESS"

"""The copy that commands run in, and what is found in it afterwards (contracts 2.2, 2.9)."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.harness import changes
from affidavit.harness.changes import Changes
from affidavit.harness.errors import RunError
from affidavit.harness.operations import carry_out
from affidavit.harness.workspace import Limits, Stopped, copy_workspace
from affidavit.store.lock import NAME as LOCK
from affidavit.store.publish import ASIDE
from affidavit.store.scratch import Scratch
from tests.support.ordinary import as_ordinary_user

if TYPE_CHECKING:
    from collections.abc import Iterator

    from affidavit.harness.changes import Left
    from affidavit.harness.workspace import Copied


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace, an out folder in it, and an empty directory for the copy."""
    (tmp_path / "work" / ".affidavit").mkdir(parents=True)
    (tmp_path / "copy").mkdir()
    return tmp_path


def copied(place: Path, limits: Limits | None = None) -> Copied:
    work = place / "work"
    return copy_workspace(str(work), str(place / "copy"), out=str(work / ".affidavit"), limits=limits or Limits())


def left(copy: Copied, *roots: str) -> Left:
    return Changes(copy, list(roots)).collect()


def names(found: Left) -> list[str]:
    return [path for path, _ in found.outputs]


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def test_files_links_and_permissions_are_copied_and_the_original_is_not_touched(place: Path) -> None:
    work, copy = place / "work", place / "copy"
    (work / "sub" / "deep").mkdir(parents=True)
    (work / "sub" / "deep" / "file").write_bytes(b"x" * 3_000_000)
    (work / "empty").write_bytes(b"")
    (work / "tool").write_bytes(b"#!/bin/sh\n")
    os.chmod(work / "tool", 0o6755)
    os.chmod(work / "sub", 0o2750)
    os.utime(work / "tool", ns=(10**18, 10**18))
    (work / "link").symlink_to("/etc/passwd")
    (work / "dangling").symlink_to("no/where")
    (work / ".git").mkdir()
    (work / ".git" / "HEAD").write_bytes(b"ref: refs/heads/main\n")
    before = sorted((str(path), os.lstat(path)) for path in work.rglob("*"))
    found = copied(place)
    assert (copy / "sub" / "deep" / "file").read_bytes() == b"x" * 3_000_000
    assert (copy / ".git" / "HEAD").exists()
    assert os.readlink(copy / "link") == "/etc/passwd"
    assert os.readlink(copy / "dangling") == "no/where"
    assert stat.S_IMODE(os.stat(copy / "tool").st_mode) == 0o755
    assert stat.S_IMODE(os.stat(copy / "sub").st_mode) == 0o750
    assert os.stat(copy / "tool").st_mtime_ns == 10**18
    assert set(found.files) == {"sub/deep/file", "empty", "tool", ".git/HEAD"}
    after = sorted((str(path), os.lstat(path)) for path in work.rglob("*"))
    assert [(path, s.st_ino, s.st_mtime_ns, s.st_ctime_ns, s.st_mode) for path, s in before] == [
        (path, s.st_ino, s.st_mtime_ns, s.st_ctime_ns, s.st_mode) for path, s in after
    ]
    os.truncate(copy / "sub" / "deep" / "file", 1)
    assert (work / "sub" / "deep" / "file").stat().st_size == 3_000_000


def test_the_out_folder_and_every_folder_of_runs_stay_out(place: Path) -> None:
    work = place / "work"
    (work / ".affidavit" / "hr_0_00000000").mkdir()
    (work / "sub" / "runs").mkdir(parents=True)
    (work / "sub" / "runs" / LOCK).write_bytes(b"")
    (work / "sub" / "file").write_bytes(b"x")
    found = copied(place)
    assert sorted(found.excluded) == [".affidavit", "sub/runs"]
    assert sorted(os.listdir(place / "copy")) == ["sub"]
    assert os.listdir(place / "copy" / "sub") == ["file"]


def test_a_workspace_that_is_itself_a_folder_of_runs_is_refused(place: Path) -> None:
    (place / "work" / LOCK).write_bytes(b"")
    with pytest.raises(RunError, match="name another --workspace") as caught:
        copied(place)
    assert caught.value.code == "RUN_E005"


def test_special_files_are_skipped_and_named_and_nothing_waits_for_them(place: Path) -> None:
    work = place / "work"
    os.mkfifo(work / "fifo")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(work / "socket"))
        found = copied(place)
    assert found.skipped == [("fifo", "a FIFO"), ("socket", "a socket")]
    assert os.listdir(place / "copy") == []


def test_more_than_the_limits_is_refused_with_the_option_that_raises_them(place: Path) -> None:
    work = place / "work"
    for number in range(10):
        (work / f"file{number}").write_bytes(b"x" * 100)
    assert len(copied(place, Limits(1000, 11)).files) == 10
    for limits, option in ((Limits(999, 11), "bytes"), (Limits(1000, 10), "entries")):
        target = place / f"copy-{option}"
        target.mkdir()
        with pytest.raises(RunError, match=f"--max-workspace-{option}") as caught:
            copy_workspace(str(work), str(target), out=str(work / ".affidavit"), limits=limits)
        assert caught.value.code == "RUN_E005"


def test_a_sparse_giant_is_refused_before_it_is_read(place: Path) -> None:
    with open(place / "work" / "giant", "wb") as giant:
        giant.truncate(1 << 40)
    with pytest.raises(RunError, match="more than 2147483648 bytes"):
        copied(place)


def test_a_tree_that_is_too_deep_is_refused(place: Path) -> None:
    here = os.open(place / "work", os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    with pytest.raises(RunError, match="256 directories within each other"):
        copied(place)


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A directory that an ordinary user can reach and write to."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        os.chmod(made, 0o777)
        yield Path(made)


def test_what_cannot_be_read_is_an_error_and_not_left_out(anybodys: Path) -> None:
    def fails() -> tuple[str, str]:
        for name in ("work/.affidavit", "copy"):
            (anybodys / name).mkdir(parents=True)
        (anybodys / "work" / "closed").write_bytes(b"x")
        os.chmod(anybodys / "work" / "closed", 0)
        with pytest.raises(RunError) as caught:
            copied(anybodys)
        return caught.value.code, caught.value.message

    code, message = as_ordinary_user(fails)
    assert code == "RUN_E005"
    assert "closed" in message


def test_copying_stops_when_somebody_asks(place: Path) -> None:
    (place / "work" / "file").write_bytes(b"x")
    with pytest.raises(Stopped):
        copy_workspace(
            str(place / "work"),
            str(place / "copy"),
            out=str(place / "work" / ".affidavit"),
            limits=Limits(),
            is_stopped=lambda: True,
        )


def test_outputs_are_what_was_made_or_changed_below_the_roots(place: Path) -> None:
    work, copy = place / "work", place / "copy"
    for name in ("out/same", "out/changed", "out/longer", "out/rewritten", "out/removed", "src/removed"):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_bytes(b"before")
    found = copied(place)
    (copy / "out" / "changed").write_bytes(b"beFore")
    (copy / "out" / "longer").write_bytes(b"before and after")
    (copy / "out" / "rewritten").write_bytes(b"before")
    (copy / "out" / "removed").unlink()
    (copy / "src" / "removed").unlink()
    (copy / "out" / "new").mkdir()
    (copy / "out" / "new" / "file").write_bytes(b"")
    os.chmod(copy / "out" / "new" / "file", 0o640)
    (copy / "elsewhere").write_bytes(b"x")
    seen = left(found, "out", "dist")
    assert seen.outputs == [("out/changed", 0o644), ("out/longer", 0o644), ("out/new/file", 0o640)]
    assert seen.removed == [("out/removed", sha256(b"before"))]
    assert (seen.left_out, seen.unseen) == ([], [])
    everywhere = left(found)
    assert names(everywhere) == ["elsewhere", "out/changed", "out/longer", "out/new/file"]
    assert [path for path, _ in everywhere.removed] == ["out/removed", "src/removed"]


def test_what_is_no_output_is_named(place: Path) -> None:
    work, copy = place / "work", place / "copy"
    (work / "kept").symlink_to("here")
    (work / "turned").symlink_to("here")
    (work / "file").write_bytes(b"x")
    found = copied(place)
    (copy / "turned").unlink()
    (copy / "turned").symlink_to("/etc")
    (copy / "new").symlink_to("/etc/passwd")
    (copy / "file").unlink()
    os.mkfifo(copy / "file")
    (copy / ".affidavit").mkdir()
    (copy / ".affidavit" / "hidden").write_bytes(b"x")
    with open(os.fsencode(copy) + b"/\xff\n", "wb"):
        pass
    seen = left(found)
    assert seen.outputs == []
    assert seen.left_out == [
        (".affidavit", "where runs are committed"),
        ("\\xff\\x0a", "a name that is not UTF-8"),
        ("file", "a FIFO"),
        ("new", "a symlink"),
        ("turned", "a symlink"),
    ]
    assert seen.removed == [("file", sha256(b"x"))]


def test_a_link_that_was_removed_or_turned_is_named_and_one_that_stayed_is_not(place: Path) -> None:
    work, copy = place / "work", place / "copy"
    for name in ("stays", "goes", "turns", "becomes"):
        (work / name).symlink_to("here")
    found = copied(place)
    (copy / "goes").unlink()
    for name in ("turns", "becomes"):
        (copy / name).unlink()
    (copy / "turns").symlink_to("there")
    (copy / "becomes").write_bytes(b"a file")
    seen = left(found)
    assert names(seen) == ["becomes"]
    assert seen.left_out == [
        ("becomes", "a symlink that was removed"),
        ("goes", "a symlink that was removed"),
        ("turns", "a symlink"),
    ]


def test_a_name_that_is_no_output_is_named_only_when_it_was_touched(place: Path) -> None:
    work = place / "work"
    for name in (b"\xff", b"..\\up"):
        with open(os.fsencode(work) + b"/" + name, "wb") as file:
            file.write(b"x")
    found = copied(place)
    assert left(found).left_out == []
    (place / "copy" / "..\\up").write_bytes(b"y")
    assert left(found).left_out == [("..\\up", "a name that climbs elsewhere")]


def test_what_was_not_looked_at_is_not_called_removed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "z"):
        (place / "work" / name).write_bytes(b"x")
    found = copied(place)
    for number in range(20):
        (place / "copy" / f"new{number}").write_bytes(b"x")
    monkeypatch.setattr(changes, "_MOST_NEW_ENTRIES", 10)
    seen = left(found)
    assert seen.removed == []
    assert seen.unseen == ["more than 10 new files and directories"]


def test_the_original_changed_meanwhile_is_no_witness(place: Path) -> None:
    work, copy = place / "work", place / "copy"
    (work / "gone").write_bytes(b"before")
    (work / "rewritten").write_bytes(b"before")
    found = copied(place)
    (copy / "gone").unlink()
    (copy / "rewritten").write_bytes(b"before")
    for name in ("gone", "rewritten"):
        (work / name).write_bytes(b"behind")
    seen = left(found)
    assert names(seen) == ["rewritten"]
    assert seen.removed == [("gone", None)]


def test_a_root_that_became_a_link_leads_nowhere(place: Path) -> None:
    found = copied(place)
    (place / "copy" / "out").symlink_to("/etc")
    seen = left(found, "out")
    assert (seen.outputs, seen.unseen) == ([], [])


def test_what_took_its_own_permissions_away_is_collected_and_removed(anybodys: Path) -> None:
    def locked_up() -> list[str]:
        work = anybodys / "work"
        (work / ".affidavit").mkdir(parents=True)
        with Scratch(str(anybodys)) as scratch:
            target = os.path.join(scratch.path, "workspace")
            os.mkdir(target)
            found = copy_workspace(str(work), target, out=str(work / ".affidavit"), limits=Limits())
            os.mkdir(f"{target}/closed")
            for path in (f"{target}/closed/file", f"{target}/file"):
                with open(path, "wb") as file:
                    file.write(b"x")
                os.chmod(path, 0)
            os.chmod(f"{target}/closed", 0)
            os.chmod(target, 0o500)
            seen = left(found)
        assert not os.path.lexists(scratch.path)
        return names(seen)

    assert as_ordinary_user(locked_up) == ["closed/file", "file"]


def test_a_scratch_of_any_depth_goes(tmp_path: Path) -> None:
    with Scratch(str(tmp_path)) as scratch:
        assert stat.S_IMODE(os.stat(scratch.path).st_mode) == 0o700
        assert os.path.basename(scratch.path).startswith(ASIDE)
        here = os.open(scratch.path, os.O_RDONLY)
        for _ in range(1200):
            os.mkdir("d", dir_fd=here)
            os.close(os.open("f", os.O_WRONLY | os.O_CREAT, dir_fd=here))
            below = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
        os.close(here)
    assert os.listdir(tmp_path) == []


def test_deeper_than_anybody_looks_is_told(place: Path) -> None:
    found = copied(place)
    here = os.open(place / "copy", os.O_RDONLY)
    for _ in range(300):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    (told,) = left(found).unseen
    assert "256 directories" in told


def operation(kind: str, target: str, content: str | None = None) -> dict[str, Any]:
    return {"type": kind, "target": target, **({} if content is None else {"content": content})}


def test_declared_operations_do_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    (tmp_path / "tool").write_bytes(b"old")
    os.chmod(tmp_path / "tool", 0o755)
    results, reasons = carry_out(
        str(tmp_path),
        {
            "actions": [
                operation("create_file", "a/b/new", "caf\u00e9\n"),
                operation("delete_file", "old"),
                operation("execute_command", "x", "{}"),
                operation("modify_file", "tool", "new"),
            ]
        },
    )
    assert reasons == []
    assert [(result["path"], result["action"], result["exit_code"]) for result in results] == [
        ("a/b/new", "create", 0),
        ("old", "delete", 0),
        ("tool", "modify", 0),
    ]
    new = "caf\u00e9\n".encode()
    assert [result["sha256"] for result in results] == [sha256(new), sha256(b"old"), sha256(b"new")]
    assert (tmp_path / "a" / "b" / "new").read_bytes() == new
    assert stat.S_IMODE(os.stat(tmp_path / "tool").st_mode) == 0o755
    assert not (tmp_path / "old").exists()


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        ("create_file", "there"),
        ("create_file", "link"),
        ("create_file", "dangling"),
        ("create_file", "folder"),
        ("create_file", "there/below"),
        ("create_file", "out/escaped"),
        ("modify_file", "absent"),
        ("modify_file", "link"),
        ("modify_file", "folder"),
        ("modify_file", "fifo"),
        ("modify_file", "out/passwd"),
        ("delete_file", "absent"),
        ("delete_file", "link"),
        ("delete_file", "folder"),
        ("delete_file", "out/passwd"),
    ],
)
def test_an_operation_on_something_else_fails_and_follows_no_link(kind: str, path: str, tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    (inside / "folder").mkdir(parents=True)
    outside.mkdir()
    (outside / "passwd").write_bytes(b"root")
    (inside / "there").write_bytes(b"x")
    (inside / "link").symlink_to("there")
    (inside / "dangling").symlink_to("nowhere")
    (inside / "out").symlink_to(outside)
    os.mkfifo(inside / "fifo")
    content = None if kind == "delete_file" else "new"
    (result,), (reason,) = carry_out(str(inside), {"actions": [operation(kind, path, content)]})
    assert (result["exit_code"], result["sha256"]) == (1, sha256(b""))
    assert reason.startswith(f'"{path}": {kind.removesuffix("_file")}: ')
    assert os.listdir(outside) == ["passwd"]
    assert (outside / "passwd").read_bytes() == b"root"
    assert (inside / "there").read_bytes() == b"x"

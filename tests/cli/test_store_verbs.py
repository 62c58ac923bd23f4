"""The verbs for run directories and out folders: answers, exit statuses, words (contracts 5)."""

from __future__ import annotations

import fcntl
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.quantities import age, size
from tests.support.cli import affidavit, on_terminal
from tests.support.runs import ENTRY, begin_run, commit_run, crashed_run, result_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """An out folder of an accepted run and a crashed one."""
    folder = tmp_path / "out"
    with begin_run(folder, "run-1") as writer:
        writer.put_json("run.json", result_of("run-1"))
        writer.put("stdout", b"hello\n")
        writer.commit(ledger={**ENTRY, "run_id": "run-1"})
    crashed_run(folder, "run-2")
    return folder


def body_of(data: bytes) -> dict[str, Any]:
    body: Any = read(data)
    assert canonical(body) + b"\n" == data
    return body  # type: ignore[no-any-return]


def test_verify_takes_a_run_directory_and_an_out_folder(out: Path) -> None:
    for path in (out, out / "run-1"):
        ran = affidavit("verify", str(path))
        body = body_of(ran.out)
        assert (ran.status, body["ok"], body["document"], body["path"]) == (0, True, "run directory", f"{out}/run-1")
        assert (body["run_id"], body["status"], body["artifacts"]) == ("run-1", "ok", 3)
    (out / "run-1" / "stdout").write_bytes(b"hellO\n")
    ran = affidavit("verify", str(out))
    assert ran.status == 1
    assert [(found["rule_id"], found["path"]) for found in body_of(ran.out)["violations"]] == [("RD3", "stdout")]


def test_verify_all_answers_for_each_run_the_ledger_and_the_folder(out: Path) -> None:
    ran = affidavit("verify", "--all", str(out))
    answers: list[Any] = [read(line) for line in ran.out.splitlines()]
    assert ran.status == 1
    assert [(answer["document"], answer["ok"]) for answer in answers] == [
        ("run directory", True),
        ("run directory", False),
        ("ledger", True),
        ("out folder", True),
    ]


def test_verify_of_an_invalid_latest_is_refused(out: Path) -> None:
    (out / "LATEST").write_bytes(b"../elsewhere\n")
    ran = affidavit("verify", str(out))
    assert (ran.status, body_of(ran.out)["error"]["code"]) == (1, "latest.invalid")


def test_the_levels_differ_for_foreign_files(out: Path) -> None:
    (out / "run-1" / "notes.txt").write_bytes(b"")
    assert affidavit("verify", str(out)).status == 1
    ran = affidavit("verify", "--level", "compat", str(out))
    assert (ran.status, body_of(ran.out)["not_checked"][0]["rule_id"]) == (0, "RD4")


def test_ls_lists_runs_for_a_program_and_for_a_person(out: Path) -> None:
    body = body_of(affidavit("ls", str(out)).out)
    assert (body["latest"], body["removed"]) == ("run-1", [])
    assert [(run["run_id"], run["state"], run["outcome"], run["committed"]) for run in body["runs"]] == [
        ("run-1", "complete", "accepted", True),
        ("run-2", "crashed", None, False),
    ]
    assert body["runs"][0]["bytes"] > 0
    shutil.rmtree(out / "run-1")
    told = on_terminal("ls", "--color=never", str(out)).out.decode()
    for part in ("run-2", "crashed", " ago", "LATEST names no run", "1 run of the ledger removed"):
        assert part in told
    assert affidavit("ls", str(out / "absent")).status == 2
    assert affidavit("ls", "a", "b").status == 3


def test_ls_needs_no_argument_where_runs_are(tmp_path: Path) -> None:
    commit_run(tmp_path / ".affidavit", "run-1")
    assert [run["run_id"] for run in body_of(affidavit("ls", cwd=str(tmp_path)).out)["runs"]] == ["run-1"]


def test_show_tells_what_came_of_a_run_and_whether_it_is_sound(out: Path) -> None:
    ran = affidavit("show", str(out))
    body = body_of(ran.out)
    assert ran.status == 0
    assert (body["run_id"], body["outcome"], body["integrity"]["ok"]) == ("run-1", "accepted", True)
    assert body["facts"]["policy"] == "default"
    assert {"path": "stdout", "bytes": 6} in body["artifacts"]
    told = on_terminal("show", "--color=never", str(out)).out.decode()
    for part in ("run run-1", "accepted", "node build.js", "every file is what the index says"):
        assert part in told
    (out / "run-1" / "stdout").write_bytes(b"")
    told = on_terminal("show", "--color=never", str(out)).out.decode()
    assert "1 finding" in told
    assert "RD3  stdout" in told
    assert affidavit("show", str(out)).status == 1


def test_what_a_run_holds_cannot_command_the_terminal(out: Path) -> None:
    with begin_run(out, "run-3") as writer:
        writer.put_json("run.json", {"decision": {"reasons": ["\x1b[2J"]}, "policy": {"name": "\x9b31m"}})
        writer.put("\x1b]0;x\x07", b"")
        writer.commit()
    for verb in ("ls", "show", "verify"):
        ran = on_terminal(verb, "--color=never", str(out))
        assert all(byte >= 0x20 or byte == 0x0A for byte in ran.out)
        assert "\x9b" not in ran.out.decode()


def test_abandon_closes_what_crashed_and_refuses_what_did_not(out: Path) -> None:
    ran = affidavit("abandon", str(out / "run-2"))
    assert (ran.status, body_of(ran.out)) == (0, {"abandoned": [str(out / "run-2")], "refused": []})
    assert affidavit("verify", str(out / "run-2")).status == 0
    ran = affidavit("abandon", str(out / "run-1"))
    assert (ran.status, len(body_of(ran.out)["refused"])) == (1, 1)
    with begin_run(out, "run-3") as writer:
        crashed_run(out, "run-4")
        ran = affidavit("abandon", "--all", str(out))
        writer.commit()
    body = body_of(ran.out)
    assert (ran.status, body["abandoned"]) == (1, [str(out / "run-4")])
    assert "still there" in body["refused"][0]["reason"]
    assert affidavit("abandon", str(out / "absent")).status == 2
    assert affidavit("abandon").status == 3


def test_reindex_bundle_tells_repairs_and_refuses(out: Path) -> None:
    assert affidavit("reindex-bundle", "--strict", str(out)).status == 0
    (out / "run-1" / "notes").write_bytes(b"a note\n")
    assert affidavit("reindex-bundle", str(out)).status == 1
    ran = affidavit("reindex-bundle", "--repair", str(out))
    body = body_of(ran.out)
    assert (ran.status, body["ok"], body["repaired"]) == (0, True, ["notes"])
    assert affidavit("verify", str(out)).status == 0
    assert affidavit("verify", str(out / "run-1" / "repair_log.json")).status == 0
    (out / "run-1" / "stdout").write_bytes(b"hellO\n")
    ran = affidavit("reindex-bundle", "--repair", str(out))
    body = body_of(ran.out)  # it is indexed now, and still not what the result says
    assert (ran.status, [found["rule_id"] for found in body["violations"]]) == (1, ["RD11"])
    ran = affidavit("reindex-bundle", "--repair", str(out / "run-2"))
    assert (ran.status, body_of(ran.out)["error"]["code"]) == (1, "repair.refused")
    assert affidavit("reindex-bundle", "--repair", "--strict", str(out)).status == 3


def test_rm_and_gc_remove_and_say_what(out: Path) -> None:
    for number in range(3, 6):
        commit_run(out, f"run-{number}")
    ran = affidavit("gc", "--keep", "1", "--dry-run", str(out))
    body = body_of(ran.out)
    assert (ran.status, body["unfinished"]) == (0, ["run-2"])
    assert "run-5" in body["kept"], "LATEST names it"
    assert sorted(body["kept"] + body["removed"]) == ["run-1", "run-3", "run-4", "run-5"]
    assert {f"run-{number}" for number in range(1, 6)} <= set(os.listdir(out))
    assert affidavit("gc", "--keep", "1", str(out)).status == 0
    assert affidavit("verify", str(out)).status == 0
    ran = affidavit("rm", str(out / "run-2"))
    assert (ran.status, body_of(ran.out)) == (0, {"removed": [str(out / "run-2")]})
    assert not (out / "run-2").exists()
    for words in ((), ("--keep", "-1"), ("--keep", "x"), ("--keep", "1", "--lock-timeout", "soon")):
        assert affidavit("gc", *words, str(out)).status == 3
    assert affidavit("rm", str(out)).status == 2


@pytest.mark.parametrize("verb", ["abandon", "rm"])
def test_a_locked_folder_is_an_error(out: Path, verb: str) -> None:
    with open(out / ".runtime.lock", "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = affidavit(verb, "--lock", "fail", str(out / "run-2"))
    assert (ran.status, body_of(ran.err)["code"]) == (2, "lock.held")


def test_sizes_and_ages_are_readable() -> None:
    assert [size(count) for count in (0, 999, 1000, 1_500_000, 4 * 10**9, 10**16)] == [
        "0 B", "999 B", "1.0 kB", "1.5 MB", "4.0 GB", "10000.0 TB",
    ]  # fmt: skip
    assert [age(seconds) for seconds in (-1, 0, 1.9, 119, 121, 7199, 7200, 200_000)] == [
        "in the future", "0 seconds ago", "1 second ago", "119 seconds ago", "2 minutes ago", "119 minutes ago",
        "2 hours ago", "2 days ago",
    ]  # fmt: skip

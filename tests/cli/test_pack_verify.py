"""`affidavit pack-verify` (seed 004, section 7): the shapes of its answers, its exit statuses, its words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import KERNEL
from affidavit.canon.reader import read
from tests.support.cli import affidavit, environment, on_terminal
from tests.support.pack_files import seven_members, two_members, write_archive, write_directory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def pack(tmp_path: Path) -> str:
    return write_directory(tmp_path / "pack", two_members())


def body_of(out: bytes) -> dict[str, Any]:
    assert out.endswith(b"}\n")
    body: Any = read(out)
    assert canonical(body) + b"\n" == out
    return body  # type: ignore[no-any-return]


def test_a_valid_pack_has_the_shape_of_PackVerifySuccess(pack: str) -> None:
    ran = affidavit("pack-verify", pack)
    digest = KERNEL.digest(read(two_members()["bundle.json"])).content_hash
    assert (ran.status, ran.err) == (0, b"")
    assert body_of(ran.out) == {
        "ok": True,
        "pack_path": pack,
        "files_verified": ["bundle.json", "run.json"],
        "reference_checks": [
            {
                "source": "run.json",
                "target": "bundle.json",
                "field": "bundle.sha256",
                "expected": digest,
                "computed": digest,
                "match": True,
            }
        ],
    }


def test_an_archive_answers_as_the_directory_does(tmp_path: Path) -> None:
    write_directory(tmp_path / "pack", seven_members())
    write_archive(tmp_path / "pack.zip", seven_members())
    as_directory = body_of(affidavit("pack-verify", "pack", cwd=str(tmp_path)).out)
    as_archive = body_of(affidavit("pack-verify", "pack.zip", cwd=str(tmp_path)).out)
    assert as_archive.pop("pack_path") == "pack.zip"
    assert as_directory.pop("pack_path") == "pack"
    assert as_archive == as_directory


def test_findings_have_the_shape_of_PackVerifyFailure_and_exit_status_1(pack: str) -> None:
    with open(os.path.join(pack, "bundle.json"), "ab") as file:
        file.write(b"x")
    with open(os.path.join(pack, "notes.txt"), "w", encoding="utf-8"):
        pass
    ran = affidavit("pack-verify", pack)
    assert ran.status == 1
    body = body_of(ran.out)
    assert body.keys() == {"ok", "pack_path", "violations", "not_checked"}
    assert [(found["rule_id"], found["path"]) for found in body["violations"]] == [
        ("PK2", "notes.txt"),
        ("PK4", "bundle.json"),
    ]
    assert all(found.keys() == {"rule_id", "path", "message"} for found in body["violations"])
    assert [left["rule_id"] for left in body["not_checked"]] == ["PK5"]


@pytest.mark.parametrize("kind", ["absent", "symlink", "device", "no archive", "unreadable directory"])
def test_what_cannot_be_read_has_exit_status_2(kind: str, pack: str, tmp_path: Path) -> None:
    path = str(tmp_path / "x")
    if kind == "symlink":
        os.symlink(pack, path)
    elif kind == "device":
        path = "/dev/zero"
    elif kind == "no archive":
        path = os.path.join(pack, "run.json")
    elif kind == "unreadable directory":
        path = "/proc/self/task/0"
    ran = affidavit("pack-verify", path)
    body = body_of(ran.out)
    assert ran.status == 2
    assert body["ok"] is False
    assert body["error"]["code"] == ("ARCHIVE" if kind == "no archive" else "IO")


@pytest.mark.parametrize("words", [(), ("a", "b"), ("--level", "lax", "a"), ("--unknown", "a")])
def test_wrong_usage_has_exit_status_3(words: tuple[str, ...]) -> None:
    assert affidavit("pack-verify", *words).status == 3


def test_the_answer_depends_on_nothing_but_the_pack(tmp_path: Path) -> None:
    members = seven_members()
    for order in (sorted(members), sorted(members, reverse=True)):
        write_directory(tmp_path / order[0] / "pack", {name: members[name] for name in order} | {"z": b"", "a": b""})
    answers = {
        affidavit("pack-verify", "pack", cwd=str(tmp_path / place), env=environment(**settings)).out
        for place in ("bundle.json", "runner.json")
        for settings in ({}, {"PYTHONHASHSEED": "1", "LC_ALL": "C"}, {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo"})
    }
    assert len(answers) == 1


def test_a_person_is_told_rule_file_expected_and_found(pack: str) -> None:
    with open(os.path.join(pack, "notes.txt"), "w", encoding="utf-8"):
        pass
    ran = on_terminal("pack-verify", "--color=never", pack)
    assert ran.status == 1
    for part in (
        f"{pack}: not a valid pack, 1 finding",
        "  PK2  notes.txt",
        "      expected one of",
        "      found    a ",
    ):
        assert part in ran.out.decode()

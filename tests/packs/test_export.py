"""Exporting the pack of a committed run (seed 004, sections 3.2 and 8; contracts 2.10)."""

from __future__ import annotations

import os
import random
import shutil
import string
import zipfile
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.cli.named_run import find_run
from affidavit.harness.run import run_intent
from affidavit.packs.export import NotSound, export_pack
from affidavit.packs.members import NothingToExport
from affidavit.packs.verify import verify_pack
from affidavit.store.publish import Exists
from affidavit.store.reader import Refused
from affidavit.store.refused import BundleRefused
from tests.support.cli import affidavit, environment
from tests.support.harness import executed, file, shell
from tests.support.packs import bytes_of, recorded_pack
from tests.support.runs import begin_run, commit_run

if TYPE_CHECKING:
    from pathlib import Path

INTENTS: dict[str, dict[str, Any]] = {
    "plan": {"goal": "Write a page.", "context": {"work": {"files": [file("page", "x\n")]}}},
    "clarify": {"goal": "Write a page about TBD."},
    "refuse": {"goal": "Write a page.", "context": {"work": {"files": [file("../page")]}}},
}
MEMBERS = {
    "plan": ["bundle.json", "ledger.jsonl", "policy.json", "run.json"],
    "clarify": ["bundle.json", "ledger.jsonl", "policy.json", "run.json"],
    "refuse": ["ledger.jsonl", "policy.json", "run.json"],
}


def committed(tmp_path: Path, kind: str) -> Path:
    out = tmp_path / "out"
    intent = canonical(INTENTS[kind])
    return out / str(run_intent(intent, policy="dev", out=out, workspace=tmp_path).result["run_id"])


@pytest.mark.parametrize("kind", INTENTS)
def test_a_pack_holds_what_its_outcome_may_have(tmp_path: Path, kind: str) -> None:
    run = committed(tmp_path, kind)
    exported = export_pack(run, directory=tmp_path / "pack", archive=tmp_path / "pack.zip", wanted=["model-io", "meta"])
    assert exported.members == sorted([*MEMBERS[kind], "meta.json"])
    assert sorted(os.listdir(tmp_path / "pack")) == exported.members
    for place in ("pack", "pack.zip"):
        report = verify_pack(tmp_path / place, level="strict")
        assert report.ok, report.findings
    for name in MEMBERS[kind]:
        if name != "ledger.jsonl":
            assert (tmp_path / "pack" / name).read_bytes() == (run / name).read_bytes()
    assert (tmp_path / "pack" / "ledger.jsonl").read_bytes() == (tmp_path / "out" / "ledger.jsonl").read_bytes()


@pytest.mark.sandbox
def test_a_pack_of_an_execution_holds_its_evidence_and_not_its_outputs(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[shell("c", "mkdir out; echo made > out/made")], files=[file("declared")])
    exported = export_pack(run.directory, directory=tmp_path / "pack")
    assert exported.members == [
        *("bundle.json", "evidence.json", "ledger.jsonl", "patch.json", "policy.json", "run.json", "runner.json")
    ]
    assert verify_pack(tmp_path / "pack", level="strict").ok
    assert exported.warnings == []


@pytest.mark.sandbox
def test_evidence_and_patch_of_another_proposal_do_not_pass_at_strict(tmp_path: Path) -> None:
    """They agree with each other; the bundle comes to something else (EV1)."""
    run = executed(tmp_path, files=[file("declared")])
    export_pack(run.directory, directory=tmp_path / "pack")
    report = verify_pack(tmp_path / "pack", level="strict")
    assert report.ok
    assert not any("EV1" in left.reason for left in report.not_checked)
    for name, member in (("evidence.json", "proposal_id"), ("patch.json", "source_proposal_id")):
        document: Any = read((tmp_path / "pack" / name).read_bytes())
        (tmp_path / "pack" / name).write_bytes(canonical({**document, member: "prop_0000000000000000"}) + b"\n")
    report = verify_pack(tmp_path / "pack", level="strict")
    assert [(found.rule_id, found.path, found.within) for found in report.findings] == [
        ("PK8", "evidence.json", "EV1: /proposal_id")
    ]


def test_model_io_and_meta_only_when_they_are_asked_for(tmp_path: Path) -> None:
    members = recorded_pack()["members"]
    with begin_run(tmp_path / "out", members["run.json"]["run_id"]) as writer:
        for name, member in members.items():
            if name not in ("ledger.jsonl", "meta.json"):
                writer.put(name, bytes_of(member))
        writer.commit()
    run = tmp_path / "out" / members["run.json"]["run_id"]
    plain = export_pack(run, directory=tmp_path / "plain")
    assert not {"model_io.json", "meta.json"} & set(plain.members)
    assert any("ledger.jsonl" in warning for warning in plain.warnings)
    full = export_pack(run, directory=tmp_path / "full", wanted=["model-io", "meta"])
    assert {"model_io.json", "meta.json"} <= set(full.members)
    assert verify_pack(tmp_path / "full", level="strict").ok


def test_the_archive_depends_on_the_run_and_on_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = committed(tmp_path, "plan")
    first = export_pack(run, archive=tmp_path / "first.zip")
    shutil.copytree(tmp_path / "out", tmp_path / "elsewhere")
    for path in (tmp_path / "elsewhere").rglob("*"):
        path.chmod(0o700)
        os.utime(path, (1, 1))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    os.umask(os.umask(0o077))
    export_pack(tmp_path / "elsewhere" / run.name, archive=tmp_path / "second.zip")
    assert (tmp_path / "first.zip").read_bytes() == (tmp_path / "second.zip").read_bytes()
    assert first.archive_sha256 is not None
    with zipfile.ZipFile(tmp_path / "first.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == MEMBERS["plan"]
        for entry in archive.infolist():
            assert (entry.date_time, entry.external_attr >> 16) == ((1980, 1, 1, 0, 0, 0), 0o100644)
            if entry.filename != "ledger.jsonl":
                assert archive.read(entry) == (run / entry.filename).read_bytes()


def test_a_name_that_is_taken_is_not_replaced(tmp_path: Path) -> None:
    run = committed(tmp_path, "plan")
    (tmp_path / "taken").write_bytes(b"mine")
    for places in ({"directory": tmp_path / "taken"}, {"archive": tmp_path / "taken", "directory": tmp_path / "free"}):
        with pytest.raises(Exists):
            export_pack(run, **places)  # type: ignore[arg-type]
    assert (tmp_path / "taken").read_bytes() == b"mine"
    assert not (tmp_path / "free").exists()


def test_a_run_that_is_not_what_it_was_has_no_pack(tmp_path: Path) -> None:
    run = committed(tmp_path, "plan")
    with open(run / "bundle.json", "ab") as tampered:
        tampered.write(b" ")
    with pytest.raises(Refused):
        export_pack(run, directory=tmp_path / "pack", archive=tmp_path / "pack.zip")
    assert sorted(os.listdir(tmp_path)) == ["out"]


def test_a_run_whose_members_do_not_agree_has_no_pack(tmp_path: Path) -> None:
    """Another tool wrote it; each document is sound, and at level strict they are not one run's."""
    members = recorded_pack()["members"]
    members["runner.json"]["limits"]["timeout_ms"] += 1
    with begin_run(tmp_path / "out", members["run.json"]["run_id"]) as writer:
        for name, member in members.items():
            if name not in ("ledger.jsonl", "meta.json", "model_io.json"):
                writer.put(name, bytes_of(member))
        writer.commit()
    with pytest.raises(NotSound, match="PK8"):
        export_pack(tmp_path / "out" / members["run.json"]["run_id"], directory=tmp_path / "pack")
    assert sorted(os.listdir(tmp_path)) == ["out"]


def test_what_is_no_run_of_an_intent_has_nothing_to_export(tmp_path: Path) -> None:
    commit_run(tmp_path / "out", "other")
    with pytest.raises(NothingToExport):
        export_pack(tmp_path / "out" / "other", directory=tmp_path / "pack")
    with begin_run(tmp_path / "out", "failed") as writer:
        writer.fail("no sandbox")
    with pytest.raises(NothingToExport, match="failed"):
        export_pack(tmp_path / "out" / "failed", directory=tmp_path / "pack")
    with begin_run(tmp_path / "out", "unfinished"), pytest.raises(BundleRefused):
        export_pack(tmp_path / "out" / "unfinished", directory=tmp_path / "pack")


def test_a_run_is_found_by_path_by_id_and_as_the_latest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = committed(tmp_path, "plan")
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate((str(run), f"out/{run.name}", run.name, "LATEST", "out")):
        assert export_pack(find_run(name, "out"), directory=f"pack-{number}").run_id == run.name


# The command.


def test_the_commands_answer_and_its_exit_statuses(tmp_path: Path) -> None:
    run = committed(tmp_path, "plan")
    ran = affidavit("pack-export", "--from", "out", "--out", "pack", "--zip", "pack.zip", cwd=str(tmp_path))
    body: Any = read(ran.out)
    assert (ran.status, body["run_id"], body["directory"], body["archive"]) == (0, run.name, "pack", "pack.zip")
    assert ran.out == canonical(body) + b"\n"
    for words, status in (
        (("--from", "out", "--out", "pack"), 1),
        (("--from", "absent", "--out", "new"), 2),
        (("--from", "out"), 3),
        (("--from", "out", "--out", "new", "--with", "everything"), 3),
        (("--from", "out", "--out", "new", "--policy", "dev"), 3),
        (("--from", "out", "--out", "new", "--intent", "i", "LATEST"), 3),
        (("--out", "no/such/parent"), 2),
    ):
        assert affidavit("pack-export", *words, cwd=str(tmp_path)).status == status, words
    assert sorted(os.listdir(tmp_path)) == ["out", "pack", "pack.zip"]


def test_an_intent_is_run_and_exported_in_one_step(tmp_path: Path) -> None:
    for kind, intent in INTENTS.items():
        (tmp_path / f"{kind}.json").write_bytes(canonical(intent))
        ran = affidavit("pack-export", "--intent", f"{kind}.json", "--policy", "dev", "--out", kind, cwd=str(tmp_path))
        assert ran.status == 0, ran
        assert sorted(os.listdir(tmp_path / kind)) == MEMBERS[kind]
        assert verify_pack(tmp_path / kind, level="strict").ok


# Nothing of the host is in a pack.


@pytest.mark.sandbox
def test_nothing_of_the_host_is_in_a_pack(tmp_path: Path) -> None:
    """Run under values that nobody could overlook: random words of twelve letters."""
    chance = random.SystemRandom()
    word = {
        name: "".join(chance.choices(string.ascii_lowercase, k=12))
        for name in ("user", "host", "home", "cwd", "env", "passed", "secret", "tmp")
    }
    place = tmp_path / word["cwd"]
    home = tmp_path / word["home"]
    scratch = tmp_path / word["tmp"]
    for directory in (place, home, scratch):
        directory.mkdir()
    (home / ".gitconfig").write_text(f"[user]\n\tname = {word['user']}\n")
    intent = {
        "goal": "Look around.",
        "context": {
            "work": {
                "files": [file("declared", "x\n")],
                "commands": [
                    shell("look", "pwd; id; env; hostname; uname -a; ls -la / /tmp; mkdir out; env > out/env")
                ],
            }
        },
    }
    (place / "intent.json").write_bytes(canonical(intent))
    env = environment(
        HOME=str(home),
        USER=word["user"],
        LOGNAME=word["user"],
        HOSTNAME=word["host"],
        TMPDIR=str(scratch),
        PLANTED=word["env"],
        PASSED=word["passed"],
        TOKEN=word["secret"],
    )
    words = ("--mode", "execute-sandbox", "--policy", "dev", "--env", "PASSED", "--secret", "TOKEN", "--with", "meta")
    ran = affidavit(
        "pack-export", "--intent", str(place / "intent.json"), *words, "--out", "pack", cwd=str(place), env=env
    )
    assert ran.status == 0, ran
    names = os.listdir(place / "pack")
    assert {"run.json", "bundle.json", "patch.json", "evidence.json", "runner.json", "ledger.jsonl"} <= set(names)
    found = [
        (name, kind)
        for name in names
        for kind, planted in word.items()
        if planted.encode() in (place / "pack" / name).read_bytes()
    ]
    assert found == []
    hostname = os.uname().nodename.encode()
    assert not any(hostname in (place / "pack" / name).read_bytes() for name in names)


@pytest.mark.sandbox
def test_a_command_with_an_absolute_path_is_warned_of(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[shell("c", "ls '/home/someone/secret-project' || true")])
    (warning,) = export_pack(run.directory, directory=tmp_path / "pack").warnings
    assert warning.startswith("run.json /execution/cmd/2 holds an absolute path")

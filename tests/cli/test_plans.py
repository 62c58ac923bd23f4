"""The verbs of plan runs and promotion: their answers, their exit statuses (contracts 5)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.cli.promotion import MEANINGS
from affidavit.contracts.plan import EXAMPLE as PLAN
from affidavit.contracts.promotion_packet import OUR_REASONS, SEED_REASONS
from tests.support.cli import affidavit, on_terminal
from tests.support.plan_runs import RUN_ID, commit

if TYPE_CHECKING:
    from pathlib import Path


def answer(out: bytes) -> Any:
    return read(out)


def test_every_reason_has_words_for_a_person() -> None:
    assert set(MEANINGS) == {*SEED_REASONS, *OUR_REASONS}


def test_the_built_in_plans_and_registries_are_listed_described_and_sound() -> None:
    names = {plan["plan_id"] for plan in answer(affidavit("plan", "list").out)["plans"]}
    assert names == {"sandbox-conformance", "path-canonicalization"}
    listed = {entry["registry_id"] for entry in answer(affidavit("registry", "list").out)["registries"]}
    assert listed == names
    assert answer(affidavit("registry", "lint").out)["ok"] is True
    for name in sorted(names):
        assert answer(affidavit("plan", "lint", name).out)["ok"] is True
        assert answer(affidavit("plan", "describe", name).out)["plan"]["plan_id"] == name
        assert answer(affidavit("registry", "describe", name).out)["registry_id"] == name
        assert name.encode() in on_terminal("plan", "describe", name).out


def test_a_plan_with_findings_is_1_an_unreadable_one_2_a_wrong_command_line_3(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(canonical({**PLAN, "registry_id": "sandbox-conformance", "profiles": ["none"]}))
    assert affidavit("plan", "lint", str(path)).status == 1
    assert affidavit("plan", "lint", str(tmp_path / "absent.json")).status == 2
    assert affidavit("plan", "lint", "no-such-plan").status == 3
    assert affidavit("plan", "lint").status == 3
    assert affidavit("registry", "describe", "none").status == 3
    assert affidavit("registry", "lint", "--registries", str(tmp_path)).status == 1


def test_a_dry_run_is_committed_and_told(tmp_path: Path) -> None:
    ran = affidavit("plan", "run", "--dry-run", "--out", "out", "path-canonicalization", cwd=str(tmp_path))
    assert ran.status == 0
    told = answer(ran.out)
    assert told["summary"]["status"] == "dry"
    assert (tmp_path / told["run"] / "artifact_index.json").exists()


@pytest.mark.parametrize("words", [("--channel", "launchd_clean"), ("--registries", "absent")])
def test_what_cannot_be_run_is_2_and_leaves_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    ran = affidavit("plan", "run", *words, "path-canonicalization", cwd=str(tmp_path))
    assert (ran.status, ran.out) == (2, b"")
    assert answer(ran.err)["code"]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("words", [("--lock-timeout", "soon"), ("--allow-degraded", "network"), ("--channel", "x")])
def test_a_wrong_option_is_3(words: tuple[str, ...]) -> None:
    assert affidavit("plan", "run", *words, "path-canonicalization").status == 3


@pytest.fixture
def place(tmp_path: Path) -> str:
    (tmp_path / ".git").mkdir()
    return str(tmp_path)


def test_a_packet_is_written_required_and_judged_again(place: str) -> None:
    commit(os.path.join(place, "out"))
    emit = ("emit-promotion", "--bundle", "out", "--out", "packet.json")
    written = affidavit(*emit, "--require-promotable", cwd=place)
    assert written.status == 0
    with open(os.path.join(place, "packet.json"), "rb") as file:
        assert file.read() == written.out
    judged = affidavit("promotion-verify", "packet.json", cwd=place)
    assert (judged.status, answer(judged.out)) == (0, {"ok": True, "reasons": [], "violations": []})
    with open(os.path.join(place, "out", RUN_ID, "summary.md"), "ab") as file:
        file.write(b"x")
    judged = affidavit("promotion-verify", "packet.json", cwd=place)
    assert judged.status == 1
    assert "bundle_integrity_unverified" in answer(judged.out)["reasons"]
    assert affidavit(*emit, cwd=place).status == 0
    refused = affidavit(*emit, "--require-promotable", cwd=place)
    assert (refused.status, refused.out) == (1, b"")
    assert answer(refused.err)["code"] == "promotion.refused"


def test_a_clean_unit_is_good_enough_where_that_is_said(place: str) -> None:
    commit(os.path.join(place, "out"), channel="systemd_clean")
    emit = ("emit-promotion", "--bundle", "out", "--out", "packet.json", "--require-promotable")
    assert affidavit(*emit, cwd=place).status == 1
    accepting = ("--accept-channel", "systemd_clean")
    assert affidavit(*emit, *accepting, cwd=place).status == 0
    assert affidavit("promotion-verify", "packet.json", cwd=place).status == 1
    assert affidavit("promotion-verify", *accepting, "packet.json", cwd=place).status == 0
    assert affidavit(*emit, "--accept-channel", "direct", cwd=place).status == 3


def test_no_run_is_2_and_no_bundle_named_is_3(place: str) -> None:
    assert affidavit("emit-promotion", "--bundle", "none", "--out", "p.json", cwd=place).status == 2
    assert affidavit("emit-promotion", "--bundle", ".", "--out", "p.json", cwd=place).status == 2
    assert affidavit("emit-promotion", "--out", "p.json", cwd=place).status == 3
    assert affidavit("promotion-verify", "p.json", cwd=place).status == 2


def test_a_person_reads_each_reason(place: str) -> None:
    commit(os.path.join(place, "out"), channel="direct")
    shown = on_terminal("emit-promotion", "--bundle", "out", "--out", "packet.json", cwd=place).out
    assert b"may not be promoted, 1 reason" in shown
    assert MEANINGS["not_clean_channel"].encode() in shown
    assert b"not_clean_channel" in on_terminal("promotion-verify", "packet.json", cwd=place).out


def test_status_tells_the_channels_and_the_runs(place: str) -> None:
    commit(os.path.join(place, "out"))
    told = answer(affidavit("status", "out", cwd=place).out)
    assert told["schema_version"] == "runtime-tools.status.v0.1"
    assert told["channels"]["direct"] == {"available": True, "reason": None}
    assert told["channels"]["launchd_clean"]["available"] is False
    assert told["out"]["latest"] == RUN_ID
    assert [run["state"] for run in told["out"]["runs"]] == ["complete"]
    assert RUN_ID.encode() in on_terminal("status", "out", cwd=place).out

"""Replay of what the harness ran: from the run's directory and from a pack, and what is missing where it cannot be."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.harness.run import run_intent
from affidavit.replay.harness import replay_harness
from affidavit.replay.normalise import Normalisers
from tests.support.cli import affidavit
from tests.support.engine_folders import write

if TYPE_CHECKING:
    from pathlib import Path

    from affidavit.replay.result import Replayed

_SORT = "sort in.txt | tee out/sorted.txt"


def intent(*commands: str, **more: Any) -> bytes:
    argvs = [{"id": f"c{n}", "argv": ["sh", "-c", command], **more} for n, command in enumerate(commands)]
    return canonical({"goal": "Run the declared commands.", "context": {"work": {"commands": argvs}}})


POLICY: dict[str, Any] = {
    "name": "replayable",
    "allow_network": False,
    "timeout_ms": 60000,
    "max_output_files": 100,
    "max_total_output_bytes": 1_000_000,
    "allowed_commands": ["sh", "sort", "tee", "cat", "date", "printenv", "mkdir", "ls"],
    "allowed_write_roots": ["out"],
}


def workspace(tmp_path: Path) -> str:
    place = tmp_path / "workspace"
    place.mkdir()
    write(str(place), "in.txt", b"b\na\n")
    return str(place)


def ran(tmp_path: Path, given: bytes, **more: Any) -> tuple[str, str]:
    """A committed execution and the workspace that it began with."""
    place = workspace(tmp_path)
    out = tmp_path / "runs"
    finished = run_intent(given, policy=POLICY, mode="execute-sandbox", out=out, workspace=place, **more)
    assert finished.accepted, finished.result["decision"]
    return str(out), place


def verdicts(replayed: Replayed) -> dict[str, str]:
    assert replayed.outcome is not None, replayed.as_json()
    return {one.name: one.verdict for one in replayed.outcome.compared}


@pytest.mark.sandbox
def test_a_run_that_does_the_same_is_identical_in_everything_it_left(tmp_path: Path) -> None:
    replayed = replay_harness(*ran(tmp_path, intent(_SORT, "cat out/sorted.txt")), times=2)
    assert replayed.verdict == "identical"
    assert set(verdicts(replayed)) == {"stdout", "stderr", "outputs/out/sorted.txt", "results"}
    assert os.listdir(tmp_path / "workspace") == ["in.txt"]


@pytest.mark.sandbox
def test_another_workspace_is_another_result_and_the_line_is_told(tmp_path: Path) -> None:
    out, place = ran(tmp_path, intent(_SORT))
    write(place, "in.txt", b"c\na\n")
    replayed = replay_harness(out, place)
    assert replayed.verdict == "different"
    assert replayed.outcome is not None
    told = {one.name: (one.place, one.sealed, one.replayed) for one in replayed.outcome.compared if one.place}
    assert told == dict.fromkeys(("stdout", "outputs/out/sorted.txt"), ("line 2", "b", "c"))
    assert [cause.name for cause in replayed.outcome.causes] == ["conditions"]


@pytest.mark.sandbox
def test_the_clock_of_a_command_is_found(tmp_path: Path) -> None:
    replayed = replay_harness(*ran(tmp_path, intent("date +%s.%N >out/when.txt")))
    assert replayed.verdict == "different"
    assert replayed.outcome is not None
    assert [cause.name for cause in replayed.outcome.causes] == ["time"]


@pytest.mark.sandbox
def test_what_it_silently_depends_on_is_found(tmp_path: Path) -> None:
    out, place = ran(tmp_path, intent("date -d @0 +%H >out/hour.txt"))
    assert replay_harness(out, place).verdict == "identical"
    varied = replay_harness(out, place, vary=["tz", "uid", "cwd"])
    assert varied.verdict == "different"
    assert varied.outcome is not None
    assert [cause.name for cause in varied.outcome.causes] == ["tz"]
    assert list(varied.outcome.not_varied) == ["cwd"]


@pytest.mark.sandbox
def test_lines_in_another_order_are_equivalent_when_that_was_declared(tmp_path: Path) -> None:
    out, place = ran(tmp_path, intent("cat in.txt"))
    write(place, "in.txt", b"a\nb\n")
    assert replay_harness(out, place).verdict == "different"
    assert replay_harness(out, place, normalisers=Normalisers(["line-order"])).verdict == "equivalent"


@pytest.mark.sandbox
def test_a_variable_that_was_given_is_missing_until_it_is_given_again(tmp_path: Path) -> None:
    out, place = ran(tmp_path, intent("printenv WHO >out/who.txt"), environment={"WHO": "me"})
    lacking = replay_harness(out, place)
    assert (lacking.verdict, lacking.missing) == ("not_replayable", ["the variable WHO: give it by --env WHO=VALUE"])
    assert replay_harness(out, place, environment={"WHO": "me"}).verdict == "identical"
    assert replay_harness(out, place, environment={"WHO": "you"}).verdict == "different"


@pytest.mark.sandbox
def test_a_pack_is_replayed_by_its_digests(tmp_path: Path) -> None:
    out, place = ran(tmp_path, intent(_SORT))
    exported = affidavit("pack-export", out, "--out", "pack", cwd=str(tmp_path))
    assert exported.status == 0, exported
    assert replay_harness(tmp_path / "pack", place).verdict == "identical"
    write(place, "in.txt", b"z\n")
    replayed = replay_harness(tmp_path / "pack", place)
    assert replayed.verdict == "different"
    assert replayed.outcome is not None
    assert {one.place for one in replayed.outcome.compared if one.verdict == "different"} == {"/sha256"}


def test_a_decision_is_made_again(tmp_path: Path) -> None:
    goal = canonical({"goal": "Deploy to TBD."})
    run_intent(goal, out=tmp_path / "runs")
    replayed = replay_harness(tmp_path / "runs", vary=["tz"])
    assert (replayed.verdict, replayed.what) == ("identical", "decision")
    assert set(verdicts(replayed)) == {"kind", "bundle.json"}
    assert replayed.outcome is not None
    assert list(replayed.outcome.not_varied) == ["tz"]
    assert affidavit("pack-export", "runs", "--out", "pack", cwd=str(tmp_path)).status == 0
    lacking = replay_harness(tmp_path / "pack")
    assert (lacking.verdict, len(lacking.missing)) == ("not_replayable", 1)


def test_what_does_not_verify_is_not_replayed(tmp_path: Path) -> None:
    finished = run_intent(canonical({"goal": "Deploy to TBD."}), out=tmp_path / "runs")
    assert affidavit("pack-export", "runs", "--out", "pack", cwd=str(tmp_path)).status == 0
    write(str(tmp_path / "pack"), "bundle.json", b"{}")
    replayed = replay_harness(tmp_path / "pack")
    assert (replayed.verdict, replayed.checks[0].status) == ("not_replayable", "fail")
    write(finished.directory, "bundle.json", b"{}")
    assert affidavit("replay", str(tmp_path / "runs")).status == 2


@pytest.mark.sandbox
def test_without_its_workspace_a_run_says_so(tmp_path: Path) -> None:
    out, place = ran(tmp_path, intent(_SORT))
    told = affidavit("replay", out)
    body: Any = read(told.out)
    assert (told.status, body["verdict"]) == (2, "not_replayable")
    assert "--workspace" in body["missing"][0]
    again = affidavit("replay", out, "--workspace", place, timeout=120)
    assert again.status == 0, again
    assert affidavit("replay", out, "--engine", place).status == 3

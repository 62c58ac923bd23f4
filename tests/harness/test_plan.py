"""Plan-only runs: what is decided is committed and executes nothing (seed 000; contracts 2.2, 2.9)."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.artifact_index import verify_artifact_index
from affidavit.contracts.bundle import verify_bundle
from affidavit.contracts.intent import EXAMPLE
from affidavit.contracts.ledger import verify_ledger
from affidavit.contracts.run import canonical_subset, verify_run
from affidavit.contracts.run_status import verify_run_status
from affidavit.harness.errors import RunError
from affidavit.harness.identity import Clock, new_run_id
from affidavit.harness.intent import public_path
from affidavit.harness.result import require_sound
from affidavit.harness.run import run_intent
from tests.support.cli import affidavit, environment, on_terminal

if TYPE_CHECKING:
    from pathlib import Path

BUNDLE = EXAMPLE
CLARIFY = {"goal": "Deploy to TBD.", "constraints": ["Logs must be kept", "Logs must not be kept"]}
REFUSE = {"goal": "Fetch it.", "context": {"work": {"commands": [{"id": "get", "argv": ["curl", "x"]}]}}}
OUTCOMES = {"BUNDLE": BUNDLE, "CLARIFY": CLARIFY, "REFUSE": REFUSE}


def written(place: Path, intent: Any, name: str = "intent.json") -> str:
    (place / name).write_bytes(canonical(intent))
    return name


def document(path: Path | str) -> Any:
    with open(path, "rb") as file:
        return read(file.read())


def only_run(out: Path) -> Path:
    (found,) = [entry for entry in out.iterdir() if entry.is_dir()]
    return found


@pytest.mark.parametrize("kind", OUTCOMES)
def test_each_outcome_is_emitted_and_committed(kind: str, tmp_path: Path) -> None:
    intent = written(tmp_path, OUTCOMES[kind])
    ran = affidavit("run", intent, cwd=str(tmp_path))
    assert (ran.status, ran.err) == (0 if kind == "BUNDLE" else 1, b"")
    result: Any = read(ran.out)
    assert ran.out == canonical(result) + b"\n"
    assert verify_run(result, level="strict").ok
    assert result["kernel_result_kind"] == kind
    assert result["decision"]["accepted"] is (kind == "BUNDLE")
    assert result["execution"] is None
    out = tmp_path / ".affidavit"
    directory = only_run(out)
    assert directory.name == result["run_id"]
    assert (directory / "run.json").read_bytes() == ran.out
    assert (directory / "intent.json").read_bytes() == (tmp_path / intent).read_bytes()
    assert document(directory / "policy.json") == result["policy"]
    assert (directory / "bundle.json").exists() == (kind != "REFUSE")
    assert (out / "LATEST").read_text() == result["run_id"] + "\n"
    index = document(directory / "artifact_index.json")
    assert verify_artifact_index(index, level="strict").ok
    assert (index["status"], index["missing"]) == ("ok", [])
    status = document(directory / "run_status.json")
    assert verify_run_status(status, level="strict").ok
    assert (status["state"], status["plan_id"], status["channel"]) == ("complete", "harness", "direct")
    assert "sha256:" + status["plan_digest"] == result["intent"]["sha256"]
    lines = (out / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    assert verify_ledger(lines, level="strict").ok
    entry: Any = read(lines[0])
    assert (entry["run_id"], entry["result_kind"]) == (result["run_id"], kind)


def test_the_result_names_intent_and_bundle_by_their_hashes(tmp_path: Path) -> None:
    raw = b'{ "goal" : "Say hello." }\n\n'
    (tmp_path / "i.json").write_bytes(raw)
    finished = run_intent(tmp_path / "i.json", out=tmp_path / "out")
    assert finished.result["intent"] == {"path": "i.json", "sha256": "sha256:" + hashlib.sha256(raw).hexdigest()}
    stored = (tmp_path / "out" / finished.result["run_id"] / "bundle.json").read_bytes()
    assert finished.result["bundle"]["sha256"] == "sha256:" + hashlib.sha256(stored).hexdigest()
    assert verify_bundle(read(stored), level="strict").ok
    assert finished.accepted


def test_the_fixed_reasons(tmp_path: Path) -> None:
    def reasons(intent: Any) -> list[str]:
        told: list[str] = run_intent(canonical(intent), out=tmp_path).result["decision"]["reasons"]
        return told

    assert reasons(BUNDLE) == ["Plan-only mode: no execution"]
    assert reasons(CLARIFY) == ["Clarification needed before execution"]
    (reason,) = reasons(REFUSE)
    assert reason.startswith("Kernel refused: PL6: /context/work/commands/0/argv/0: ")


def test_a_command_line_is_an_intent_and_never_a_reason_to_ask(tmp_path: Path) -> None:
    words = ("run", "--mode", "plan-only", "--", "frobnicate", "--json", "TBD", "--", "either a or b")
    ran = affidavit(*words, cwd=str(tmp_path))
    assert (ran.status, ran.err) == (0, b"")
    result: Any = read(ran.out)
    assert (result["kernel_result_kind"], result["policy"]["name"]) == ("BUNDLE", "dev")
    intent = document(only_run(tmp_path / ".affidavit") / "intent.json")
    assert intent["goal"] == "Run the declared command."
    (command,) = intent["context"]["work"]["commands"]
    assert command["argv"] == list(words[4:])


def test_RUN_E001_the_file_cannot_be_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("nowhere.json", ".", "fifo", "/dev/zero"):
        error = failed(tmp_path, "run", name)
        assert error["code"] == "RUN_E001"
        assert name in error["message"]


def test_RUN_E002_the_file_is_not_strict_json(tmp_path: Path) -> None:
    for raw in (b"", b"{", b'{"goal":"a","goal":"b"}', b'\xef\xbb\xbf{"goal":"a"}', b'{"goal":"\xff"}', b"{} {}"):
        (tmp_path / "i.json").write_bytes(raw)
        error = failed(tmp_path, "run", "i.json")
        assert error["code"] == "RUN_E002"
        assert "offset" in error["details"]


@pytest.mark.parametrize(
    ("intent", "pointer"),
    [
        ({}, "/goal"),
        ({"goal": " \u3000\n"}, "/goal"),
        ({"goal": 1}, "/goal"),
        ([], ""),
        ({"goal": "x", "gaol": "y"}, "/gaol"),
        ({"goal": "x", "constraints": "y"}, "/constraints"),
        ({"goal": "x", "context": {"work": {"command": []}}}, "/context/work/command"),
        (
            {"goal": "x", "context": {"work": {"commands": [{"id": "a", "argv": "ls"}]}}},
            "/context/work/commands/0/argv",
        ),
    ],
)
def test_RUN_E003_the_intent_is_not_valid(intent: Any, pointer: str, tmp_path: Path) -> None:
    error = failed(tmp_path, "run", written(tmp_path, intent))
    assert error["code"] == "RUN_E003"
    assert error["details"]["pointer"] == pointer


def test_RUN_E004_the_profile_is_unknown_or_invalid(tmp_path: Path) -> None:
    intent = written(tmp_path, BUNDLE)
    (tmp_path / "bad.json").write_bytes(b'{"name":"dev","allow_network":true}')
    (tmp_path / "torn.json").write_bytes(b"{")
    for words, rule in (
        (("--policy", "lax"), "PL1"),
        (("--policy-file", "bad.json"), "PL2"),
        (("--policy-file", "torn.json"), None),
        (("--policy-file", "nowhere.json"), None),
    ):
        error = failed(tmp_path, "run", *words, intent)
        assert error["code"] == "RUN_E004"
        assert error.get("rule_id") == rule


def failed(place: Path, *words: str) -> Any:
    """The one error line of a run that leaves nothing behind."""
    ran = affidavit(*words, cwd=str(place))
    assert (ran.status, ran.out) == (2, b"")
    error: Any = read(ran.err)
    assert ran.err == canonical(error) + b"\n"
    assert set(error) <= {"code", "message", "rule_id", "details"}
    assert not (place / ".affidavit").exists()
    return error


def test_a_built_in_name_stands_for_nothing_else(tmp_path: Path) -> None:
    for name in ("strict", "default", "dev"):
        profile = {**run_intent(canonical(BUNDLE), policy=name, out=tmp_path).result["policy"], "allow_network": True}
        with pytest.raises(RunError) as caught:
            run_intent(canonical(BUNDLE), policy=profile, out=tmp_path)
        assert (caught.value.code, caught.value.rule_id) == ("RUN_E004", "PL7")
        own = {**profile, "name": "mine"}
        assert run_intent(canonical(BUNDLE), policy=own, out=tmp_path).result["policy"] == own


def test_RUN_E007_a_result_that_breaks_a_rule_is_never_emitted(tmp_path: Path) -> None:
    sound = run_intent(canonical(BUNDLE), out=tmp_path).result
    require_sound(sound)
    for edit, rule in (
        ({"run_schema_version": ""}, "RS1"),
        ({"kernel_result_kind": "MAYBE"}, "RS2"),
        ({"refuse_reason": "no"}, "RS3"),
        ({"intent": {**sound["intent"], "sha256": "0"}}, "RS4"),
        ({"policy": {**sound["policy"], "timeout_ms": 1}}, "RS5"),
        ({"intent": {**sound["intent"], "path": "/home/me/i.json"}}, "RS6"),
        ({"note": float("nan")}, "RS7"),
        ({"decision": {**sound["decision"], "validated_by_kernel": False}}, "RS8"),
    ):
        with pytest.raises(RunError) as caught:
            require_sound({**sound, **edit})
        assert (caught.value.code, caught.value.rule_id) == ("RUN_E007", rule)


def test_an_out_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_bytes(b"")
    ran = affidavit("run", "--out", "out/runs", written(tmp_path, BUNDLE), cwd=str(tmp_path))
    assert (ran.status, ran.out) == (2, b"")
    error: Any = read(ran.err)
    assert error["code"] == "RUN_E007"
    assert error["details"]["cause"].startswith("WRITE_")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("intent.json", "intent.json"),
        ("./a/../b/intent.json", "b/intent.json"),
        ("/home/me/intent.json", "intent.json"),
        ("../../intent.json", "intent.json"),
        ("c:\\intent.json", "intent.json"),
        ("a/\udcff", "intent.json"),
        ("/", "intent.json"),
        ("-", "-"),
    ],
)
def test_RS6_where_the_intent_lay_is_told_without_telling_of_the_host(given: str, told: str) -> None:
    assert public_path(given) == told


def test_an_intent_from_standard_input(tmp_path: Path) -> None:
    ran = affidavit("run", "-", stdin=canonical(BUNDLE), cwd=str(tmp_path))
    assert ran.status == 0
    assert document(only_run(tmp_path / ".affidavit") / "run.json")["intent"]["path"] == "-"


def test_a_file_and_a_command_or_neither_is_wrong_usage(tmp_path: Path) -> None:
    for words in (("run",), ("run", "i.json", "--", "ls"), ("run", "--")):
        ran = affidavit(*words, cwd=str(tmp_path))
        assert ran.status == 2
        assert read(ran.err)["code"] == "USAGE"  # type: ignore[call-overload,index]


@pytest.mark.parametrize("kind", OUTCOMES)
def test_the_canonical_subset_is_the_same_wherever_it_is_made(kind: str, tmp_path: Path) -> None:
    found = set()
    for name, env in (("a", {"PYTHONHASHSEED": "0"}), ("b", {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR", "TZ": "EST"})):
        place = tmp_path / name
        place.mkdir()
        intent = written(place, OUTCOMES[kind], f"{name}.json")
        ran = affidavit("run", intent, cwd=str(place), env=environment(HOME=str(place), **env))
        found.add(canonical(canonical_subset(read(ran.out))))  # type: ignore[arg-type]
    assert len(found) == 1


def test_a_person_reads_what_to_do_next(tmp_path: Path) -> None:
    shown = {
        kind: on_terminal("run", "--color=never", written(tmp_path, intent), cwd=str(tmp_path)).out.decode()
        for kind, intent in OUTCOMES.items()
    }
    assert "accepted: this can be done; nothing was executed" in shown["BUNDLE"]
    assert "work/commands/build.json" in shown["BUNDLE"]
    assert "2 questions to answer first" in shown["CLARIFY"]
    assert 'by the constraint "TBD = ' in shown["CLARIFY"]
    assert "choose a profile that allows it" in shown["REFUSE"]
    assert all("evidence  .affidavit/hr_" in told for told in shown.values())
    error = on_terminal("run", "--color=never", "nowhere.json", cwd=str(tmp_path)).out
    assert error == b"affidavit: nowhere.json: No such file or directory\n"


def test_run_ids_are_unique_and_tell_the_time() -> None:
    assert new_run_id(0).startswith("hr_0_")
    assert new_run_id(36**3).startswith("hr_1000_")
    clock = Clock()
    assert len({new_run_id(clock.started_ms) for _ in range(1000)}) == 1000
    assert clock.after(clock.elapsed_ms) >= clock.started()

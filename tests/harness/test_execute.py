"""Executed runs: what was done is evidence, whatever came of it (contracts 2.2, 2.4, 2.5, 2.9)."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.artifact_index import verify_artifact_index
from affidavit.contracts.evidence import EXAMPLE as EVIDENCE
from affidavit.contracts.patch import EXAMPLE as PATCH
from affidavit.contracts.policy import built_in
from affidavit.contracts.proposal import EXAMPLE as PROPOSAL
from affidavit.harness import execute
from affidavit.harness.errors import RunError
from affidavit.harness.evidence import require_sound_evidence, require_sound_patch
from affidavit.harness.intent import parse_intent
from affidavit.harness.request import Request
from affidavit.harness.run import perform, run_intent
from affidavit.sandbox.runner import run as sandbox_run
from affidavit.store.reader import load_bundle, validate
from tests.support.harness import Run, acceptance, command, executed, file, limited, shell
from tests.support.runs import rewrite

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox


def sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()


def test_a_command_runs_in_a_copy_and_leaves_evidence(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "source").write_bytes(b"hello")
    script = "tr a-z A-Z <source >made; rm source; echo said; echo complained >&2"
    run = executed(tmp_path, commands=[shell("shout", script)])
    assert (run.accepted, run.reasons) == (True, ["All required actions and tests succeeded"])
    assert sorted(os.listdir(work)) == ["source"]
    assert (work / "source").read_bytes() == b"hello"
    assert run.outputs == {"made": b"HELLO"}
    (output,) = run.execution["outputs"]
    assert output == {"path": "made", "sha256": sha256(b"HELLO"), "size_bytes": 5, "mode": "0644"}
    assert (run.stdout, run.stderr) == (b"said\n", b"complained\n")
    assert run.execution["stdout_sha256"] == sha256(b"said\n")
    assert run.execution["stderr_sha256"] == sha256(b"complained\n")
    assert run.execution["cmd"] == ["sh", "-c", script]
    assert run.execution["exit_code"] == 0
    evidence = run.document("evidence.json")
    assert evidence["action_results"] == [
        {"path": "source", "action": "delete", "sha256": sha256(b"hello"), "exit_code": 0}
    ]
    (result,) = evidence["test_results"]
    assert (result["test_id"], result["passed"], result["stdout_sha256"]) == ("shout", True, sha256(b"said\n"))
    assert evidence["working_dir"] == "."
    assert run.document("patch.json")["operations"] == []
    assert run.document("runner.json")["sandbox"]["network_blocked"] is True
    index = run.document("artifact_index.json")
    assert verify_artifact_index(index, level="strict").ok
    assert (index["status"], index["missing"]) == ("ok", [])
    assert {entry["path"].rpartition(run.directory.name + "/")[2] for entry in index["artifacts"]} == {
        "run.json", "bundle.json", "policy.json", "intent.json", "run_status.json", "runner.json", "evidence.json",
        "patch.json", "stdout", "stderr", "outputs/made",
    }  # fmt: skip
    assert [name for name in os.listdir(tmp_path / "out") if name.startswith(".affidavit")] == []


def test_files_then_commands_in_order_then_tests(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "old").write_bytes(b"old\n")
    (work / "gone").write_bytes(b"gone\n")
    run = executed(
        tmp_path,
        files=[file("new", "new\n"), file("old", "changed\n", "modify"), file("gone", op="delete")],
        commands=[
            shell("z-first", "cat new old >one; test ! -e gone; echo first"),
            shell("a-second", "cat one one >two; echo second"),
        ],
        tests=[
            acceptance("ran", "command_success", "z-first"),
            acceptance("is-there", "file_exists", "two"),
            acceptance("hash", "hash_match", "one", sha256(b"new\nchanged\n")),
            acceptance("says", "content_match", "two", "changed\nnew"),
        ],
    )
    assert run.accepted, run.reasons
    assert run.stdout == b"first\nsecond\n"
    assert run.execution["stdout_sha256"] == sha256(run.stdout)
    assert run.execution["cmd"][0] == "proposal"
    assert set(run.outputs) == {"new", "old", "one", "two"}
    evidence = run.document("evidence.json")
    assert [(done["path"], done["action"]) for done in evidence["action_results"]] == [
        ("gone", "delete"),
        ("new", "create"),
        ("old", "modify"),
    ]
    assert [result["test_id"] for result in evidence["test_results"]] == [
        "z-first", "a-second", "hash", "is-there", "ran", "says",
    ]  # fmt: skip
    assert evidence["status"] == "complete"
    patch = run.document("patch.json")
    assert [(done["op"], done["path"]) for done in patch["operations"]] == [
        ("delete", "gone"),
        ("create", "new"),
        ("modify", "old"),
    ]
    assert {done["path"]: done["expected_hash"] for done in patch["operations"]} == {
        done["path"]: done["sha256"] for done in evidence["action_results"]
    }


def test_nothing_to_execute_is_accepted(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[])
    assert (run.accepted, run.reasons, run.execution["exit_code"]) == (True, ["Nothing to execute"], 0)
    assert run.execution["cmd"][0] == "proposal"
    assert run.execution["stdout_sha256"] == sha256(b"")


def test_files_alone_need_no_runner(tmp_path: Path) -> None:
    run = executed(tmp_path, files=[file("out/a", "text")], tests=[acceptance("t", "file_exists", "out/a")])
    assert run.accepted
    assert run.outputs == {"out/a": b"text"}
    assert not (run.directory / "runner.json").exists()
    assert run.document("artifact_index.json")["missing"] == []


def test_a_failing_command_ends_the_run_and_is_recorded(tmp_path: Path) -> None:
    run = executed(
        tmp_path,
        commands=[shell("one", "echo made >a; exit 3"), command("two", "true")],
        tests=[acceptance("t", "file_exists", "a"), acceptance("u", "command_success", "two")],
    )
    assert (run.accepted, run.execution["exit_code"]) == (False, 3)
    assert run.reasons[:2] == ['Command "one" ended with 3', 'Command "two" was not run']
    assert run.outputs == {"a": b"made\n"}
    assert [result["test_id"] for result in run.document("evidence.json")["test_results"]] == ["one", "t", "u"]
    assert run.document("evidence.json")["status"] == "failed"


def test_an_optional_failure_leaves_the_run_accepted(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[command("lint", "false", required=False), command("build", "true")])
    assert (run.accepted, run.execution["exit_code"]) == (True, 0)
    assert run.reasons[1] == 'Optional: Command "lint" ended with 1'
    assert run.document("evidence.json")["status"] == "partial"


@pytest.mark.parametrize(
    ("test", "passes"),
    [
        (acceptance("t", "file_exists", "absent"), False),
        (acceptance("t", "file_exists", "folder"), False),
        (acceptance("t", "file_exists", "link"), False),
        (acceptance("t", "file_exists", "out/passwd"), False),
        (acceptance("t", "file_exists", "file"), True),
        (acceptance("t", "hash_match", "file", sha256(b"other")), False),
        (acceptance("t", "content_match", "file", "he\u00e9llo"), False),
        (acceptance("t", "content_match", "file", "\u00e9l"), True),
        (acceptance("t", "content_match", "file", ""), True),
        (acceptance("t", "content_match", "latin", "l"), False),
    ],
)
def test_tests_are_judged_on_what_is_there(test: dict[str, Any], passes: bool, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / "folder").mkdir(parents=True)
    (work / "file").write_bytes("h\u00e9llo".encode())
    (work / "latin").write_bytes(b"h\xe9llo")
    (work / "link").symlink_to("file")
    (work / "out").symlink_to("/etc")
    run = executed(tmp_path, commands=[command("c", "true")], tests=[test])
    assert run.accepted == passes
    if not passes:
        assert run.reasons[0].startswith('Test "t" failed: ')
        assert run.execution["exit_code"] == 1


def test_text_across_the_pieces_in_which_it_is_read_is_found(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "large").write_bytes(b"x" * ((1 << 20) - 3) + "needl\u00e9".encode() + b"y" * 100)
    tests = [acceptance("t", "content_match", "large", "needl\u00e9y")]
    assert executed(tmp_path, commands=[command("c", "true")], tests=tests).accepted


def test_a_declared_operation_that_cannot_be_done_ends_the_run(tmp_path: Path) -> None:
    run = executed(tmp_path, files=[file("absent", "x", "modify")], commands=[shell("c", "echo ran >ran")])
    assert (run.accepted, run.execution["exit_code"]) == (False, 1)
    assert any('"absent": modify: ' in reason for reason in run.reasons)
    assert 'Command "c" was not run' in run.reasons
    assert run.outputs == {}


def test_a_time_limit_is_for_all_commands_together(tmp_path: Path) -> None:
    run = executed(
        tmp_path,
        policy=limited(timeout_ms=1000),
        commands=[shell("slow", "echo before; sleep 600"), command("never", "true")],
    )
    assert (run.accepted, run.execution["exit_code"]) == (False, 124)
    assert run.reasons[:2] == [
        'Command "slow" ended with 124: it ran out of time (PL6: timeout_ms)',
        'Command "never" was not run',
    ]
    assert run.stdout == b"before\n"
    assert run.document("runner.json")["exit"]["timeout_killed"] is True


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[command("c", "no-such-program")])
    assert (run.accepted, run.execution["exit_code"]) == (False, 127)
    assert run.reasons[0] == 'Command "c" ended with 127: no program "no-such-program" in the sandbox'


def test_what_a_signal_ended_is_told(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[shell("c", "kill -TERM $$")])
    assert (run.execution["exit_code"], run.reasons[0]) == (143, 'Command "c" ended with 143: signal 15')
    assert run.document("runner.json")["exit"]["signal"] == "SIGTERM"


def test_standard_input_and_variables_reach_the_commands(tmp_path: Path) -> None:
    run = executed(
        tmp_path,
        options={"stdin": b"given", "environment": {"MORE": "b"}},
        commands=[
            shell("one", 'cat; echo " $OWN$MORE"', stdin="declared", env={"OWN": "a"}),
            shell("two", 'cat; echo " $OWN$MORE"'),
            shell("three", "cat"),
        ],
    )
    assert run.stdout == b"declared ab\ngiven b\n"
    assert {"OWN", "MORE"} <= set(run.document("runner.json")["context"]["env_allowlist"])


def test_nothing_of_the_callers_environment_gets_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAK", "leaked")
    run = executed(tmp_path, commands=[command("c", "env")])
    assert b"leaked" not in run.stdout
    assert str(tmp_path).encode() not in run.stdout


def test_what_the_workspace_left_out_is_named_by_the_runner(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    os.mkfifo(tmp_path / "work" / "fifo")
    run = executed(tmp_path, commands=[command("c", "ln", "-s", "/etc", "link"), shell("d", "ls /home/me || true")])
    assert "workspace.skipped fifo: a FIFO" in run.warnings
    assert "output.left_out link: a symlink" in run.warnings
    assert run.outputs == {}
    run = executed(tmp_path, commands=[command("c", "ls", "/usr", "/home/me", required=False)])
    assert "command.absolute_path c: the host is not visible inside" in run.warnings


#: Names that are legal on Linux and trouble everywhere: each is an output like any other.
ODD = (
    "a\nb",
    "a\x1b[2Jb",
    "back\\slash",
    "-rf",
    " blank ",
    "run.json",
    "'\"$(x)`",
    "%s",
    "\u202e\u2066",
    "n" * 255,
)


def test_outputs_of_any_name_are_kept_under_that_name(tmp_path: Path) -> None:
    names = [*ODD, "/".join(["d" * 200] * 12) + "/deep"]
    script = "const fs = require('fs'); for (const name of JSON.parse(process.argv[1])) {"
    script += " const at = name.lastIndexOf('/'); if (at > 0) fs.mkdirSync(name.slice(0, at), {recursive: true});"
    script += " fs.writeFileSync(name, name) }"
    told = canonical(names).decode()
    run = executed(tmp_path, commands=[command("c", "node", "-e", script, told)])
    assert run.accepted, (run.reasons, run.stderr)
    assert run.outputs == {name: name.encode() for name in names}
    assert verify_artifact_index(run.document("artifact_index.json"), level="strict").ok
    assert load_bundle(str(run.directory)).run_id == run.directory.name


def test_a_name_that_climbs_on_another_system_is_left_out_and_named(tmp_path: Path) -> None:
    run = executed(tmp_path, commands=[shell("c", "touch '..\\up' fine")])
    assert set(run.outputs) == {"fine"}
    assert "output.left_out ..\\up: a name that climbs elsewhere" in run.warnings


def test_an_out_folder_that_is_a_write_root_is_refused(tmp_path: Path) -> None:
    intent = canonical({"goal": "x", "context": {"work": {"commands": [command("c", "node", "-v")]}}})
    run_intent(intent, policy="strict", mode="execute-sandbox", workspace=tmp_path, out=tmp_path / "runs")
    with pytest.raises(RunError, match="the write root out of policy strict is a folder of runs") as caught:
        run_intent(intent, policy="strict", mode="execute-sandbox", workspace=tmp_path, out=tmp_path / "out")
    assert caught.value.details["cause"] == "WRITE_ROOT_IS_OUT"


def test_RUN_E005_the_run_is_committed_as_failed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "out").symlink_to("/etc")
    with pytest.raises(RunError) as caught:
        executed(tmp_path, policy="strict", commands=[command("c", "node", "-v")])
    assert caught.value.code == "RUN_E005"
    (directory,) = [entry for entry in (tmp_path / "out").iterdir() if entry.is_dir()]
    status: Any = read((directory / "run_status.json").read_bytes())
    assert status["state"] == "failed"
    assert "RUN_E005" in status["error"]
    assert not (directory / "run.json").exists()
    assert (directory / "intent.json").exists()
    index: Any = read((directory / "artifact_index.json").read_bytes())
    assert index["status"] == "failed"
    assert not (tmp_path / "out" / "ledger.jsonl").exists() or (tmp_path / "out" / "ledger.jsonl").read_bytes() == b""


def test_RUN_E006_unsound_evidence_is_never_judged() -> None:
    require_sound_evidence(EVIDENCE, PROPOSAL)
    for edit, rule in (
        ({"proposal_hash": "sha256:" + "0" * 64}, "EV1"),
        ({"action_results": [{"path": "x"}]}, "EV2"),
        ({"test_results": [{"test_id": "x"}]}, "EV3"),
        ({"status": "failed"}, "EV4"),
    ):
        with pytest.raises(RunError) as caught:
            require_sound_evidence({**EVIDENCE, **edit}, PROPOSAL)
        assert (caught.value.code, caught.value.rule_id) == ("RUN_E006", rule)


def test_RUN_E007_an_unsound_patch_is_never_committed() -> None:
    require_sound_patch(PATCH, built_in("dev"))
    with pytest.raises(RunError) as caught:
        require_sound_patch({**PATCH, "total_bytes": 9}, built_in("dev"))
    assert (caught.value.code, caught.value.rule_id) == ("RUN_E007", "PS7")


def test_nothing_that_ran_goes_unrecorded_when_the_next_command_cannot_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = []

    def run_once(*words: Any, **more: Any) -> Any:
        runs.append(words)
        if len(runs) == 2:
            raise OSError(28, "No space left on device", "/somewhere")
        return sandbox_run(*words, **more)

    monkeypatch.setattr(execute, "run", run_once)
    with pytest.raises(RunError, match="command two could not be run in a sandbox: /somewhere: No space") as caught:
        executed(tmp_path, commands=[shell("one", "echo ran"), command("two", "true")])
    assert caught.value.code == "RUN_E005"
    (directory,) = [entry for entry in (tmp_path / "out").iterdir() if entry.is_dir()]
    evidence: Any = read((directory / "evidence.json").read_bytes())
    assert [result["test_id"] for result in evidence["test_results"]] == ["one"]
    assert evidence["status"] == "partial"
    assert (directory / "runner.json").exists()
    assert (directory / "stdout").read_bytes() == b"ran\n"
    assert not (directory / "run.json").exists()


class AskedToStop:
    """Ctrl-C that was pressed before anything ran."""

    was_asked = True
    descriptor = -1


def test_a_run_that_is_interrupted_before_anything_ran_is_committed_too(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "file").write_bytes(b"x")
    work = {"commands": [command("c", "true")], "tests": [acceptance("t", "file_exists", "file")]}
    intent = parse_intent(canonical({"goal": "x", "context": {"work": work}}))
    request = Request(
        intent,
        built_in("dev"),
        mode="execute-sandbox",
        workspace=str(tmp_path / "work"),
        out=str(tmp_path / "out"),
    )
    finished = perform(request, interrupt=AskedToStop())  # type: ignore[arg-type]  # all that is asked of one
    run = Run(tmp_path / "out" / finished.result["run_id"])
    assert (run.accepted, run.execution["exit_code"]) == (False, 1)
    assert "Interrupted before anything was run" in run.reasons
    assert 'Command "c" was not run' in run.reasons
    assert run.document("evidence.json")["status"] == "partial"


# Secrets


def test_a_secret_that_is_said_piece_by_piece_is_found(tmp_path: Path) -> None:
    script = "const s = process.env.TOKEN; let at = 0; const say = () => { process.stdout.write(s[at++]); "
    script += "if (at < s.length) setTimeout(say, 20); }; say()"
    run = executed(
        tmp_path, options={"secrets": {"TOKEN": "s3cret-value"}}, commands=[command("c", "node", "-e", script)]
    )
    assert (run.accepted, run.stdout) == (True, b"[secret:TOKEN]")


def test_a_secret_stands_in_no_artifact(tmp_path: Path) -> None:
    script = 'printf "%s" "$TOKEN"; printf "a %s b" "$TOKEN" >&2; test ${#TOKEN} = 12'
    run = executed(tmp_path, options={"secrets": {"TOKEN": "s3cret-value"}}, commands=[shell("c", script)])
    assert run.accepted, run.reasons
    assert (run.stdout, run.stderr) == (b"[secret:TOKEN]", b"a [secret:TOKEN] b")
    assert run.execution["stdout_sha256"] == sha256(run.stdout)
    assert_nowhere(tmp_path, b"s3cret-value")
    assert "TOKEN" in run.document("runner.json")["context"]["env_allowlist"]


def test_an_output_that_holds_a_secret_rejects_the_run_and_is_not_kept(tmp_path: Path) -> None:
    script = 'echo "key=$TOKEN" >key; echo fine >fine; echo x >"name-$TOKEN"; ln -s x "link-$TOKEN"'
    run = executed(tmp_path, options={"secrets": {"TOKEN": "s3cret-value"}}, commands=[shell("c", script)])
    assert (run.accepted, run.execution["exit_code"]) == (False, 1)
    assert run.reasons == [
        "Output key holds a secret and is not kept",
        "Output name-[secret:TOKEN] holds a secret and is not kept",
    ]
    assert run.outputs == {"fine": b"fine\n"}
    assert "output.left_out link-[secret:TOKEN]: a symlink" in run.warnings
    assert_nowhere(tmp_path, b"s3cret-value")


def test_an_intent_that_holds_a_secret_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        executed(tmp_path, options={"secrets": {"TOKEN": 'qu"ote'}}, commands=[shell("c", 'echo qu"ote')])
    assert caught.value.code == "RUN_E003"
    assert not (tmp_path / "out").exists()


def assert_nowhere(place: Path, secret: bytes) -> None:
    for path in (place / "out").rglob("*"):
        assert secret not in os.fsencode(path.name)
        if path.is_file():
            assert secret not in path.read_bytes(), path


def test_EV1_evidence_in_a_run_directory_is_of_the_proposal_that_its_bundle_comes_to(tmp_path: Path) -> None:
    """Whoever can write all of a run, index and all, cannot give it the evidence of another."""
    run = executed(tmp_path, commands=[command("c", "true")]).directory
    report = load_bundle(run).report
    assert [left for left in report.not_checked if "EV1" in left.reason] == []
    evidence: Any = read((run / "evidence.json").read_bytes())
    rewrite(run, "evidence.json", canonical({**evidence, "proposal_hash": "sha256:" + "0" * 64}) + b"\n")
    found = [finding for finding in validate(run).findings if finding.within.startswith("EV1")]
    assert [finding.path for finding in found] == ["evidence.json"]

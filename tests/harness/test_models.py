"""Models: asked for what an intent leaves undeclared, recorded, replayed (contracts 2.7, 2.9)."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.model_io import verify_model_io
from affidavit.contracts.policy import built_in
from affidavit.contracts.run import canonical_subset
from affidavit.errors import UsageError
from affidavit.harness.errors import RunError
from affidavit.harness.model_named import adapter_named
from affidavit.harness.model_session import Recording, Replay
from affidavit.harness.model_work import prompt_of
from affidavit.harness.run import run_intent
from tests.support.cli import affidavit, environment
from tests.support.harness import Run
from tests.support.model_server import drip, model_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.model_server import Asked

INTENT = {"goal": "Write a greeting.", "constraints": ["Keep it short"], "context": {"audience": "everybody"}}
WORK = {
    "files": [{"path": "out/hello", "op": "create", "content": "hello\n"}],
    "commands": [{"id": "shout", "argv": ["tr", "a-z", "A-Z"], "stdin": "hello\n"}],
    "tests": [{"id": "there", "type": "content_match", "target": "out/hello", "expected": "hello"}],
}
ANSWER = json.dumps(WORK)
DEV = built_in("dev")


def asked_with(place: Path, name: str, mode: Any, **more: Any) -> Run:
    (place / "work").mkdir(exist_ok=True)
    finished = run_intent(
        canonical(INTENT),
        policy="dev",
        mode="execute-sandbox",
        workspace=place / "work",
        out=place / name,
        model_mode=mode,
        model_recording=place / "recording.json",
        **more,
    )
    return Run(place / name / finished.result["run_id"])


def stub(place: Path, script: str) -> str:
    """The adapter of a program of these lines, which has the prompt in `prompt`."""
    path = place / "model.py"
    path.write_text(f"import sys, os, time\nprompt = sys.stdin.read()\n{script}\n")
    return f"command:{sys.executable} {path}"


# What is recorded is what is replayed


@pytest.mark.sandbox
def test_a_recorded_run_is_replayed_with_the_same_result(tmp_path: Path) -> None:
    with model_server(lambda asked: asked.answer(ANSWER)) as server:
        recorded = asked_with(tmp_path, "a", "record", model_adapter=server.adapter)
        assert len(server.asked) == 1
    # the server is gone
    replays = [asked_with(tmp_path, name, "replay") for name in ("b", "c")]
    assert recorded.accepted
    assert recorded.outputs == {"out/hello": b"hello\n"}
    assert recorded.stdout == b"HELLO\n"
    subsets = [canonical_subset(run.result) for run in (recorded, *replays)]
    assert [subset.pop("model_mode") for subset in subsets] == ["record", "replay", "replay"]
    assert subsets[0] == subsets[1] == subsets[2]
    assert canonical(canonical_subset(replays[0].result)) == canonical(canonical_subset(replays[1].result))
    sessions = [run.document("model_io.json") for run in (recorded, *replays)]
    assert all(verify_model_io(session, level="strict").ok for session in sessions)
    assert sessions[1] == sessions[2]
    assert [session["mode"] for session in sessions] == ["record", "replay", "replay"]
    (interaction,) = sessions[0]["interactions"]
    assert (interaction["response_content"], interaction["tokens_input"], interaction["tokens_output"]) == (
        ANSWER,
        11,
        7,
    )
    assert (tmp_path / "recording.json").read_bytes() == (recorded.directory / "model_io.json").read_bytes()
    assert recorded.document("bundle.json") == replays[0].document("bundle.json")
    assert recorded.document("intent.json") == INTENT
    for run in (recorded, *replays):
        line: Any = read((run.directory.parent / "ledger.jsonl").read_bytes())
        assert line["mode"] == run.result["model_mode"]
        assert run.document("artifact_index.json")["missing"] == []


def test_a_replay_of_another_question_fails_loudly(tmp_path: Path) -> None:
    recorded = {
        "model_io_schema_version": "1.0.0", "adapter_id": "openai", "model_id": "tiny", "mode": "record",
        "interactions": [],
    }  # fmt: skip
    (tmp_path / "recording.json").write_bytes(canonical(recorded))
    with pytest.raises(RunError, match="the recording has no answer") as caught:
        asked_with(tmp_path, "a", "replay")
    assert (caught.value.code, caught.value.details["cause"]) == ("RUN_E005", "MODEL_REPLAY_MISS")
    replay = Replay({**recorded, "interactions": [{"prompt_hash": "sha256:" + "0" * 64, "response_content": "x"}]})
    with pytest.raises(RunError, match="another one"):
        replay.ask("question")
    (directory,) = [entry for entry in (tmp_path / "a").iterdir() if entry.is_dir()]
    status: Any = read((directory / "run_status.json").read_bytes())
    assert status["state"] == "failed"


def test_the_same_answers_come_in_the_same_order(tmp_path: Path) -> None:
    answers = iter(["one", "two", "three"])

    class Model:
        adapter_id = "test"
        model_id = "test"

        def ask(self, _prompt: str) -> Any:
            return type("Answer", (), {"text": next(answers), "tokens_input": None, "tokens_output": None})

    recording = Recording(Model())
    assert [recording.ask("same"), recording.ask("same"), recording.ask("other")] == ["one", "two", "three"]
    replay = Replay(recording.document())
    assert [replay.ask("same"), replay.ask("same")] == ["one", "two"]
    with pytest.raises(RunError):
        replay.ask("same")
    assert replay.ask("other") == "three"
    assert [interaction["i"] for interaction in replay.document()["interactions"]] == [0, 1, 2]
    assert not list(tmp_path.iterdir())


def test_the_question_depends_on_intent_and_policy_alone() -> None:
    spaced = {"constraints": ["  Keep it\tshort ", "Keep it short"], "goal": "Write a greeting.\r\n"}
    assert prompt_of({**INTENT, **spaced}, DEV) == prompt_of(INTENT, DEV)
    assert prompt_of(INTENT, DEV) != prompt_of(INTENT, built_in("strict"))
    assert "audience" in prompt_of(INTENT, DEV)


# What is asked, and when


def test_only_a_clear_intent_that_declares_no_work_is_asked_about(tmp_path: Path) -> None:
    adapter = stub(tmp_path, "open('asked', 'w').close(); print('{}')")
    for number, intent in enumerate(
        (
            {"goal": "TBD"},
            {**INTENT, "context": {"work": WORK}},
            {"goal": "x", "context": {"work": {"files": [{"path": "/etc/x", "op": "delete"}]}}},
        )
    ):
        finished = run_intent(
            canonical(intent),
            policy="dev",
            out=tmp_path / "out",
            model_mode="record",
            model_recording=tmp_path / f"{number}.json",
            model_adapter=adapter,
        )
        session: Any = read((tmp_path / f"{number}.json").read_bytes())
        assert session["interactions"] == []
        assert finished.result["model_mode"] == "record"
    assert not (tmp_path / "asked").exists()


def test_a_model_is_judged_as_the_intent_would_be(tmp_path: Path) -> None:
    work = {"files": [{"path": "/etc/cron.d/x", "op": "create", "content": "x"}]}
    adapter = stub(tmp_path, f"print({json.dumps(json.dumps(work))})")
    finished = run_intent(
        canonical(INTENT),
        policy="dev",
        out=tmp_path / "out",
        model_mode="record",
        model_recording=tmp_path / "r.json",
        model_adapter=adapter,
    )
    assert finished.result["kernel_result_kind"] == "REFUSE"
    assert "PS4" in finished.result["refuse_reason"]


def test_a_model_may_correct_itself_and_is_told_how(tmp_path: Path) -> None:
    answers = ["I would be happy to.", json.dumps({"files": [{"path": "x"}]}), f"```json\n{ANSWER}\n```"]
    with model_server(lambda asked: asked.answer(answers[asked.number])) as server:
        finished = run_intent(
            canonical(INTENT),
            policy="dev",
            out=tmp_path / "out",
            model_mode="record",
            model_recording=tmp_path / "r.json",
            model_adapter=server.adapter,
        )
    assert finished.result["kernel_result_kind"] == "BUNDLE"
    prompts = [body["messages"][0]["content"] for body in server.asked]
    assert prompts[0] == prompt_of(INTENT, DEV)
    assert "That cannot be used: it is not JSON" in prompts[1]
    assert "That cannot be used: /files/0/op: expected" in prompts[2]
    replayed = run_intent(
        canonical(INTENT), policy="dev", out=tmp_path / "b", model_mode="replay", model_recording=tmp_path / "r.json"
    )
    assert replayed.result["bundle"] == finished.result["bundle"]


def test_a_model_that_never_proposes_work_is_an_error_and_its_answers_are_kept(tmp_path: Path) -> None:
    adapter = stub(tmp_path, "print('No.')")
    with pytest.raises(RunError, match="proposed no work that can be read, 3 times") as caught:
        run_intent(
            canonical(INTENT),
            policy="dev",
            out=tmp_path / "out",
            model_mode="record",
            model_recording=tmp_path / "r.json",
            model_adapter=adapter,
        )
    assert caught.value.code == "RUN_E005"
    (directory,) = [entry for entry in (tmp_path / "out").iterdir() if entry.is_dir()]
    session: Any = read((directory / "model_io.json").read_bytes())
    assert [interaction["response_content"] for interaction in session["interactions"]] == ["No.\n"] * 3
    assert not (directory / "run.json").exists()


# The adapter that asks a server


def asks(server_adapter: str, *, key: str = "", timeout: float = 20.0) -> str:
    return adapter_named(server_adapter, key=key, timeout=timeout).ask("question").text


def refuses(behaviour: Any, why: str, *, tries: int = 1, timeout: float = 20.0) -> None:
    with model_server(behaviour) as server:
        with pytest.raises(RunError, match=why) as caught:
            asks(server.adapter, timeout=timeout)
        assert caught.value.code == "RUN_E005"
        assert len(server.asked) == tries


def test_a_server_is_asked_without_streaming_and_without_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")  # nobody's: one on this host is asked directly
    with model_server(lambda asked: asked.answer("42")) as server:
        assert asks(server.adapter, key="key-123") == "42"
    (body,) = server.asked
    assert body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "question"}],
        "stream": False,
        "temperature": 0,
    }
    assert server.headers[0]["authorization"] == "Bearer key-123"


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_server_that_says_later_is_asked_again(status: int) -> None:
    def behave(asked: Asked) -> None:
        if asked.number < 2:
            asked.send(b"later", status=status, retry_after="0")
        else:
            asked.answer("at last")

    with model_server(behave) as server:
        assert asks(server.adapter) == "at last"
    assert len(server.asked) == 3
    refuses(lambda asked: asked.send(b"", status=status, retry_after="0"), f"answered {status} .3 tries", tries=3)


def test_a_server_that_says_much_later_is_not_waited_for() -> None:
    refuses(lambda asked: asked.send(b"", status=429, retry_after="3600"), "answered 429", timeout=5)


@pytest.mark.parametrize("status", [301, 307, 400, 401, 403, 404])
def test_a_server_that_says_no_is_believed_and_no_redirect_is_followed(status: int) -> None:
    elsewhere = {"location": "http://127.0.0.1:1/"}
    refuses(lambda asked: asked.send(b"", status=status, **elsewhere), f"the server answered {status}")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b'{"choices":[{"message":{"content":"a"', "not JSON"),
        (b"[]", "no such member"),
        (b'{"choices":[]}', "no such member"),
        (b'{"choices":[{"message":null}]}', "no such member"),
        (b'{"choices":["x"]}', "no such member"),
        (b'{"choices":[{"message":{"content":null}}]}', "expected text"),
        (b'{"choices":[{"message":{"content":["a"]}}]}', "expected text"),
        (b'{"choices":[{"message":{"content":"\\ud800"}}]}', "not JSON"),
    ],
)
def test_an_answer_that_is_none_is_told(data: bytes, why: str) -> None:
    refuses(lambda asked: asked.send(data), why)


def test_an_answer_that_was_cut_off_is_none() -> None:
    refuses(lambda asked: asked.answer("half", finish_reason="length"), "cut off .finish_reason length")
    refuses(lambda asked: asked.send(b'{"choices":', promise=1000), "RemoteProtocolError", tries=3)


def test_an_answer_that_is_too_long_is_none() -> None:
    refuses(lambda asked: asked.answer("x" * 1_000_001), "MI11")
    refuses(lambda asked: asked.send(b" " * 7_000_000), "expected at most")


def test_a_server_that_is_slow_is_not_waited_for_longer_than_that() -> None:
    done = threading.Event()
    try:
        refuses(lambda _asked: done.wait(60) and None, "nothing within 1 seconds", timeout=1)
    finally:
        done.set()
    refuses(lambda asked: drip(asked, 30), "within 1 seconds", timeout=1)


def test_a_server_that_is_not_there_is_told() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))  # and nobody listens
        with pytest.raises(RunError, match="ConnectError") as caught:
            asks(f"openai:http://127.0.0.1:{held.getsockname()[1]}/v1#tiny")
    assert caught.value.code == "RUN_E005"


@pytest.mark.parametrize(
    "name",
    ["", "tiny", "openai:", "openai:http://x", "openai:#tiny", "openai:ftp://x#y", "openai:http://x#", "command:",
     "command:'", "telnet:x", "openai:http://[::1#x"],
)  # fmt: skip
def test_a_name_that_is_no_adapters_is_wrong_usage(name: str) -> None:
    with pytest.raises(UsageError):
        adapter_named(name)


def test_a_key_is_not_sent_in_the_open() -> None:
    with pytest.raises(UsageError, match="not in the open"):
        adapter_named("openai:http://models.example/v1#tiny", key="key-123")
    adapter_named("openai:https://models.example/v1#tiny", key="key-123")
    adapter_named("openai:http://models.example/v1#tiny")


# The adapter that asks a program


def test_a_program_reads_the_prompt_and_writes_the_answer(tmp_path: Path) -> None:
    adapter = adapter_named(stub(tmp_path, "sys.stdout.write(prompt.upper() * 2)"))
    assert adapter.ask("caf\u00e9 " * 50_000).text == "CAF\u00c9 " * 100_000
    assert (adapter.adapter_id, adapter.model_id) == ("command", os.path.basename(sys.executable))


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("print('oops', file=sys.stderr); sys.exit(3)", "ended with status 3: oops"),
        ("os.kill(os.getpid(), 9)", "status -9"),
        ("time.sleep(600)", "nothing within 2 seconds"),
        ("sys.stdout.close(); os.close(1); time.sleep(600)", "did not end after its answer"),
        ("sys.stdout.write('x' * 1_000_001)", "MI11"),
        ("sys.stdout.buffer.write(b'\\xff')", "UTF-8"),
        ("os.fork() or time.sleep(600)", "nothing within 2 seconds"),
    ],
)
def test_a_program_that_gives_no_answer_is_told(script: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=why) as caught:
        adapter_named(stub(tmp_path, script), timeout=2).ask("x")
    assert caught.value.code == "RUN_E005"


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(RunError, match="No such file"):
        adapter_named("command:no-such-program --x").ask("x")


# The command line


def test_the_key_of_a_server_stands_in_no_artifact(tmp_path: Path) -> None:
    (tmp_path / "i.json").write_bytes(canonical(INTENT))
    env = environment(MODEL_KEY="sk-very-secret")
    with model_server(lambda asked: asked.answer(ANSWER)) as server:
        words = ("--model-mode", "record", "--model-adapter", server.adapter, "--model-key-env", "MODEL_KEY")
        ran = affidavit(
            "run", "--policy", "dev", *words, "--model-recording", "r.json", "i.json", env=env, cwd=str(tmp_path)
        )
        assert ran.status == 0, ran
        assert server.headers[0]["authorization"] == "Bearer sk-very-secret"
    with model_server(lambda asked: asked.answer(f'{{"files":[{{"path":"sk-very-secret"}}]}}{asked.prompt}')) as server:
        words = ("--model-mode", "record", "--model-adapter", server.adapter, "--model-key-env", "MODEL_KEY")
        error = affidavit(
            "run", "--policy", "dev", *words, "--model-recording", "s.json", "i.json", env=env, cwd=str(tmp_path)
        )
        assert error.status == 2
    told = json.dumps({"files": [{"path": "a", "op": "create", "content": "sk-very-secret"}]})
    with model_server(lambda asked: asked.answer(told)) as server:
        words = ("--model-mode", "record", "--model-adapter", server.adapter, "--model-key-env", "MODEL_KEY")
        refused = affidavit(
            "run", "--policy", "dev", *words, "--model-recording", "t.json", "i.json", env=env, cwd=str(tmp_path)
        )
    result: Any = read(refused.out)
    assert (refused.status, result["kernel_result_kind"]) == (1, "REFUSE")
    assert result["refuse_reason"].startswith("model_io.json: ")
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or b"sk-very-secret" not in path.read_bytes(), path


def test_model_modes_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "i.json").write_bytes(canonical(INTENT))

    def error_of(*words: str) -> Any:
        ran = affidavit("run", *words, "i.json", cwd=str(tmp_path))
        assert (ran.status, ran.out) == (2, b"")
        assert not (tmp_path / ".affidavit").exists()
        return read(ran.err)

    for policy in ("strict", "default"):
        error = error_of("--policy", policy, "--model-mode", "replay", "--model-recording", "x")
        assert (error["code"], error["rule_id"]) == ("RUN_E004", "PL4")
        assert error["message"] == f"POLICY_VIOLATION: PL4: Model mode 'replay' not allowed by {policy} policy"
    error = error_of("--policy", "dev", "--model-mode", "record")
    assert (error["code"], error["rule_id"]) == ("RUN_E004", "PL5")
    assert error["message"] == "POLICY_VIOLATION: PL5: record mode requires recording path"
    assert error_of("--policy", "dev", "--model-mode", "record", "--model-recording", "x")["code"] == "USAGE"
    assert error_of("--model-key-env", "ABSENT")["code"] == "USAGE"

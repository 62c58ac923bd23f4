"""`affidavit run -- COMMAND` and the options of both forms, as people and programs use them (contracts 2.2, 2.9)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.cli.live import Live
from affidavit.contracts.policy import built_in
from affidavit.store.publish import ASIDE
from tests.support.cli import COMMAND, affidavit, environment, on_terminal
from tests.support.harness import Run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.cli import Ran

pytestmark = pytest.mark.sandbox

SECRET = "s3cret-value"


def ran(place: Path, *words: str, **more: Any) -> tuple[Ran, Run]:
    """A run in `place`, and what it committed."""
    done = affidavit("run", *words, cwd=str(place), **more)
    assert done.out, done
    result: Any = read(done.out)
    return done, Run(place / ".affidavit" / result["run_id"])


def error_of(place: Path, *words: str, **more: Any) -> Any:
    done = affidavit("run", *words, cwd=str(place), **more)
    assert (done.status, done.out) == (2, b"")
    return read(done.err.splitlines()[-1])


def test_a_command_needs_no_configuration(tmp_path: Path) -> None:
    (tmp_path / "here").write_bytes(b"content\n")
    done, run = ran(tmp_path, "--", "sh", "-c", "cat here; echo more >>here")
    assert (done.status, done.err) == (0, b"")
    assert run.stdout == b"content\n"
    assert run.outputs == {"here": b"content\nmore\n"}
    assert (tmp_path / "here").read_bytes() == b"content\n"
    assert run.result["policy"] == built_in("dev")
    assert run.document("bundle.json")["root_node"]["goal"] == "Run the declared command."
    again, second = ran(tmp_path, "--", "ls", "-A")
    assert (again.status, second.stdout) == (0, b"here\n")


def test_the_commands_own_status(tmp_path: Path) -> None:
    for words, status in (((), 1), (("--exit-code", "verdict"), 1), (("--exit-code", "child"), 42)):
        done, run = ran(tmp_path, *words, "--", "sh", "-c", "exit 42")
        assert (done.status, run.execution["exit_code"]) == (status, 42)
    assert ran(tmp_path, "--exit-code=child", "--", "true")[0].status == 0


def test_outputs_are_brought_back_where_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "deep").symlink_to("/etc")
    (tmp_path / "old").write_bytes(b"old")
    script = "mkdir -p out; echo new >out/new; echo changed >old; chmod 755 old"
    done, _ = ran(tmp_path, "--keep", ".", "--", "sh", "-c", script)
    assert done.status == 0
    assert (tmp_path / "out" / "new").read_bytes() == b"new\n"
    assert (tmp_path / "old").read_bytes() == b"changed\n"
    assert os.stat(tmp_path / "old").st_mode & 0o777 == 0o755
    done, _ = ran(tmp_path, "--keep", "a/b", "--", "sh", "-c", "echo x >y")
    assert (tmp_path / "a" / "b" / "y").read_bytes() == b"x\n"
    error = error_of(tmp_path, "--keep", "kept", "--", "sh", "-c", "mkdir deep; echo x >deep/x")
    assert error["code"] == "ENTRY_SYMLINK"
    assert not os.path.exists("/etc/x")


def test_variables_are_given_by_value_or_from_here(tmp_path: Path) -> None:
    env = environment(HERE="from here", LEAK="no")
    done, run = ran(
        tmp_path, "--env", "TYPED=a=b", "--env=HERE", "--", "sh", "-c", 'echo "$TYPED|$HERE|$LEAK"', env=env
    )
    assert (done.status, run.stdout) == (0, b"a=b|from here|\n")
    assert {"TYPED", "HERE"} <= set(run.document("runner.json")["context"]["env_allowlist"])
    recorded = b"".join(path.read_bytes() for path in run.directory.glob("*.json"))
    assert b"a=b" in recorded
    assert b"from here" not in recorded
    assert error_of(tmp_path, "--env", "ABSENT", "--", "true")["code"] == "USAGE"
    for name in ("GIT_DIR=x", "PATH=x", "HOME", "=x", "a-b=c"):
        assert error_of(tmp_path, "--env", name, "--", "true")["code"] in ("USAGE", "RUN_E003")


def test_a_secret_is_given_and_recorded_nowhere(tmp_path: Path) -> None:
    env = environment(TOKEN=SECRET)
    script = f'echo "$TOKEN"; test "$TOKEN" = {SECRET}; echo "$TOKEN" >&2'
    done, run = ran(tmp_path, "--secret", "TOKEN", "--show-output", "--", "sh", "-c", script, env=env)
    assert done.status == 0
    assert run.stdout == b"[secret:TOKEN]\n"
    assert run.execution["cmd"][2] == script.replace(SECRET, "[secret:TOKEN]")
    assert done.err == b"[secret:TOKEN]\n[secret:TOKEN]\n"
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path
    assert (
        SECRET.encode()
        not in on_terminal("run", "--secret", "TOKEN", "--", "sh", "-c", script, env=env, cwd=str(tmp_path)).out
    )
    assert error_of(tmp_path, "--secret", "TOKEN", "--", "true")["code"] == "USAGE"
    error = error_of(tmp_path, f"--secret=TOKEN={SECRET}", "--", "true")
    assert SECRET not in error["message"]
    error = error_of(tmp_path, "--secret", "AWS_KEY", "--", "true", env=environment(AWS_KEY=SECRET))
    assert "RN8" in error["message"]


def test_standard_input_from_a_file_or_from_here(tmp_path: Path) -> None:
    (tmp_path / "input").write_bytes(b"\xff\x00from a file")
    _, run = ran(tmp_path, "--stdin", "input", "--", "cat")
    assert run.stdout == b"\xff\x00from a file"
    told = run.document("intent.json")["context"]["stdin_sha256"]
    assert told == run.execution["stdout_sha256"]
    _, run = ran(tmp_path, "--stdin=-", "--", "wc", "-c", stdin=b"x" * 300_000)
    assert run.stdout.strip() == b"300000"
    _, run = ran(tmp_path, "--", "cat", stdin=b"not asked for")
    assert run.stdout == b""
    assert error_of(tmp_path, "--stdin", "nowhere", "--", "cat")["code"] == "RUN_E001"
    assert error_of(tmp_path, "--stdin", "-", "-")["code"] == "USAGE"


def test_a_timeout_is_at_most_the_policys(tmp_path: Path) -> None:
    done, run = ran(tmp_path, "--timeout", "1.5", "--", "sleep", "600")
    assert (done.status, run.execution["exit_code"]) == (1, 124)
    assert run.document("runner.json")["limits"]["timeout_ms"] == 1500
    for seconds in ("300.001", "0", "0.5"):
        error = error_of(tmp_path, "--timeout", seconds, "--", "true")
        assert (error["code"], error["rule_id"]) == ("RUN_E004", "PL6")
        assert "choose a profile" in error["message"]
    assert error_of(tmp_path, "--timeout", "-1", "--", "true")["code"] == "USAGE"


def test_no_sandbox_is_for_a_policy_that_limits_nothing_a_sandbox_would_enforce(tmp_path: Path) -> None:
    error = error_of(tmp_path, "--sandbox", "none", "--", "true")
    assert (error["code"], error["rule_id"]) == ("RUN_E004", "PL6")
    assert "allow_network true" in error["message"]
    open_policy = {**built_in("dev"), "name": "open", "allow_network": True}
    (tmp_path / "open.json").write_bytes(canonical(open_policy))
    done, run = ran(tmp_path, "--sandbox", "none", "--policy-file", "open.json", "--", "sh", "-c", "echo x >made")
    assert done.status == 0
    assert run.outputs == {"made": b"x\n"}
    sandbox = run.document("runner.json")["sandbox"]
    assert (sandbox["backend"], sandbox["isolation_level"], sandbox["network_blocked"]) == ("none", "none", False)


def test_only_what_may_be_degraded_may_be_degraded(tmp_path: Path) -> None:
    for gap in ("network", "write_roots", "memory,network", ""):
        assert error_of(tmp_path, "--allow-degraded", gap, "--", "true")["code"] == "USAGE"
    done, _ = ran(tmp_path, "--allow-degraded", "memory,pids", "--allow-degraded=noexec", "--", "true")
    assert done.status == 0


def test_a_workspace_elsewhere_and_its_limits(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "file").write_bytes(b"x" * 100)
    _, run = ran(tmp_path, "--workspace", "work", "--", "ls")
    assert run.stdout == b"file\n"
    error = error_of(tmp_path, "--workspace", "work", "--max-workspace-bytes", "99", "--", "ls")
    assert (error["code"], error["details"]["option"]) == ("RUN_E005", "--max-workspace-bytes")
    error = error_of(tmp_path, "--workspace", "nowhere", "--", "ls")
    assert error["code"] == "RUN_E005"
    assert error_of(tmp_path, "--max-workspace-entries", "many", "--", "ls")["code"] == "USAGE"


def test_the_sandboxs_own_limits_are_lowered_and_never_raised(tmp_path: Path) -> None:
    words = ("--max-memory", "67108864", "--max-cpu-seconds", "7", "--max-processes", "20")
    done, run = ran(tmp_path, *words, "--", "true")
    limits = run.document("runner.json")["limits"]
    assert done.status == 0
    assert (limits["max_memory_bytes"], limits["max_cpu_seconds"], limits["max_pids"]) == (67108864, 7, 20)
    for option, value in (("--max-memory", "2147483649"), ("--max-processes", "513"), ("--max-cpu-seconds", "0")):
        assert error_of(tmp_path, option, value, "--", "true")["code"] == "USAGE"


def test_what_came_with_the_workspace_is_executed_unless_somebody_says_otherwise(tmp_path: Path) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\necho ran\n")
    (tmp_path / "tool").chmod(0o755)
    assert ran(tmp_path, "--", "./tool")[1].stdout == b"ran\n"
    done, run = ran(tmp_path, "--noexec-workspace", "--", "./tool")
    assert (done.status, run.execution["exit_code"], run.stdout) == (1, 126, b"")


def test_an_out_folder_of_another_name_is_no_part_of_the_workspace_either(tmp_path: Path) -> None:
    for _ in range(2):
        done = affidavit("run", "--out", "runs", "--", "ls", "-A", cwd=str(tmp_path))
        assert done.status == 0
    runs = [entry for entry in (tmp_path / "runs").iterdir() if entry.is_dir()]
    assert [Run(entry).stdout for entry in runs] == [b"", b""]


def test_a_program_sees_json_and_a_person_what_happens(tmp_path: Path) -> None:
    script = "echo working; echo complaining >&2; echo x >made"
    done, _ = ran(tmp_path, "--", "sh", "-c", script)
    assert done.err == b""
    done, _ = ran(tmp_path, "--show-output", "--", "sh", "-c", script)
    assert done.err == b"working\ncomplaining\n"
    shown = on_terminal("run", "--color=never", "--", "sh", "-c", script, cwd=str(tmp_path)).out.decode()
    assert shown.startswith("working\ncomplaining\naccepted: all that was required succeeded\n")
    assert "  ran       sh -c 'echo working;" in shown
    assert "  outputs   1 file, 2 bytes: made\n" in shown
    assert shown.rstrip().rpartition("\n")[2].startswith("  evidence  .affidavit/hr_")
    quiet = on_terminal("run", "--color=never", "--quiet", "--", "sh", "-c", script, cwd=str(tmp_path)).out.decode()
    assert quiet.startswith("accepted: ")
    asked = on_terminal("run", "--json", "--quiet", "--", "true", cwd=str(tmp_path)).out
    assert canonical(read(asked)) + b"\n" == asked


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--timeout", "1", "--", "sleep", "600"), "--timeout allows up to 300 s under policy dev"),
        (("--", "no-such-program"), "no-such-program is not among this host's programs"),
        (("--policy", "strict", "--", "node", "-e", "require('fs').writeFileSync('x','')"), "more allowed_write_roots"),
        (("--", "node", "-e", "require('net').connect(80, 'host.example')"), "allow_network true allows it"),
        (("--", "cat", "/home/nobody/file"), "use a path relative to it"),
        (("--policy-file", "small.json", "--", "sh", "-c", "yes"), "max_total_output_bytes"),
    ],
)
def test_a_person_reads_why_it_failed_and_what_would_allow_it(
    words: tuple[str, ...], hint: str, tmp_path: Path
) -> None:
    small = {**built_in("dev"), "name": "small", "max_total_output_bytes": 1024}
    (tmp_path / "small.json").write_bytes(canonical(small))
    done = on_terminal("run", "--color=never", "--quiet", *words, cwd=str(tmp_path))
    assert done.status == 1
    (line,) = [line for line in done.out.decode().splitlines() if line.startswith("  hint ")]
    assert hint in line


def test_what_a_command_says_cannot_command_the_terminal(tmp_path: Path) -> None:
    shown = on_terminal("run", "--", "printf", "\\033]52;c;eA==\\007\\302\\233m\\rok\\n", cwd=str(tmp_path)).out
    assert b"\\x1b]52;c;eA==\\x07\\x9bm\rok" in shown
    for text in (b"plain\ttext\n\xc3\xa9", b"\xc2\xa0", "\u20ac\U0001f600".encode()):
        assert Live().harmless(text) == text
    split = Live()
    assert split.harmless(b"a\xc2") + split.harmless(b"\x9b31m") == b"a\\x9b31m"
    assert Live().harmless(b"\x9b31m\xff") == b"\\x9b31m\\xff"


# Interrupts


class Going:
    """A run that is going, its command having said that it runs."""

    def __init__(self, place: Path, *words: str) -> None:
        self._out = place / ".affidavit"
        self.process = subprocess.Popen(
            [*COMMAND, "run", "--", *words],
            cwd=place,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for said in self._out.glob("hr_*/stdout"):
                if said.read_bytes() and not (said.parent / "run.json").exists():
                    self.directory = said.parent
                    return
            time.sleep(0.02)
        self.process.kill()
        self.process.communicate()
        raise AssertionError("the command said nothing")

    def end(self) -> tuple[int, bytes]:
        out, _ = self.process.communicate(timeout=60)
        return self.process.returncode, out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_interrupt_ends_the_sandbox_and_commits(number: signal.Signals, tmp_path: Path) -> None:
    going = Going(tmp_path, "sh", "-c", "echo x >made; echo going; sleep 600")
    going.process.send_signal(number)
    status, out = going.end()
    assert status == 1
    run = Run(going.directory)
    assert canonical(run.result) + b"\n" == out
    assert not run.accepted
    assert 'Interrupted while command "command" was running' in run.reasons
    assert run.stdout == b"going\n"
    assert run.outputs == {"made": b"x\n"}
    assert run.document("run_status.json")["state"] == "complete"
    assert run.result["run_id"].encode() in (tmp_path / ".affidavit" / "ledger.jsonl").read_bytes()


def test_a_second_interrupt_ends_the_process_and_what_was_committed_stays(tmp_path: Path) -> None:
    _, before = ran(tmp_path, "--", "true")
    ledger = (tmp_path / ".affidavit" / "ledger.jsonl").read_bytes()
    going = Going(tmp_path, "sh", "-c", "echo going; sleep 600")
    # both are there before either is answered
    going.process.send_signal(signal.SIGSTOP)
    going.process.send_signal(signal.SIGINT)
    going.process.send_signal(signal.SIGTERM)
    going.process.send_signal(signal.SIGCONT)
    status, out = going.end()
    assert status in (-signal.SIGTERM, -signal.SIGINT)
    assert out == b""
    left: Any = read((going.directory / "run_status.json").read_bytes())
    assert left["state"] == "in_progress"
    assert not (going.directory / "artifact_index.json").exists()
    assert (going.directory / "stdout").read_bytes() == b"going\n"
    assert (tmp_path / ".affidavit" / "ledger.jsonl").read_bytes() == ledger
    assert Run(before.directory).accepted
    # what it left of its copy goes with the next run
    ran(tmp_path, "--", "true")
    assert [name for name in os.listdir(tmp_path / ".affidavit") if name.startswith(ASIDE)] == []

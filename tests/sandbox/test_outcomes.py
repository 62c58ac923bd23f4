"""Every end of a command ends in an Observation that says what was seen."""

from __future__ import annotations

import hashlib
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts.runner import verify_runner
from affidavit.errors import ReadFailed, UsageError
from affidavit.sandbox.observation import Denial
from affidavit.sandbox.record import runner_record, signal_name
from affidavit.sandbox.request import SandboxRequest
from tests.support.processes import named
from tests.support.sandbox import policy, ran, shell

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox

#: Those that end a process that does not handle them, each with what a shell calls it.
FATAL = [
    number
    for number in sorted(signal.valid_signals())
    if number not in (signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
    and number not in (signal.SIGURG, signal.SIGWINCH)
]


@pytest.mark.parametrize("code", [0, 1, 2, 3, 42, 124, 125, 126, 127, 128, 200, 254, 255])
def test_an_exit_code_is_told_as_it_is(code: int, tmp_path: Path) -> None:
    seen = ran(shell(f"exit {code}", tmp_path)).seen
    assert (seen.outcome, seen.exit_code, seen.signal, seen.status) == ("exited", code, None, code)
    assert seen.started
    assert seen.denials == ()


@pytest.mark.parametrize("number", FATAL)
def test_a_fatal_signal_is_told(number: int, tmp_path: Path) -> None:
    seen = ran(shell(f"kill -{number} $$", tmp_path)).seen
    assert (seen.outcome, seen.exit_code, seen.signal, seen.status) == ("signalled", None, number, 128 + number)
    told = {int(signal.SIGSYS): [Denial("seccomp", "SIGSYS")], int(signal.SIGXCPU): [Denial("cpu", "limit")]}
    assert list(seen.denials) == told.get(number, [])


def test_a_command_that_does_not_exist_was_not_started(tmp_path: Path) -> None:
    seen = ran(SandboxRequest(policy(), ["no-such-command"], str(tmp_path))).seen
    assert (seen.outcome, seen.started, seen.status) == ("not_found", False, 127)
    assert seen.denials == (Denial("exec", "no-such-command"),)
    assert "No such file" in seen.why


def test_a_command_that_may_not_be_executed_was_not_started(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no program")
    seen = ran(SandboxRequest(policy(), ["./data"], str(tmp_path))).seen
    assert (seen.outcome, seen.started, seen.status) == ("not_executable", False, 126)


def test_what_was_said_is_kept_and_digested(tmp_path: Path) -> None:
    told = ran(shell("echo out; echo err >&2", tmp_path))
    assert (told.out, told.err) == (b"out\n", b"err\n")
    assert told.seen.stdout.digest.content_hash == "sha256:" + hashlib.sha256(b"out\n").hexdigest()
    assert (told.seen.stderr.size, told.seen.stderr.truncated) == (4, False)


def test_what_is_said_is_heard_as_it_comes(tmp_path: Path) -> None:
    heard: list[tuple[str, bytes]] = []
    ran(shell("echo one; sleep 0.1; echo two >&2", tmp_path), live=lambda name, piece: heard.append((name, piece)))
    assert heard == [("stdout", b"one\n"), ("stderr", b"two\n")]


def test_standard_input_arrives_whole_and_ends(tmp_path: Path) -> None:
    letter = os.urandom(300_000)
    assert ran(shell("cat", tmp_path, stdin=letter)).out == letter
    assert ran(shell("cat", tmp_path)).out == b""


def test_a_command_that_does_not_read_its_input_ends_all_the_same(tmp_path: Path) -> None:
    assert ran(shell("exit 4", tmp_path, stdin=b"x" * 1_000_000)).seen.exit_code == 4


def test_at_the_limit_everything_inside_dies(tmp_path: Path) -> None:
    """A daemon of its own session that holds our pipes and ignores signals is inside too."""
    marker = f"affidavit-{os.getpid()}-{time.monotonic_ns()}"
    script = f"(trap '' HUP TERM; exec setsid sh -c 'sleep 61; : {marker}') & sleep 62"
    seen = ran(shell(script, tmp_path, timeout_ms=1000)).seen
    assert (seen.outcome, seen.timed_out, seen.status, seen.signal) == ("timed_out", True, 124, signal.SIGKILL)
    assert named(marker) == {}


def test_what_was_said_before_the_limit_is_kept(tmp_path: Path) -> None:
    assert ran(shell("echo early; sleep 60", tmp_path, timeout_ms=1000)).out == b"early\n"


def test_output_beyond_the_cap_stops_the_run(tmp_path: Path) -> None:
    told = ran(shell("yes", tmp_path, policy=policy(max_total_output_bytes=100_000)))
    assert told.seen.outcome == "over_output_cap"
    assert told.seen.stdout.truncated
    assert told.seen.stdout.size == len(told.out) == 100_000
    assert told.seen.stdout.digest.hex == hashlib.sha256(told.out).hexdigest()


def test_both_streams_share_the_cap(tmp_path: Path) -> None:
    told = ran(shell("yes & yes >&2", tmp_path, policy=policy(max_total_output_bytes=100_000)))
    assert told.seen.stdout.size + told.seen.stderr.size == 100_000


def test_an_interrupt_stops_the_run(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        told = ran(
            shell("echo ready; sleep 60", tmp_path),
            live=lambda *_: os.write(writing, b"stop") and None,
            interrupt=reading,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (told.seen.outcome, told.seen.signal) == ("interrupted", signal.SIGKILL)


def test_an_exception_ends_everything_inside(tmp_path: Path) -> None:
    marker = f"affidavit-{os.getpid()}-{time.monotonic_ns()}"

    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran(shell(f"echo ready; sleep 60; : {marker}", tmp_path), live=fail)
    assert named(marker) == {}


def test_what_is_written_in_the_workspace_is_there_afterwards(tmp_path: Path) -> None:
    ran(shell("mkdir a && echo kept > a/file", tmp_path))
    assert (tmp_path / "a" / "file").read_text() == "kept\n"


def test_a_file_may_become_a_directory_and_the_other_way_round(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder" / "below").mkdir(parents=True)
    script = "rm file; mkdir file; echo x > file/x; rm -r folder; echo y > folder"
    seen = ran(shell(script, tmp_path)).seen
    assert seen.status == 0
    assert (tmp_path / "file" / "x").read_text() == "x\n"
    assert (tmp_path / "folder").read_text() == "y\n"


def test_only_write_roots_are_writable(tmp_path: Path) -> None:
    limited = policy(allowed_write_roots=["out", "deep/er", "out/inner"])
    told = ran(shell("echo a > out/a; echo b > deep/er/b; echo c > c; echo d > deep/d", tmp_path, policy=limited))
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == [
        "deep/er/b",
        "out/a",
    ]
    assert told.err.count(b"Read-only file system") == 2


def test_a_write_root_that_is_a_link_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "out").symlink_to(elsewhere)
    with pytest.raises(ReadFailed, match="write root out"):
        ran(shell("true", workspace, policy=policy(allowed_write_roots=["out"])))


def test_names_with_spaces_and_letters_of_the_world(tmp_path: Path) -> None:
    place = tmp_path / "wörk spåce\n日本"
    place.mkdir()
    ran(shell("echo x > 'öut put'", place))
    assert (place / "öut put").exists()


def test_the_environment_is_what_was_asked_for(tmp_path: Path) -> None:
    told = ran(SandboxRequest(policy(), ["env"], str(tmp_path), environment={"NAME": "välue\n"}))
    lines = {line.partition("=")[0] for line in told.out.decode().splitlines() if "=" in line}
    assert lines == {"HOME", "LANG", "NAME", "PATH", "TZ", "PWD"}


@pytest.mark.parametrize("name", ["SSH_AUTH_SOCK", "NPM_TOKEN", "GIT_DIR", "AWS_X", "OPENAI_KEY", "ANTHROPIC_KEY"])
def test_RN8_variables_that_may_carry_secrets_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="may carry secrets"):
        shell("env", tmp_path, environment={name: "x"})


def test_inherited_descriptors_do_not_reach_the_command(tmp_path: Path) -> None:
    ours = os.open("/etc/hostname", os.O_RDONLY)
    os.set_inheritable(ours, True)
    try:
        told = ran(shell("ls /proc/self/fd", tmp_path))
    finally:
        os.close(ours)
    assert told.out.split() == [b"0", b"1", b"2", b"3"]  # the last is ls reading the directory


@pytest.mark.parametrize("script", ["exit 3", "kill -9 $$", "sleep 9", "nosuch"])
def test_every_end_gives_a_record_that_verifies(script: str, tmp_path: Path) -> None:
    told = ran(shell(script, tmp_path, timeout_ms=1000))
    record = runner_record(told.spec, [told.seen])
    report = verify_runner(record)
    assert report.ok, report.findings
    assert record["exit"]["code"] == told.seen.status
    assert record["exit"]["timeout_killed"] == told.seen.timed_out


def test_two_runs_in_one_environment_have_equal_cores_but_for_the_id(tmp_path: Path) -> None:
    cores = []
    for _ in range(2):
        told = ran(shell("echo x", tmp_path))
        record = runner_record(told.spec, [told.seen])
        cores.append({name: value for name, value in record.items() if name not in ("timing", "runner_id")})
    assert cores[0] == cores[1]


def test_signals_have_their_names() -> None:
    assert (signal_name(9), signal_name(34), signal_name(36), signal_name(64)) == (
        "SIGKILL",
        "SIGRTMIN",
        "SIGRTMIN+2",
        "SIGRTMAX",
    )


def test_without_a_sandbox_only_where_the_policy_asks_for_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no sandbox is only"):
        shell("true", tmp_path, no_sandbox=True)
    told = ran(shell("echo $PWD; exit 3", tmp_path, policy=policy(allow_network=True), no_sandbox=True))
    assert told.out.decode().strip() == str(tmp_path)
    assert told.seen.exit_code == 3
    record = runner_record(told.spec, [told.seen])
    assert record["sandbox"]["backend"] == record["sandbox"]["isolation_level"] == "none"
    assert verify_runner(record).ok

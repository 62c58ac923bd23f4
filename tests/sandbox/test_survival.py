"""Who dies, and what is left: our own process killed at any moment, bubblewrap killed, a hundred runs at once."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts.runner import verify_runner
from affidavit.sandbox import prepare as preparing
from affidavit.sandbox import runner as supervising
from affidavit.sandbox.host import probe_host
from affidavit.sandbox.record import runner_record
from affidavit.sandbox.runner import run
from tests.sandbox.test_degraded import without
from tests.support.processes import cgroups_of, mounts, named, wait_until_none
from tests.support.sandbox import policy, prepared, ran, shell

if TYPE_CHECKING:
    from pathlib import Path

    from affidavit.sandbox.spec import SandboxSpec

pytestmark = pytest.mark.sandbox

LISTED = policy(allowed_commands=["sh", "sleep", "cat"], allowed_write_roots=["out"])


def marker() -> str:
    return f"affidavit-marker-{os.getpid()}-{time.monotonic_ns()}"


@pytest.mark.parametrize("milliseconds", [0.0, 0.3, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40, 80])
def test_nothing_inside_survives_our_own_death(milliseconds: float, tmp_path: Path) -> None:
    """A supervisor that is killed before bubblewrap asked to die with it, or after, or between: whenever."""
    probe_host()
    sign = marker()
    request = shell(f"sleep 61; : {sign}", tmp_path, policy=LISTED)
    _die_while_running(prepared(request), milliseconds)
    assert wait_until_none(sign) == []


def _die_while_running(spec: SandboxSpec, milliseconds: float) -> None:
    """A process that runs it is killed so long after it began, and stays for a moment as one that nobody has reaped."""
    null = os.open(os.devnull, os.O_RDWR)
    pid = os.fork()
    if pid == 0:
        try:
            run(spec, stdout=null, stderr=null)
        finally:
            os._exit(0)
    os.close(null)
    time.sleep(milliseconds / 1000)
    os.kill(pid, signal.SIGKILL)
    time.sleep(0.02)
    os.waitpid(pid, 0)


def test_a_command_that_was_not_let_go_is_not_let_go_by_our_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where mounts cannot be made first, nothing but bubblewrap itself looks after the command."""
    monkeypatch.setattr(preparing, "probe_host", lambda: without("noexec"))
    monkeypatch.setattr(supervising._Supervision, "let_go", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    sign = marker()
    spec = prepared(shell(f"echo started > out/started; : {sign}", tmp_path, policy=LISTED, degraded=["noexec"]))
    assert spec.outer is None
    _die_while_running(spec, 3000)
    waiting = [pid for pid, line in named(sign).items() if line.startswith("/usr/bin/bwrap")]
    for pid in waiting:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    assert wait_until_none(sign) == []
    assert not (tmp_path / "out" / "started").exists()


def test_bubblewrap_itself_killed_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    sign = marker()

    def kill_bubblewrap(*_: object) -> None:
        os.kill(min(pid for pid, line in named(sign).items() if line.startswith("/usr/bin/bwrap")), signal.SIGKILL)

    told = ran(shell(f"echo ready; sleep 62; : {sign}", tmp_path, policy=LISTED), live=kill_bubblewrap)
    assert (told.seen.outcome, told.seen.sandbox_failed, told.seen.started) == ("sandbox_killed", True, True)
    assert "killed by signal 9" in told.seen.why
    assert wait_until_none(sign) == []
    assert verify_runner(runner_record(told.spec, [told.seen])).ok


def test_a_sandbox_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    request = shell("true", tmp_path, policy=LISTED, read_only={"/nonexistent/place": "/shown"})
    told = ran(request)
    assert (told.seen.outcome, told.seen.sandbox_failed, told.seen.started) == ("sandbox_failed", True, False)
    assert "/nonexistent/place" in told.seen.why
    assert verify_runner(runner_record(told.spec, [told.seen])).ok


def test_many_runs_at_once_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    """A short version of `make stress`."""
    many_runs(tmp_path, threads=8, each=3)


def many_runs(place: Path, *, threads: int, each: int) -> None:
    before = (sorted(os.listdir("/proc/self/fd")), mounts(), cgroups_of(os.getpid()))
    sign = marker()
    found: dict[str, bytes] = {}

    def work(number: int) -> None:
        for round_ in range(each):
            name = f"{number}-{round_}"
            workspace = place / name
            workspace.mkdir()
            told = ran(shell(f"cat > out/{name}; echo {name}; : {sign}", workspace, policy=LISTED, stdin=name.encode()))
            assert told.out == f"{name}\n".encode(), (told.seen.outcome, told.seen.why, told.err)
            found[name] = (workspace / "out" / name).read_bytes()

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == {f"{number}-{at}": f"{number}-{at}".encode() for number in range(threads) for at in range(each)}
    assert wait_until_none(sign) == []
    assert (sorted(os.listdir("/proc/self/fd")), mounts(), cgroups_of(os.getpid())) == before

"""Digesting by several processes. Each test runs in an interpreter of its own, because the test runner has threads."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.store import crew
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PRELUDE = """
import hashlib, os, signal, sys, time
from affidavit.store import crew, fs, measure
from affidavit.store.digests import Unmeasured, digest_files

top = sys.argv[1]
os.sched_getaffinity = lambda _: {0, 1}
root = fs.open_root(top)
wanted = [(f"d{n % 7}/f{n}", n % 900) for n in range(6000)]
for d in range(7):
    os.makedirs(f"{top}/d{d}", exist_ok=True)
for path, size in wanted:
    with open(f"{top}/{path}", "wb") as file:
        file.write(path.encode()[:1] * size)
right = [hashlib.sha256(path.encode()[:1] * size).hexdigest() for path, size in wanted]
forked = []
fork = os.fork
def count():
    pid = fork()
    forked.append(pid)
    return pid
os.fork = count
def no_child_is_left():
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        return True
    return False
"""


def _run(tmp_path: Path, script: str, *, status: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PRELUDE + textwrap.dedent(script), str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "src")},
        capture_output=True,
        timeout=60,
        check=False,
        text=True,
    )
    assert done.returncode == status, done.stderr
    return done.stdout


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_processes_find_the_same_together(tmp_path: Path, processes: int) -> None:
    script = f"""
    os.sched_getaffinity = lambda _: {{0, 1, 2}}
    os.unlink(f"{{top}}/d1/f1")
    os.unlink(f"{{top}}/d2/f2")
    os.symlink("f0", f"{{top}}/d2/f2")
    seen = []
    found = digest_files(root, wanted, processes={processes}, progress=lambda *told: seen.append(told))
    assert len(forked) == {processes - 1}, forked
    assert no_child_is_left()
    assert [type(one) for one in found[1:3]] == [Unmeasured, Unmeasured]
    assert (found[1].code, found[2].code) == (fs.ABSENT, fs.SYMLINK), found[1:3]
    assert found[:1] + found[3:] == right[:1] + right[3:]
    assert found == digest_files(root, wanted, processes=1)
    """
    _run(tmp_path, script)


def test_results_larger_than_a_pipe_arrive_while_the_parent_reads_one_long_file(tmp_path: Path) -> None:
    script = """
    with open(f"{top}/long", "wb") as file:
        file.truncate(300 << 20)
    found = digest_files(root, [*wanted, ("long", 300 << 20)])
    assert len(forked) == 1
    assert found[:-1] == right
    """
    _run(tmp_path, script)


def test_a_child_that_is_killed_costs_no_result(tmp_path: Path) -> None:
    script = """
    work = crew._work
    def doomed(plan, sending, parent):
        for number in plan.taken():
            os.kill(os.getpid(), signal.SIGKILL)
    crew._work = doomed
    assert digest_files(root, wanted) == right
    assert len(forked) == 1 and no_child_is_left()
    """
    _run(tmp_path, script)


def test_a_child_that_fails_says_nothing_and_costs_no_result(tmp_path: Path) -> None:
    script = """
    def failing(plan, sending, parent):
        os.write(sending, b"\\x10\\x00\\x00\\x00half")
        raise MemoryError
    crew._work = failing
    assert digest_files(root, wanted) == right
    assert len(forked) == 1 and no_child_is_left()
    """
    assert _run(tmp_path, script) == ""


def test_an_exception_in_the_parent_leaves_no_child(tmp_path: Path) -> None:
    script = """
    def stop(done, total):
        raise KeyboardInterrupt
    try:
        digest_files(root, wanted, progress=stop)
    except KeyboardInterrupt:
        assert len(forked) == 1 and no_child_is_left()
        raise SystemExit(7)
    """
    _run(tmp_path, script, status=7)


def test_a_child_ends_when_its_parent_was_killed(tmp_path: Path) -> None:
    """It would have read for half a minute more."""
    script = """
    for name in ("a", "b"):
        with open(f"{top}/{name}", "wb") as file:
            file.truncate(60 << 30)
    def die(done, total):
        if done > 30 << 20 and forked:
            print(forked[0], flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    digest_files(root, [("a", 60 << 30), ("b", 60 << 30)], progress=die)
    """
    child = int(_run(tmp_path, script, status=-9))
    for _ in range(200):
        try:
            with open(f"/proc/{child}/stat", encoding="ascii") as file:
                gone = file.read().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            gone = True
        if gone:
            return
        threading.Event().wait(0.05)
    os.kill(child, 9)
    pytest.fail("the child outlived its parent by ten seconds")


def test_a_child_runs_no_handler_of_its_parent(tmp_path: Path) -> None:
    script = """
    import atexit
    atexit.register(lambda: os.write(1, b"exit of %d\\n" % os.getpid()))
    signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"handled by %d\\n" % os.getpid()))
    def signalled(plan, sending, parent):
        os.kill(os.getpid(), signal.SIGTERM)
        os.write(1, b"went on\\n")
    crew._work = signalled
    assert digest_files(root, wanted) == right
    assert len(forked) == 1
    print(os.getpid(), flush=True)
    """
    pid, *more = _run(tmp_path, script).splitlines()
    assert more == [f"exit of {pid}"]


def test_a_child_runs_no_finalizer_of_its_parent(tmp_path: Path) -> None:
    script = """
    import gc
    class Cleaner:
        def __init__(self):
            self.itself = self
        def __del__(self):
            os.write(1, b"finalized by %d\\n" % os.getpid())
    work = crew._work
    def busy(plan, sending, parent):
        lists = [[] for _ in range(100_000)]
        work(plan, sending, parent)
    crew._work = busy
    Cleaner()
    assert digest_files(root, wanted) == right
    assert len(forked) == 1
    print(os.getpid(), flush=True)
    """
    told = _run(tmp_path, script).split()
    assert [word for word in told if word.isdigit()] == [told[-1]] * 2, told


@pytest.mark.parametrize("what", ["os.fork", "os.pipe"])
def test_where_there_is_no_room_for_a_process_one_does_it_all(tmp_path: Path, what: str) -> None:
    script = f"""
    before = len(os.listdir("/proc/self/fd"))
    real = {what}
    calls = []
    def full(*_):
        calls.append(1)
        if {what!r} == "os.pipe" and len(calls) == 1:
            return real()
        raise OSError(11, "no more")
    {what} = full
    assert digest_files(root, wanted) == right
    assert len(calls) == {2 if what == "os.pipe" else 1}
    assert len(os.listdir("/proc/self/fd")) == before
    """
    _run(tmp_path, script)


def test_a_process_with_threads_does_not_fork(tmp_path: Path) -> None:
    script = """
    import threading
    stop = threading.Event()
    waiting = threading.Thread(target=stop.wait)
    waiting.start()
    assert digest_files(root, wanted) == right
    stop.set()
    waiting.join()
    assert forked == []
    """
    _run(tmp_path, script)


def test_where_children_are_collected_by_others_nothing_is_lost(tmp_path: Path) -> None:
    script = """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    assert digest_files(root, wanted) == right
    assert len(forked) == 1
    """
    _run(tmp_path, script)


def test_little_work_is_done_without_a_fork() -> None:
    assert crew.worthwhile([("a", 1000)] * 100, None) == 1
    assert crew.worthwhile([("a", 1 << 40)], None) == 1
    assert crew.worthwhile([("a", 1 << 40)] * 2, 1) == 1


@given(st.lists(st.integers(0, 1 << 33), min_size=1, max_size=3000))
def test_batches_cover_everything_once_and_fit_into_a_pipe(sizes: list[int]) -> None:
    wanted = [(str(number), size) for number, size in enumerate(sizes)]
    batches = crew._batches(wanted, range(len(sizes)))
    assert sorted(index for start, end in batches for index in range(start, end)) == list(range(len(sizes)))
    assert len(batches) * 4 <= 4096


def test_memory_is_bounded_whatever_the_sizes(tmp_path: Path) -> None:
    script = """
    import resource
    for name in ("a", "b"):
        with open(f"{top}/{name}", "wb") as file:
            file.truncate(400 << 20)
    def peak():
        return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    before = peak()
    digest_files(root, [("a", 400 << 20), ("b", 400 << 20)])
    assert len(forked) == 1
    assert peak() - before < 8 << 10, (before, peak())
    """
    _run(tmp_path, script)

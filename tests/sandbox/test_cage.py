"""The cgroups of a run: which files are written and read, in both versions. That they hold is shown by real runs."""

from __future__ import annotations

import os
import resource
import subprocess
from typing import TYPE_CHECKING

import pytest

from affidavit.sandbox import cage as module
from affidavit.sandbox.abilities import CgroupPlace
from affidavit.sandbox.cage import Cage
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.spec import Ground
from affidavit.sandbox.status import Status
from tests.sandbox.golden_cases import LISTED, host, planned
from tests.support.sandbox import policy

if TYPE_CHECKING:
    from pathlib import Path

    from affidavit.sandbox.spec import SandboxSpec

FILES = {
    2: {
        "cgroup.procs": "",
        "memory.max": "",
        "memory.swap.max": "",
        "memory.peak": "123456",
        "memory.events": "low 0\noom 2\noom_kill 1\noom_group_kill 0\n",
        "pids.max": "",
        "pids.events": "max 7\n",
        "cpu.stat": "usage_usec 2500000\nuser_usec 1\n",
    },
    1: {
        "cgroup.procs": "",
        "memory.limit_in_bytes": "",
        "memory.memsw.limit_in_bytes": "",
        "memory.max_usage_in_bytes": "123456",
        "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
        "pids.max": "",
        "pids.events": "max 7\n",
        "cpuacct.usage": "2500000000",
    },
}


def spec(place: Path, version: int) -> SandboxSpec:
    request = SandboxRequest(policy("strict"), ["node"], "/w", max_cpu_seconds=2, max_pids=10)
    made = planned(request, host(), LISTED, Ground(0, 0, "/mnt", fits=True))
    trees = (
        {"memory": "one", "pids": "one", "cpu": "one"} if version == 2 else {n: n for n in ("memory", "pids", "cpu")}
    )
    for name, tree in trees.items():
        (place / tree).mkdir(exist_ok=True)
        setattr(made, f"{name}_cgroup", CgroupPlace(2 if version == 2 else 1, "memory", str(place / tree)))
    return made


@pytest.fixture(params=[1, 2])
def caged(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Cage, Path]:
    """A cage in plain folders that have the kernel's files."""
    real = os.mkdir

    def mkdir(path: str, mode: int = 0o777) -> None:
        real(path, mode)
        for name, content in FILES[request.param].items():
            with open(f"{path}/{name}", "w", encoding="utf-8") as file:
                file.write(content)

    made = spec(tmp_path, request.param)
    monkeypatch.setattr(os, "mkdir", mkdir)
    cage = Cage(made)
    cage.make()
    return cage, tmp_path


def content(place: Path, name: str) -> list[str]:
    return [path.read_text() for path in sorted(place.rglob(name))]


def test_limits_are_written_and_the_first_process_is_counted(caged: tuple[Cage, Path]) -> None:
    _, place = caged
    memory = content(place, "memory.max") + content(place, "memory.limit_in_bytes")
    assert str(2 << 30) in memory
    assert "11" in content(place, "pids.max")
    assert set(content(place, "memory.swap.max") + content(place, "memory.memsw.limit_in_bytes")) & {"0", str(2 << 30)}


def test_the_waiting_process_is_put_in_and_bound(caged: tuple[Cage, Path]) -> None:
    cage, place = caged
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as waiting:
        cage.enter(waiting.pid)
        bounds = {what: resource.prlimit(waiting.pid, what)[0] for what in (resource.RLIMIT_CPU, resource.RLIMIT_CORE)}
        assert bounds == {resource.RLIMIT_CPU: 2, resource.RLIMIT_CORE: 1}
        assert resource.prlimit(waiting.pid, resource.RLIMIT_FSIZE)[0] == policy("strict")["max_total_output_bytes"] + 1
    assert set(content(place, "cgroup.procs")) == {str(waiting.pid)}


def test_what_happened_is_read(caged: tuple[Cage, Path]) -> None:
    cage, _ = caged
    assert (cage.oom_kills(), cage.refused_forks(), cage.peak_memory()) == (1, 7, 123456)
    assert cage.cpu_ms() == 2500
    assert cage.is_over_cpu()


def test_controllers_of_one_tree_share_one_cgroup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    one_tree = spec(tmp_path, 2)
    monkeypatch.setattr(os, "mkdir", lambda path, _: made.append(path))
    monkeypatch.setattr(module, "write_file", lambda *_: None)
    Cage(one_tree).make()
    assert len(made) == 1


def test_status_comes_in_pieces() -> None:
    status = Status()
    said = b'{ "child-pid": 4242, "mnt-namespace": 7 }\n{ "exit-code": 3 }\n'
    for at in range(len(said)):
        status.feed(said[at : at + 1])
        assert (status.child is not None) == (at >= said.index(b"\n"))
    assert (status.child, status.exit_code) == (4242, 3)


def test_half_a_line_tells_nothing() -> None:
    status = Status()
    status.feed(b'{ "child-pid": 42')
    assert status.child is None

"""A host that lacks something: refused and named, or gone without and recorded. What stands in holds too."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts.runner import verify_runner
from affidavit.sandbox import prepare as preparing
from affidavit.sandbox.abilities import Ability, HostFacts
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.host import probe_host
from affidavit.sandbox.prepare import prepare
from affidavit.sandbox.record import runner_record
from affidavit.sandbox.request import SandboxRequest
from tests.support.ordinary import ORDINARY, as_ordinary_user
from tests.support.sandbox import policy, ran, shell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from affidavit.sandbox.abilities import AbilityName

pytestmark = pytest.mark.sandbox

LISTED = policy(allowed_commands=["sh", "cat", "head"], allowed_write_roots=["out"])


def without(*lost: AbilityName) -> HostFacts:
    """This host, as if it could not do these; with no cgroup for those that need one."""
    real = probe_host()
    return HostFacts(
        abilities=[
            Ability(one.name, one.works and one.name not in lost, one.found, one.remedy or "mend it")
            for one in real.abilities.values()
        ],
        bwrap=real.bwrap,
        bwrap_version=real.bwrap_version,
        unshare=real.unshare,
        mount=real.mount,
        memory_cgroup=None if "memory" in lost else real.memory_cgroup,
        pids_cgroup=None if "pids" in lost else real.pids_cgroup,
    )


@pytest.mark.parametrize("name", ["seccomp", "noexec", "memory", "pids"])
def test_a_gap_is_refused_unless_it_is_named_and_then_recorded(
    name: AbilityName, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "probe_host", lambda: without(name))
    refused = prepare(SandboxRequest(LISTED, ["sh"], str(tmp_path)))
    assert isinstance(refused, Gaps)
    told = ran(shell("echo made > out/x; cat out/x", tmp_path, policy=LISTED, degraded=[name]))
    assert (told.seen.outcome, told.out) == ("exited", b"made\n"), told.err
    assert (tmp_path / "out" / "x").read_text() == "made\n"
    record = runner_record(told.spec, [told.seen])
    assert verify_runner(record).ok
    assert record["sandbox"]["isolation_level"] == "standard"
    assert record["sandbox"]["enforced"][name] == "nothing"
    assert f"sandbox.degraded.{name}" in record["warnings"]


def test_where_nothing_can_be_mounted_the_caps_are_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "probe_host", lambda: without("noexec"))
    capped = {**LISTED, "max_total_output_bytes": 5000}
    script = "n=0; while :; do n=$((n+1)); head -c 1000 /dev/zero > out/$n; done"
    told = ran(shell(script, tmp_path, policy=capped, degraded=["noexec"]))
    assert (told.seen.outcome, told.spec.enforced["outputs"]) == ("over_output_cap", "polled")


@pytest.fixture
def anybodys() -> Iterator[str]:
    place = tempfile.mkdtemp(dir="/var/tmp")
    os.chown(place, ORDINARY, ORDINARY)
    yield place
    shutil.rmtree(place)


def test_without_a_cgroup_rlimits_hold_each_process(anybodys: str) -> None:
    """An ordinary user without a cgroup of his own: each process is held for itself."""

    def unprivileged() -> tuple[dict[str, str], bytes, bytes]:
        bomb = ["python3", "-c", "x = b'x' * (600 << 20)"]
        memory = ran(SandboxRequest(policy(), bomb, anybodys, max_memory_bytes=100 << 20))
        forks = ran(shell("n=0; while [ $n -lt 40 ]; do sleep 3 & n=$((n+1)); done", anybodys, max_pids=16))
        return dict(memory.spec.enforced), memory.err, forks.err

    enforced, memory, forks = as_ordinary_user(unprivileged)
    if enforced["memory"] == "rlimit":
        assert b"MemoryError" in memory
    if enforced["pids"] == "rlimit":
        assert b"ork" in forks, "sh says: Cannot fork"

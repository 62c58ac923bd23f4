"""What a host cannot enforce is refused by name, or done without where somebody agreed to it (contracts 2.9)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.reader import read
from affidavit.harness.errors import RunError
from affidavit.sandbox import host
from affidavit.sandbox.abilities import Ability, HostFacts
from tests.support.cli import affidavit
from tests.support.harness import Run, command, executed

if TYPE_CHECKING:
    from pathlib import Path

    from affidavit.sandbox.abilities import AbilityName

pytestmark = pytest.mark.sandbox


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes this host one that lacks some abilities."""

    def lack(*names: AbilityName) -> None:
        real = host.probe_host()
        facts = HostFacts(
            abilities=[
                Ability(name, False, "taken away", "give it back") if name in names else ability
                for name, ability in real.abilities.items()
            ],
            as_root=real.as_root,
            bwrap=real.bwrap,
            bwrap_version=real.bwrap_version,
            unshare=real.unshare,
            mount=real.mount,
            memory_cgroup=None if "memory" in names else real.memory_cgroup,
            pids_cgroup=None if "pids" in names else real.pids_cgroup,
            cpu_cgroup=real.cpu_cgroup,
        )
        monkeypatch.setattr(host, "_cached", {os.geteuid(): facts})

    return lack


def test_RUN_E005_each_gap_is_named_with_what_would_help(lacking: Any, tmp_path: Path) -> None:
    lacking("seccomp", "pids")
    with pytest.raises(RunError) as caught:
        executed(tmp_path, commands=[command("c", "true")])
    assert caught.value.code == "RUN_E005"
    assert caught.value.details["gaps"] == ["seccomp", "pids"]
    assert "give it back" in caught.value.message
    assert "--allow-degraded seccomp,pids runs without it, and the record says so" in caught.value.message
    (directory,) = [entry for entry in (tmp_path / "out").iterdir() if entry.is_dir()]
    status: Any = read((directory / "run_status.json").read_bytes())
    assert status["state"] == "failed"


def test_what_somebody_agreed_to_do_without_is_recorded(lacking: Any, tmp_path: Path) -> None:
    lacking("seccomp", "pids")
    with pytest.raises(RunError) as caught:
        executed(tmp_path, options={"degraded": ["seccomp"]}, commands=[command("c", "true")])
    assert caught.value.details["gaps"] == ["pids"]
    run = executed(tmp_path, options={"degraded": ["seccomp", "pids"]}, commands=[command("c", "true")])
    assert run.accepted
    record = run.document("runner.json")
    assert record["sandbox"]["isolation_level"] == "standard"
    assert record["sandbox"]["enforced"]["seccomp"] == "nothing"
    assert {"sandbox.degraded.pids", "sandbox.degraded.seccomp"} <= set(run.warnings)


def test_the_network_is_never_degraded(lacking: Any, tmp_path: Path) -> None:
    lacking("network_namespace")
    with pytest.raises(RunError) as caught:
        executed(tmp_path, commands=[command("c", "true")])
    assert caught.value.details["gaps"] == ["network_namespace"]
    assert "--allow-degraded" not in caught.value.message


def test_runs_beside_each_other_in_one_out_folder_take_nothing_from_each_other(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    (tmp_path / "file").write_bytes(b"x" * 100_000)

    def one(number: int) -> Any:
        return affidavit("run", "--", "sh", "-c", f"cp file {number}; cat file | wc -c", cwd=str(tmp_path), timeout=300)

    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(one, range(12)))
    assert [ran.status for ran in done] == [0] * 12, [ran.err for ran in done]
    runs = [Run(tmp_path / ".affidavit" / str(read(ran.out)["run_id"])) for ran in done]  # type: ignore[call-overload,index]
    assert [set(run.outputs) for run in runs] == [{str(number)} for number in range(12)]
    assert len((tmp_path / ".affidavit" / "ledger.jsonl").read_bytes().splitlines()) == 12
    assert affidavit("verify", "--all", "--level", "strict", ".affidavit", cwd=str(tmp_path), timeout=300).status == 0

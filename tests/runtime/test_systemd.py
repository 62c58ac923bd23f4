"""The clean channel of systemd, against a real manager that is process 1 of a system of its own (contracts 4.9)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.run_manifest import verify_run_manifest
from affidavit.runtime import systemd
from affidavit.runtime.channels import why_not
from affidavit.runtime.systemd import Manager, unit_words
from tests.runtime.test_run import plan, registries
from tests.support.machine import machine, state_of_host
from tests.support.ordinary import ORDINARY

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.machine import Machine

pytestmark = pytest.mark.sandbox

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root for a manager of its own")


def test_the_words_for_the_manager() -> None:
    words = unit_words(Manager(1, 0), "pr_1", 150, ("/usr/bin/python3", "-c", "pass"))
    assert words == (
        "--wait",
        "--pipe",
        "--collect",
        "--unit=affidavit-pr_1.service",
        "--service-type=exec",
        "--property=KillMode=control-group",
        "--property=RuntimeMaxSec=150",
        "--",
        "/usr/bin/python3",
        "-c",
        "pass",
    )
    assert unit_words(Manager(900, 1000), "pr_1", 150, ("x",))[0] == "--user"


def test_without_a_manager_the_channel_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 4_000_000)
    assert why_not("systemd_clean").startswith("a systemd of this user does not run: /run/user/4000000/systemd/private")
    monkeypatch.setattr(systemd, "find_program", lambda _: None)
    assert why_not("systemd_clean") == "the command systemd-run is missing: apt-get install systemd"


#: Has a filter that allows everything and has given up new rights, then becomes its arguments.
CONFINED = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
assert libc.prctl(38, 1, 0, 0, 0) == 0
program = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000))
filter = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(program)))
assert libc.prctl(22, 2, filter, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


class System:
    """The machine, and the registries and plans that are shown in it."""

    def __init__(self, there: Machine, place: Path) -> None:
        self.there = there
        self.place = place

    def affidavit(self, *words: str, confined: bool = False) -> subprocess.CompletedProcess[bytes]:
        before = (sys.executable, "-c", CONFINED) if confined else ()
        return self.there.enter(*before, sys.executable, "-B", "-m", "affidavit", *words)

    def plan(self, channel: str, out: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        place = str(self.place)
        words = ("--registries", place, "--channel", channel, "--out", out, f"{place}/plan.json")
        return self.affidavit("plan", "run", *words, **options)

    def document(self, out: str, name: str) -> Any:
        """Of the latest run."""
        return self.file(f"{out}/{self.there.enter('cat', f'{out}/LATEST').stdout.decode().strip()}/{name}")

    def file(self, path: str) -> Any:
        return read(self.there.enter("cat", path).stdout)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    place = tmp_path_factory.mktemp("system") / "registries"
    registries(place)
    (place / "plan.json").write_bytes(canonical(plan()))
    before = state_of_host()
    with machine(str(place)) as there:
        yield System(there, place)
    after = state_of_host()
    for kind, values in before.items():
        assert set(after[kind]) ^ set(values) == set(), kind


@needs_root
def test_a_run_is_proven_by_worker_and_manager(system: System) -> None:
    ran = system.plan("systemd_clean", "/tmp/proven")
    assert ran.returncode == 0, ran
    manifest = system.document("/tmp/proven", "run_manifest.json")
    assert verify_run_manifest(manifest, level="strict").findings == ()
    proof = manifest["channel_proof"]
    assert proof["worker"]["parent_pid"] == proof["manager"]["manager_pid"] == 1
    assert proof["worker"]["cgroup"] == f"/system.slice/affidavit-{manifest['run_id']}.service"
    assert proof["worker"]["invocation_id"] == proof["manager"]["invocation_id"]
    assert system.document("/tmp/proven", "summary.json")["status"] == "ok"
    assert system.affidavit("verify", "/tmp/proven").returncode == 0
    words = (
        "emit-promotion",
        "--bundle",
        "/tmp/proven",
        "--out",
        "/tmp/packet.json",
        "--accept-channel",
        "systemd_clean",
    )
    told = system.affidavit(*words, "--require-promotable")
    assert told.returncode == 0, told


@needs_root
def test_a_confined_caller_is_told_as_such_and_its_unit_is_not(system: System) -> None:
    """What the caller has given up, the manager never had from it."""
    told = {}
    for channel in ("direct", "systemd_clean"):
        out = f"/tmp/confined-{channel}"
        ran = system.plan(channel, out, confined=True)
        assert ran.returncode == 0, ran
        told[channel] = system.document(out, "apply_preflight.json")["sandbox_check_self"]
    assert (told["direct"]["sandboxed"], told["direct"]["no_new_privs"], told["direct"]["seccomp"]) == (True, True, 2)
    assert told["systemd_clean"]["sandboxed"] is False
    assert (told["systemd_clean"]["no_new_privs"], told["systemd_clean"]["seccomp"]) == (False, 0)


@needs_root
def test_nothing_of_the_callers_environment_comes_along(system: System) -> None:
    """A variable that claims to be a unit makes none."""
    faked = {"INVOCATION_ID": "0" * 32, "PYTHONPATH": "/nonexistent", "LD_PRELOAD": "/nonexistent.so"}
    out = "/tmp/faked"
    words = ("plan", "run", "--registries", str(system.place), "--channel", "systemd_clean", "--out", out)
    ran = system.there.enter(sys.executable, "-B", "-m", "affidavit", *words, f"{system.place}/plan.json", env=faked)
    assert ran.returncode == 0, ran
    proof = system.document(out, "run_manifest.json")["channel_proof"]
    assert proof["worker"]["invocation_id"] != "0" * 32


@needs_root
@pytest.mark.parametrize("victim", ["worker", "caller"])
@pytest.mark.parametrize("after", [0, 0.3])
def test_whoever_is_killed_leaves_a_run_that_can_be_closed(system: System, victim: str, after: float) -> None:
    """The worker is killed as soon as its unit is there, or a moment later; or whoever began the run is."""
    out = f"/tmp/killed-{victim}-{after}"
    who = "systemctl kill --signal=SIGKILL 'affidavit-*'" if victim == "worker" else "kill -9 $!"
    script = f"""
        {sys.executable} -B -m affidavit plan run --registries {system.place} --channel systemd_clean --out {out} \
          {system.place}/plan.json & waited=0
        until systemctl --quiet is-active 'affidavit-*'; do sleep 0.01; done
        sleep {after}
        {who}; wait $!; echo "status $?"
        until [ -z "$(systemctl list-units --no-legend --all 'affidavit-*')" ]; do sleep 0.05; done
        ls {out} | grep -v LATEST
    """
    ran = system.there.enter("sh", "-c", script)
    *_, status, run_id = (line for line in ran.stdout.decode().split("\n") if line)
    assert status == ("status 1" if victim == "worker" else "status 137"), ran
    state = system.file(f"{out}/{run_id}/run_status.json")["state"]
    closed = system.affidavit("abandon", f"{out}/{run_id}")
    if victim == "worker":
        assert b"code=killed/status=KILL" in ran.stderr
        assert state == "failed"
    else:
        assert state == "in_progress"
        assert closed.returncode == 0, closed
    assert system.file(f"{out}/{run_id}/artifact_index.json")["status"] == "failed"
    assert system.affidavit("verify", f"{out}/{run_id}").returncode == 0


@needs_root
def test_an_ordinary_user_asks_a_manager_of_their_own(system: System) -> None:
    """Whose units are born of it as those of the system are of process 1."""
    # the interpreter may lie where only root can read it
    script = f"""
        set -e
        systemctl start user@{ORDINARY}.service
        mkdir -p /run/base /run/venv/bin
        mount --bind {sys.base_prefix} /run/base
        printf 'home = /run/base/bin\n' > /run/venv/pyvenv.cfg
        ln -s /run/base/bin/{os.path.basename(os.path.realpath(sys.executable))} /run/venv/bin/python
        ln -s {sys.prefix}/lib /run/venv/lib
        cd /tmp
        setpriv --reuid={ORDINARY} --regid={ORDINARY} --clear-groups /run/venv/bin/python -B -m affidavit \
          plan run --registries {system.place} --channel systemd_clean --out /tmp/ordinary {system.place}/plan.json
    """
    ran = system.there.enter("sh", "-c", script)
    assert ran.returncode == 0, ran
    manifest = system.document("/tmp/ordinary", "run_manifest.json")
    assert verify_run_manifest(manifest, level="strict").findings == ()
    proof = manifest["channel_proof"]
    assert proof["manager"]["manager_pid"] == proof["worker"]["parent_pid"] > 1
    assert f"/user@{ORDINARY}.service/app.slice/" in proof["worker"]["cgroup"]

"""What a host can isolate is found by trying, so every trial must be able to fail."""

from __future__ import annotations

import os
import stat
import subprocess
from typing import TYPE_CHECKING

import pytest

from affidavit.sandbox import attempt as attempt_module
from affidavit.sandbox import cgroups, host, programs, remedies
from affidavit.sandbox.abilities import ABILITIES, DEGRADABLE, CgroupPlace, HostFacts
from affidavit.sandbox.attempt import attempt
from affidavit.sandbox.programs import find_program
from tests.support.ordinary import as_ordinary_user

if TYPE_CHECKING:
    from pathlib import Path

ISOLATION = ABILITIES[:9]


def findings(facts: HostFacts) -> dict[str, bool]:
    return {ability.name: ability.works for ability in facts.abilities.values()}


@pytest.mark.sandbox
def test_this_host_isolates() -> None:
    facts = host._probe()
    assert tuple(facts.abilities) == ABILITIES
    assert all(facts.works(name) for name in ISOLATION), facts.gaps()
    assert facts.bwrap is not None
    assert facts.bwrap_version >= (0, 8)
    assert facts.as_root == (os.geteuid() == 0)


@pytest.mark.sandbox
def test_it_isolates_for_an_ordinary_user_too() -> None:
    ordinary = as_ordinary_user(lambda: findings(host._probe()))
    assert all(ordinary[name] for name in (*ISOLATION, "noexec"))


def test_every_gap_has_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "PROGRAM_FOLDERS", ("/nonexistent",))
    facts = host._probe()
    assert {gap.name for gap in facts.gaps()} >= {*ISOLATION, "noexec"}
    assert [gap.name for gap in facts.gaps() if not gap.remedy] == []
    assert "apt-get install bubblewrap" in facts.abilities["bwrap"].remedy


def test_degradable_are_never_the_network_nor_the_write_roots() -> None:
    assert set(DEGRADABLE) == {"memory", "pids", "seccomp", "noexec"}


def program(folder: Path, name: str, script: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(stat.S_IRWXU)
    return str(path)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("flag", "lost"),
    [
        ("--unshare-net", ["network_namespace"]),
        ("--unshare-pid", ["pid_namespace", "mounts"]),  # a proc mount is one of an own process namespace
        ("--unshare-ipc", ["other_namespaces"]),
        ("--cap-drop", ["no_capabilities"]),
        ("--disable-userns", ["no_nested_namespaces"]),
        ("--seccomp", ["seccomp"]),
    ],
)
def test_a_bubblewrap_that_refuses_one_thing_lacks_that_thing_only(flag: str, lost: list[str], tmp_path: Path) -> None:
    real = find_program("bwrap")
    refusing = (
        f"""for word; do [ "$word" = {flag} ] && {{ echo "no {flag} here" >&2; exit 1; }}; done\nexec {real} "$@"\n"""
    )
    found = host._isolation(program(tmp_path, "bwrap", refusing))
    gaps = [ability for ability in found if not ability.works]
    assert [gap.name for gap in gaps] == lost
    assert {gap.found for gap in gaps} == {f"no {flag} here"}
    assert all(gap.remedy for gap in gaps)


@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("flag", "lost"),
    [
        ("--unshare-net", "network_namespace"),
        ("--unshare-uts", "other_namespaces"),
        ("--seccomp", "seccomp"),
    ],
)
def test_a_bubblewrap_that_goes_on_without_what_it_was_asked_for_is_seen_through(
    flag: str, lost: str, tmp_path: Path
) -> None:
    """As bubblewrap does with the user namespace under --unshare-all: started is not isolated."""
    real = find_program("bwrap")
    value = " shift;" if flag == "--seccomp" else ""
    dropping = f"""\
n=$#; drop=
while [ $n -gt 0 ]; do
  word=$1; shift; n=$((n - 1))
  if [ "$drop" ]; then drop=; continue; fi
  if [ "$word" = {flag} ]; then {"drop=1;" if value else ""} continue; fi
  set -- "$@" "$word"
done
exec {real} "$@"
"""
    found = host._isolation(program(tmp_path, "bwrap", dropping))
    (gap,) = (ability for ability in found if not ability.works)
    assert gap.name == lost
    assert gap.found.startswith("bubblewrap started, but not with: ")


def test_without_user_namespaces_nothing_else_is_claimed(tmp_path: Path) -> None:
    refused = program(tmp_path, "bwrap", "echo 'setting up uid map: Permission denied' >&2; exit 1\n")
    found = host._isolation(refused)
    assert [ability.works for ability in found] == [False] * 8
    assert found[0].found == "setting up uid map: Permission denied"
    assert all(ability.remedy for ability in found)


@pytest.mark.sandbox
def test_a_mount_that_takes_no_noexec_is_no_noexec(tmp_path: Path) -> None:
    """The control of the noexec trial: on an ordinary mount the program starts, and the trial says so."""
    allowing = program(tmp_path, "mount", "exec /bin/mount -t tmpfs tmpfs /tmp\n")
    found = host._noexec(find_program("bwrap"), find_program("unshare"), allowing)
    assert not found.works
    assert found.found == "a program on the noexec mount was started inside"


def test_without_a_cgroup_rlimits_stand_in_and_are_called_weaker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_mounts", list)
    place, why = cgroups.find_place("memory")
    assert place is None
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    memory, pids = host._limited("memory", None, why), host._limited("pids", None, why)
    assert (memory.works, memory.weaker) == (pids.works, pids.weaker) == (True, True)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert not host._limited("pids", None, why).works, "RLIMIT_NPROC does not bind root"
    assert host._limited("memory", None, why).weaker


def test_a_cgroup_that_can_be_had_was_made_limited_and_removed() -> None:
    for controller in ("memory", "pids"):
        place, why = cgroups.find_place(controller)
        if place is None:
            assert why
            continue
        assert [name for name in os.listdir(place.directory) if name.endswith("-trial")] == []


def test_a_place_that_cannot_hold_a_cgroup_says_why(tmp_path: Path) -> None:
    plain = CgroupPlace(2, "memory", str(tmp_path))
    assert "memory.max" in cgroups._try(plain)
    assert "No such file" in cgroups._try(CgroupPlace(2, "memory", str(tmp_path / "absent")))


def test_cgroups_of_runs_whose_process_is_gone_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dead = subprocess.Popen(["/bin/true"])
    dead.wait()
    names = {f"affidavit-{dead.pid}-0-aa", f"affidavit-{os.getpid()}-0-bb", "affidavit-x-1", "affidavit", "other-1-2"}
    for name in names:
        (tmp_path / name).mkdir()
    cgroups.sweep(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == names, "what is young may be somebody's that we do not see"
    monkeypatch.setattr(cgroups, "_YOUNG_SECONDS", -1)
    cgroups.sweep(str(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == names - {f"affidavit-{dead.pid}-0-aa"}


def test_mount_points_with_spaces_are_read() -> None:
    assert cgroups._unescaped(r"/a\040b\134c") == "/a b\\c"


def test_a_trial_gives_up_on_a_program_that_does_not_end() -> None:
    tried = attempt(["/bin/sleep", "60"], seconds=0.2)
    assert tried.status is None
    assert "no answer" in tried.why()


def test_a_trial_says_how_a_program_ended() -> None:
    assert attempt(["/bin/sh", "-c", "echo told; echo why >&2; exit 3"]).why() == "why"
    assert attempt(["/bin/sh", "-c", "exit 3"]).why() == "ended with status 3"
    assert attempt(["/bin/sh", "-c", "kill -9 $$"]).why() == "was killed by signal 9"
    assert attempt(["/nonexistent"]).status == 127
    assert len(attempt(["/bin/sh", "-c", "head -c 1000000 /dev/zero"]).out) == attempt_module._MOST_BYTES


def test_descriptors_arrive_where_they_were_asked_for() -> None:
    one, two = os.pipe()
    os.write(two, b"a letter")
    os.close(two)
    try:
        assert attempt(["/bin/sh", "-c", "cat <&3"], descriptors={3: one}).out == "a letter"
    finally:
        os.close(one)


def test_trials_leave_no_descriptor_open() -> None:
    before = os.listdir("/proc/self/fd")
    host._probe()
    assert len(os.listdir("/proc/self/fd")) == len(before)


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        ({"/proc/sys/kernel/unprivileged_userns_clone": "0"}, "unprivileged_userns_clone=1"),
        ({"/proc/sys/user/max_user_namespaces": "0"}, "max_user_namespaces"),
        ({"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1"}, "AppArmor"),
        ({}, ""),
    ],
)
def test_the_remedy_fits_the_cause(flags: dict[str, str], word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remedies, "_flag", lambda path: flags.get(path, ""))
    assert word in remedies.user_namespaces()


def test_what_was_found_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_cached", {})
    assert host.probe_host() is host.probe_host()

"""What a policy says is what there is inside: commands, write roots, executability, caps. As root and as anybody."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.sandbox.observation import Denial
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.tree import mark
from tests.support.ordinary import ORDINARY, as_ordinary_user
from tests.support.processes import cgroups_of, mounts
from tests.support.sandbox import policy, ran, shell

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.sandbox

COMMANDS = ["sh", "cat", "chmod", "cp", "head", "ls", "mkdir", "ln", "rm", "touch", "mkfifo"]


def listed(*more: str, **changes: Any) -> dict[str, Any]:
    return policy(allowed_commands=[*COMMANDS, *more], allowed_write_roots=["out", "dist"], **changes)


@pytest.fixture
def workspace() -> Iterator[str]:
    """Where an ordinary user can get to; pytest's own folders are root's."""
    place = tempfile.mkdtemp(prefix="affidavit workspäce ", dir="/var/tmp")
    yield place
    shutil.rmtree(place)


def test_only_listed_commands_and_their_companions_exist(workspace: str) -> None:
    told = ran(shell("ls /usr/bin /usr/sbin /usr/local/bin /usr/lib", workspace, policy=listed("npm")))
    found = set(told.out.decode().split())
    assert found >= {"sh", "cat", "npm", "node", "env"}
    assert not found & {"bash", "git", "perl", "python3", "npx", "mount", "bwrap", "gcc", "find"}
    assert {"node", "env", "dash", "npm/", "npm-cli.js"} <= set(told.spec.companions)
    assert not {"npm", "sh", "cat"} & set(told.spec.companions), "listed commands are no companions"


def test_node_and_npm_work_under_strict(workspace: str) -> None:
    script = "require('fs').writeFileSync('out/made', process.version)"
    told = ran(SandboxRequest(policy("strict"), ["node", "-e", script], workspace))
    assert told.seen.outcome == "exited", told.err
    with open(f"{workspace}/out/made", encoding="ascii") as file:
        assert file.read().startswith("v")
    assert ran(SandboxRequest(policy("strict"), ["npm", "--version"], workspace)).seen.exit_code == 0


def test_python_works_with_its_compiled_modules(workspace: str) -> None:
    script = "import ssl, sqlite3, ctypes, zlib, lzma, json; print('all there')"
    told = ran(SandboxRequest(listed("python3"), ["python3", "-c", script], workspace))
    assert told.out == b"all there\n", told.err


def test_an_interpreter_from_anywhere_works_by_its_path(workspace: str) -> None:
    """The interpreter of these tests may be of a version manager, or in a virtual environment."""
    program = os.path.realpath(sys.executable)
    request = SandboxRequest(
        listed(), [program, "-I", "-c", "import ssl, ctypes; print('there')"], workspace, also_commands=[program]
    )
    told = ran(request)
    assert told.out == b"there\n", told.err


def test_a_command_that_is_not_on_this_host_is_told(workspace: str) -> None:
    told = ran(SandboxRequest(listed("no-such-tool"), ["no-such-tool"], workspace))
    assert told.seen.outcome == "not_found"
    assert "commands.absent: no-such-tool" in told.seen.warnings


def test_nothing_that_was_written_can_be_executed(workspace: str) -> None:
    script = """
for place in /workspace/out /workspace/dist /tmp /dev/shm; do
  printf '#!/bin/sh\\necho started\\n' > $place/x && chmod 755 $place/x && $place/x
  cp /bin/cat $place/cat && chmod 755 $place/cat && echo started | $place/cat
  /lib64/ld-linux-x86-64.so.2 $place/cat /etc/passwd 2>/dev/null && echo started
done
"""
    told = ran(shell(script, workspace, policy=listed()))
    assert b"started" not in told.out
    assert told.err.count(b"Permission denied") == 8


def test_files_that_came_with_the_workspace_can_be_executed_unless_told_otherwise(workspace: str) -> None:
    tool = f"{workspace}/tool"
    with open(tool, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho started\n")
    os.chmod(tool, 0o755)
    assert ran(shell("./tool", workspace, policy=listed())).out == b"started\n"
    told = ran(shell("./tool", workspace, policy=listed(), noexec_workspace=True))
    assert (told.out, told.seen.exit_code) == (b"", 126)


def test_with_an_empty_list_what_was_built_runs(workspace: str) -> None:
    told = ran(shell("cp /bin/echo built && ./built works && cp built /tmp && /tmp/built too", workspace))
    assert told.out == b"works\ntoo\n", told.err


def test_everything_but_write_roots_and_private_places_is_read_only(workspace: str) -> None:
    script = "for at in / /dev /etc /usr /usr/bin /proc /proc/sys /workspace; do touch $at/made && echo $at; done"
    assert ran(shell(script, workspace, policy=listed())).out == b""


def test_the_host_is_not_to_be_seen(workspace: str) -> None:
    told = ran(shell("ls / /etc /home /root /var /run /mnt", workspace, policy=listed()))
    seen = set(told.out.decode().split())
    assert not seen & {"home", "root", "var", "run", "mnt", "shadow", "hostname"}


def test_outputs_change_in_the_workspace_as_they_changed_inside(workspace: str) -> None:
    os.makedirs(f"{workspace}/out/sub")
    for name in ("kept", "changed", "removed", "sub/removed"):
        with open(f"{workspace}/out/{name}", "w", encoding="ascii") as file:
            file.write(name)
    script = """
cat out/changed && echo more >> out/changed && rm -r out/removed out/sub && echo new > out/new
mkdir -p dist/deep/er && ln -s ../../out dist/deep/link && chmod 755 out/new && ln out/new out/hard
rm out/kept && cp out/changed out/kept; mkdir out/changed.d
"""
    told = ran(shell(script, workspace, policy=listed()))
    assert told.seen.exit_code == 0, told.err
    found = sorted(os.listdir(f"{workspace}/out"))
    assert found == ["changed", "changed.d", "hard", "kept", "new"]
    assert stat.S_IMODE(os.stat(f"{workspace}/out/new").st_mode) == 0o755
    assert os.readlink(f"{workspace}/dist/deep/link") == "../../out"
    with open(f"{workspace}/out/kept", encoding="ascii") as file:
        assert file.read() == "changedmore\n"


def test_unchanged_files_are_left_alone(workspace: str) -> None:
    os.makedirs(f"{workspace}/out")
    with open(f"{workspace}/out/same", "w", encoding="ascii") as file:
        file.write("same")
    before = os.stat(f"{workspace}/out/same")
    ran(shell("cat out/same", workspace, policy=listed()))
    after = os.stat(f"{workspace}/out/same")
    assert mark(before) == mark(after)


def test_commands_follow_one_another_over_one_workspace(workspace: str) -> None:
    ran(shell("echo 1 > out/n", workspace, policy=listed()))
    told = ran(shell("cat out/n; echo 2 >> out/n", workspace, policy=listed()))
    assert told.out == b"1\n"
    with open(f"{workspace}/out/n", encoding="ascii") as file:
        assert file.read() == "1\n2\n"


def test_a_special_file_is_left_out_and_named(workspace: str) -> None:
    told = ran(shell("mkfifo out/pipe && echo x > out/x", workspace, policy=listed()))
    assert os.listdir(f"{workspace}/out") == ["x"]
    assert "outputs.special_file: out/pipe" in told.seen.warnings


@pytest.mark.parametrize("rooms", [True, False])
def test_a_mode_hides_nothing(rooms: bool, workspace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an ordinary user: root may read everything."""
    if not rooms:
        monkeypatch.setattr("affidavit.sandbox.prepare.MOST_BYTES", -1)
    os.chown(workspace, ORDINARY, ORDINARY)
    script = "mkdir out/d && head -c 9000 /dev/zero > out/d/x && chmod 0 out/d/x out/d"

    def unprivileged() -> list[str]:
        some = ran(shell(script, workspace, policy=listed()))
        size = os.stat(f"{workspace}/out/d/x").st_size
        more = ran(shell("echo y > dist/y; chmod 0 out/d", workspace, policy=listed(max_total_output_bytes=1024)))
        over = ran(
            shell(
                "mkdir dist/d; head -c 1000 /dev/zero > dist/d/1; head -c 1000 /dev/zero > dist/d/2; chmod 0 dist/d",
                workspace,
                policy=listed(max_total_output_bytes=1024),
            )
        )
        return [some.seen.outcome, str(size), more.seen.outcome, over.seen.outcome]

    assert as_ordinary_user(unprivileged) == ["exited", "9000", "exited", "over_output_cap"]


@pytest.mark.parametrize("rooms", [True, False])
def test_bytes_beyond_the_cap_never_reach_storage(rooms: bool, workspace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not rooms:
        monkeypatch.setattr("affidavit.sandbox.prepare.MOST_BYTES", -1)
    script = "for n in 1 2 3 4 5 6 7 8 9; do head -c 600000 /dev/zero > out/$n; done; cat /dev/zero > out/a"
    capped = listed(max_total_output_bytes=2_000_000)
    told = ran(shell(script, workspace, policy=capped))
    assert told.spec.enforced["outputs"] == ("tmpfs" if rooms else "polled")
    assert told.seen.outcome == "over_output_cap"
    if rooms:
        with os.scandir(f"{workspace}/out") as found:
            assert 0 < sum(entry.stat().st_size for entry in found) <= 2_000_000


@pytest.mark.parametrize("rooms", [True, False])
def test_more_files_than_the_cap_stop_the_run(rooms: bool, workspace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not rooms:
        monkeypatch.setattr("affidavit.sandbox.prepare.MOST_BYTES", -1)
    script = "n=0; while :; do n=$((n+1)); : > out/$n; done"
    told = ran(shell(script, workspace, policy=listed(max_output_files=20)))
    assert told.seen.outcome == "over_output_cap"
    if rooms:
        assert len(os.listdir(f"{workspace}/out")) == 20


def test_a_sparse_file_is_as_large_as_it_says(workspace: str) -> None:
    script = "import os; f = os.open('out/s', os.O_CREAT | os.O_WRONLY); os.ftruncate(f, 1 << 40)"
    told = ran(SandboxRequest(listed("python3"), ["python3", "-c", script], workspace))
    assert told.seen.outcome == "signalled" or b"File too large" in told.err, told.err


def test_exactly_the_cap_is_allowed(workspace: str) -> None:
    script = "head -c 500000 /dev/zero > out/a; head -c 500000 /dev/zero > dist/b"
    told = ran(shell(script, workspace, policy=listed(max_total_output_bytes=1_000_000, max_output_files=2)))
    assert (told.seen.outcome, told.err) == ("exited", b"")
    assert os.stat(f"{workspace}/dist/b").st_size == 500_000


def test_memory_beyond_the_limit_is_attributed(workspace: str) -> None:
    script = "x = b'x' * (400 << 20)"
    told = ran(SandboxRequest(policy(), ["python3", "-c", script], workspace, max_memory_bytes=64 << 20))
    if told.spec.enforced["memory"] == "rlimit":
        assert b"MemoryError" in told.err
        return
    assert told.seen.outcome == "oom_killed"
    assert Denial("memory", "oom_kill") in told.seen.denials
    assert told.seen.peak_memory_bytes is not None
    assert told.seen.peak_memory_bytes <= 64 << 20


def test_processes_beyond_the_limit_are_refused(workspace: str) -> None:
    script = "n=0; while [ $n -lt 40 ]; do sleep 5 & n=$((n+1)); done"
    told = ran(shell(script, workspace, max_pids=16, timeout_ms=4000))
    assert b"ork" in told.err, "sh says: Cannot fork"


def test_as_an_ordinary_user_it_is_the_same(workspace: str) -> None:
    def unprivileged() -> list[tuple[str, bytes, bytes]]:
        first = ran(shell("cat /proc/self/status; echo x > out/x; echo y > y", workspace, policy=listed()))
        second = ran(shell("cp /bin/cat out/e; chmod 755 out/e; echo started | out/e", workspace, policy=listed()))
        third = ran(shell("head -c 3000000 /dev/zero > out/z", workspace, policy=listed(max_total_output_bytes=1024)))
        return [(one.seen.outcome, one.out, one.err) for one in (first, second, third)]

    os.chown(workspace, ORDINARY, ORDINARY)
    first, second, third = as_ordinary_user(unprivileged)
    assert first[0] == "exited"
    assert b"CapEff:\t0000000000000000" in first[1]
    assert b"CapBnd:\t0000000000000000" in first[1]
    assert b"Seccomp:\t2" in first[1]
    assert b"NoNewPrivs:\t1" in first[1]
    assert b"Read-only file system" in first[2]
    assert b"started" not in second[1]
    assert b"Permission denied" in second[2]
    assert third[0] in ("signalled", "over_output_cap")
    with open(f"{workspace}/out/x", encoding="ascii") as file:
        assert file.read() == "x\n"


def test_nothing_is_left_behind(workspace: str) -> None:
    before = os.listdir("/proc/self/fd"), mounts(), cgroups_of(os.getpid())
    for script in ("true", "exit 3", "sleep 9", "kill -9 $$", "head -c 9000000 /dev/zero > out/x"):
        ran(shell(script, workspace, policy=listed(), timeout_ms=1000))
    assert (os.listdir("/proc/self/fd"), mounts(), cgroups_of(os.getpid())) == before


def test_processor_time_is_that_of_all_processes_together(workspace: str) -> None:
    """One that each process spends a little of is spent all the same."""
    script = "for n in 1 2 3 4 5 6 7 8; do python3 -c 'while True: pass' & done; wait"
    told = ran(shell(script, workspace, max_cpu_seconds=1, timeout_ms=60_000))
    if told.spec.enforced["cpu"] == "rlimit":
        assert told.seen.cpu_ms is None
        return
    assert (told.seen.outcome, told.seen.timed_out) == ("signalled", False)
    assert Denial("cpu", "limit") in told.seen.denials
    assert told.seen.cpu_ms is not None
    assert told.seen.cpu_ms >= 1000


def test_a_program_of_another_place_works_by_its_path_under_an_open_list(workspace: str) -> None:
    place = tempfile.mkdtemp(prefix="affidavit-tools-", dir="/var/tmp")
    try:
        shutil.copy("/bin/echo", f"{place}/say")
        told = ran(SandboxRequest(policy(), [f"{place}/say", "here"], workspace))
    finally:
        shutil.rmtree(place)
    assert told.out == b"here\n", told.err


@pytest.mark.parametrize("base", ["/mnt", "/srv"])
def test_what_lies_in_a_folder_that_could_be_covered_is_seen(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A workspace or a tool there moves the covered folder elsewhere."""
    if not os.access(base, os.W_OK):
        monkeypatch.setattr("affidavit.sandbox.outer.BASES", ("/var/tmp", "/mnt"))
        base = "/var/tmp"
    with tempfile.TemporaryDirectory(dir=base) as place:
        os.mkdir(f"{place}/w")
        shutil.copy("/bin/echo", f"{place}/say")
        told = ran(SandboxRequest(listed(), [f"{place}/say", "here"], f"{place}/w", also_commands=[f"{place}/say"]))
        assert told.out == b"here\n", (told.seen.why, told.err)


def test_programs_that_are_links_to_alternatives_work_under_an_open_list(workspace: str) -> None:
    told = ran(shell("echo a b | awk '{print $2}'", workspace))
    assert told.out == b"b\n", told.err

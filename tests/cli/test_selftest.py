"""`affidavit selftest`: a table for a person, JSON for a program, and a status that cannot hide a leak."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from affidavit.cli.main import main
from tests.support.cli import affidavit, on_terminal
from tests.support.ordinary import as_ordinary_user

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox

SOME = ("--probe", "read_own_file", "--probe", "read_host_file", "--probe", "mount_a_file_system")


def test_a_program_reads_what_was_tried_and_by_what() -> None:
    ran = affidavit("selftest", "--policy", "dev", *SOME)
    told = json.loads(ran.out)
    assert ran.status == 0, ran
    assert told["ok"] is True
    assert told["policy"] == "dev"
    assert told["program"] == "/run/affidavit"
    assert told["interpreter"].startswith("/")
    assert {row["probe_id"]: row["verdict"] for row in told["probes"]} == {
        "read_own_file": "works",
        "read_host_file": "held",
        "mount_a_file_system": "held",
    }
    assert told["counts"]["held"] == 2
    assert told["counts"]["leak"] == 0


def test_a_person_reads_a_table() -> None:
    ran = on_terminal("selftest", "--color=never", "--policy", "dev", *SOME)
    assert ran.status == 0, ran
    lines = ran.out.decode().splitlines()
    assert "3 probes under the policy dev" in lines
    (line,) = [line for line in lines if "read host file" in line]
    assert line.split() == ["read", "host", "file", "deny", "deny", "held", "ENOENT"]
    assert lines[-1] == "2 held, 1 works"


def test_what_is_not_tried_is_no_success_that_is_hidden(tmp_path: Path) -> None:
    """A command that the host lacks: the probe that needs it says so."""
    profile = json.loads(affidavit("policy", "show", "dev").out) | {"name": "mine"}
    profile["allow_network"] = True
    (tmp_path / "mine.json").write_text(json.dumps(profile))
    ran = affidavit("selftest", "--policy-file", str(tmp_path / "mine.json"), "--probe", "find_a_way_out")
    (row,) = json.loads(ran.out)["probes"]
    assert (row["verdict"], row["missing"]) == ("not tried", "no network")


def test_a_sandbox_that_cannot_be_had_is_no_leak_and_no_success() -> None:
    """Without bubblewrap the gaps are named, and the status is neither 0 nor 1."""
    without = (
        "from affidavit.sandbox import programs; programs.PROGRAM_FOLDERS = ('/nonexistent',)\n"
        "from affidavit.cli.main import main; raise SystemExit(main(['selftest', '--probe', 'read_own_file']))"
    )
    ran = subprocess.run([sys.executable, "-c", without], capture_output=True, check=False)
    assert ran.returncode == 2
    error = json.loads(ran.stderr)
    assert error["code"] == "RUN_E005"
    assert "bwrap" in error["details"]["gaps"]


@pytest.mark.parametrize(
    "words", [("--probe", "read_host_fil"), ("--allow-degraded", "network"), ("--policy", "lax"), ("something",)]
)
def test_wrong_usage_is_told_as_such(words: tuple[str, ...]) -> None:
    ran = affidavit("selftest", *words)
    assert ran.status == 3
    assert ran.out == b""


def test_a_leak_is_told_and_is_no_success() -> None:
    """A sandbox whose network is the host's."""
    weakened = (
        "from affidavit.sandbox import launch, spec\n"
        "launch.bwrap_words = lambda *given: [word for word in spec.bwrap_words(*given) if word != '--unshare-net']\n"
        "from affidavit.cli.main import main\n"
        "raise SystemExit(main(['selftest', '--probe', 'connect_to_host_tcp', '--probe', 'read_own_file']))"
    )
    ran = subprocess.run([sys.executable, "-c", weakened], capture_output=True, check=False)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["ok"], told["counts"]["leak"]) == (1, False, 1)
    (leak,) = [row for row in told["probes"] if row["verdict"] == "leak"]
    assert leak["probe_id"] == "connect_to_host_tcp"
    assert (leak["expected"], leak["observed"]) == ("deny", "allow")
    assert leak["witnessed"] == ["tcp heard from it"]


def test_an_ordinary_user_can_ask_too() -> None:
    main(["selftest", "--json", *SOME])  # loads what nobody may read where it is installed

    def asked() -> tuple[int, bytes]:
        written = os.memfd_create("stdout")
        sys.stdout = open(written, "w", encoding="utf-8")  # noqa: SIM115 -- the child ends with it
        status = main(["selftest", "--json", *SOME])
        return status, os.pread(written, 1 << 20, 0)

    status, out = as_ordinary_user(asked)
    assert status == 0
    assert json.loads(out)["counts"]["held"] == 2

"""The launchd job, byte for byte, and what launchd's answer about it proves (contracts 4.9)."""

from __future__ import annotations

import os
import plistlib
import sys

import pytest

from affidavit.contracts.run_manifest import EXAMPLE, proof_faults, verify_run_manifest
from affidavit.errors import UsageError
from affidavit.runtime.channels import require
from affidavit.runtime.launchd import Job, commands, manager_of, property_list
from affidavit.runtime.refused import ChannelRefused

JOB = Job(
    "pr_mjz4k1s0_9f86d081",
    ("/usr/local/bin/python3", "-I", "-m", "affidavit.runtime.worker"),
    "/Users/ci/out/.probing",
    501,
)
GOLDEN = os.path.join(os.path.dirname(__file__), "golden", "launchd.plist")

PRINTED = """\
user/501/affidavit.pr_mjz4k1s0_9f86d081 = {
\tactive count = 1
\tpath = /Users/ci/out/.probing/affidavit.pr_mjz4k1s0_9f86d081.plist
\ttype = LaunchAgent
\tstate = running

\tprogram = /usr/local/bin/python3
\tpid = 4711
}
"""


def test_the_property_list_is_the_golden_one() -> None:
    with open(GOLDEN, "rb") as file:
        assert property_list(JOB) == file.read()


def test_the_property_list_holds_what_it_should() -> None:
    told = plistlib.loads(property_list(JOB))
    assert told["Label"] == "affidavit.pr_mjz4k1s0_9f86d081"
    assert told["ProgramArguments"] == list(JOB.argv)
    assert not told["KeepAlive"]
    assert set(told["EnvironmentVariables"]) == {"LANG", "PATH", "TZ"}
    assert told["Umask"] == 0o077


def test_the_commands_in_their_order() -> None:
    target = "user/501/affidavit.pr_mjz4k1s0_9f86d081"
    plist = "/Users/ci/out/.probing/affidavit.pr_mjz4k1s0_9f86d081.plist"
    assert [*commands(JOB).values()] == [
        ("/bin/launchctl", "bootstrap", "user/501", plist),
        ("/bin/launchctl", "kickstart", "-p", target),
        ("/bin/launchctl", "print", target),
        ("/bin/launchctl", "bootout", target),
    ]


def test_what_launchd_says_of_its_job_is_the_managers_half_of_the_proof() -> None:
    manager = manager_of(PRINTED, JOB)
    assert manager == {
        "pid": 4711,
        "unit": "affidavit.pr_mjz4k1s0_9f86d081",
        "cgroup": None,
        "invocation_id": None,
        "manager_pid": 1,
    }
    worker = {"pid": 4711, "parent_pid": 1, "unit": JOB.label, "cgroup": None, "invocation_id": None}
    proof = {"worker": worker, "manager": manager}
    assert [*proof_faults("launchd_clean", JOB.run_id, proof)] == []
    manifest = {**EXAMPLE, "channel": "launchd_clean", "channel_proof": proof}
    assert verify_run_manifest(manifest, level="strict").ok
    # started by somebody else, or another process of that name
    assert [*proof_faults("launchd_clean", JOB.run_id, {**proof, "worker": {**worker, "parent_pid": 400}})]
    assert [*proof_faults("launchd_clean", JOB.run_id, {**proof, "worker": {**worker, "pid": 4712}})]


@pytest.mark.parametrize(
    "printed",
    [
        "",
        "Could not find service",
        PRINTED.replace("running", "waiting"),
        PRINTED.replace("\tpid = 4711\n", ""),
        PRINTED.replace("pid = 4711", "pid = 4711x"),
        PRINTED.replace("9f86d081", "9f86d082"),
    ],
)
def test_a_job_that_does_not_run_is_no_proof(printed: str) -> None:
    assert manager_of(printed, JOB) is None


@pytest.mark.parametrize(("argv", "folder"), [(("python3",), "/x"), (("/x",), "out"), ((), "/x")])
def test_a_job_has_absolute_paths(argv: tuple[str, ...], folder: str) -> None:
    with pytest.raises(UsageError):
        Job("pr_1", argv, folder, 501)


def test_elsewhere_than_on_macos_the_channel_is_refused_with_its_reason() -> None:
    assert sys.platform != "darwin"
    with pytest.raises(ChannelRefused, match="launchd is the manager of macOS, and this is another system"):
        require("launchd_clean")

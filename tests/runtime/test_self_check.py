"""Whether a process is already confined (contracts 4.9), on recorded readings and on real processes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from affidavit.canon.reader import read
from affidavit.contracts.apply_preflight import EXAMPLE, verify_apply_preflight
from affidavit.runtime.self_check import Readings, judged, self_check

STATUS = "Name:\tx\nCapBnd:\t000001ffffffffff\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n"
FREE: dict[str, str | None] = {
    "status": STATUS,
    "init_status": STATUS,
    "namespace": "user:[4026531837]",
    "label": "unconfined",
}


def check(**readings: str | None) -> dict[str, Any]:
    return judged(Readings(**{**FREE, **readings}))


def test_nothing_that_confines_is_told_as_free() -> None:
    assert check() == {
        "source": "linux_self_check",
        "no_new_privs": False,
        "seccomp": 0,
        "seccomp_filters": 0,
        "cap_bnd": "000001ffffffffff",
        "user_ns_initial": True,
        "lsm_label": "unconfined",
        "landlock": "not_observable",
        "sandboxed": False,
    }


@pytest.mark.parametrize(
    "readings",
    [
        {"status": STATUS.replace("NoNewPrivs:\t0", "NoNewPrivs:\t1")},
        {"status": STATUS.replace("Seccomp:\t0", "Seccomp:\t2")},
        {"status": STATUS.replace("Seccomp:\t0", "Seccomp:\t1")},
        {"status": STATUS.replace("CapBnd:\t000001ff", "CapBnd:\t000001fe")},
        {"namespace": "user:[4026532000]"},
        {"label": "docker-default (enforce)"},
        {"label": "system_u:system_r:container_t:s0:c1,c2"},
    ],
)
def test_each_sign_alone_is_enough(readings: dict[str, str]) -> None:
    assert check(**readings)["sandboxed"] is True


@pytest.mark.parametrize("label", ["", "unconfined", "bwrap (unconfined)", "system_u:system_r:unconfined_service_t:s0"])
def test_a_label_that_confines_nothing_is_no_sign(label: str) -> None:
    assert check(label=label)["sandboxed"] is False


def test_what_the_whole_system_lacks_confines_nobody_in_particular() -> None:
    lacking = STATUS.replace("000001ff", "000001fe")
    assert check(status=lacking, init_status=lacking)["sandboxed"] is False


@pytest.mark.parametrize("name", FREE)
def test_what_cannot_be_read_is_no_denial(name: str) -> None:
    told = check(**{name: None})
    assert "sandboxed" not in told
    assert told["error"].startswith("could not be read: ")
    assert verify_apply_preflight({**EXAMPLE, "sandbox_check_self": told}, level="strict").ok


def test_a_sign_counts_also_where_something_else_cannot_be_read() -> None:
    assert check(label=None, namespace="user:[1]")["sandboxed"] is True


def test_the_check_of_a_process_that_gave_up_new_privileges() -> None:
    """PR_SET_NO_NEW_PRIVS is inherited, so a child that sets it tells on itself."""
    script = (
        "import ctypes\n"
        "assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0\n"
        "from affidavit.canon.jcs import canonical\n"
        "from affidavit.runtime.self_check import self_check\n"
        "print(canonical(self_check()).decode())\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, timeout=60).stdout
    told: Any = read(said)
    assert (told["no_new_privs"], told["sandboxed"]) == (True, True)


def test_the_check_of_this_process_is_a_document() -> None:
    assert verify_apply_preflight({**EXAMPLE, "sandbox_check_self": self_check()}, level="strict").ok

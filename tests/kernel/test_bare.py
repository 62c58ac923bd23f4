"""What may be tried without a sandbox, whatever a registry says of itself (contracts 4.8)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.kernel import canonicalization, conformance
from affidavit.kernel.bare import may_be_bare
from affidavit.kernel.probes import Probe

BUILT_IN = [*conformance.PROBES, *canonicalization.PROBES]


def probe(driver: str, *, bare: bool = True) -> Probe:
    return Probe("p", "file-read-data", driver, bare=bare)


def test_the_built_in_probes_keep_their_word() -> None:
    assert all(may_be_bare(each) == each.bare for each in BUILT_IN)
    assert sum(each.bare for each in BUILT_IN) > 50


def test_what_is_tried_bare_depends_on_no_other_part_of_a_policy_than_its_first_root() -> None:
    """So profiles that agree in it can share what was seen (runtime/lanes.py)."""
    of_a_policy = ("{listed}", "{bytes_over}", "{file_bytes}", "{files_over}")
    assert [each.probe_id for each in BUILT_IN if each.bare and any(name in each.driver for name in of_a_policy)] == []


#: Places of the host that a built-in probe may name without a sandbox: it reads them, or its own view of itself.
NAMED = re.compile(r"^(/bin/sh|/proc/self/root|(/\.\.)+)$")


def test_the_built_in_probes_aim_at_fixtures() -> None:
    for each in BUILT_IN:
        for word in each.driver.split()[1:] if each.bare else ():
            place = re.sub(r"\{[a-z0-9]+\}", " ", word).split(" ")[0]
            assert not place.startswith("/") or NAMED.match(place), f"{each.probe_id}: {word}"


@pytest.mark.parametrize(
    "driver",
    [
        "files.read {workspace}/a.txt",
        "files.create_through_link {root}/link {outside}/x",
        "files.write {tmp}/x",
        "network.unix {outside}/socket",
        "network.own_tcp",
    ],
)
def test_attempts_on_fixtures_may_be_tried(driver: str) -> None:
    assert may_be_bare(probe(driver))
    assert not may_be_bare(probe(driver, bare=False))


@pytest.mark.parametrize(
    "driver",
    [
        "",
        "files.unlink /etc/passwd",
        "files.unlink {workspace}/../../etc/passwd",
        "files.unlink {workspace}",
        "files.unlink {workspace}{outside}/secret.txt",
        "files.unlink {workspace}/{listed}",
        "files.create_through_link {root}/link /etc/x",
        "files.write {workspace}/a /etc/x",
        "files.fill {root}/x 999999999999",
        "programs.hear x /bin/rm -rf /",
        "programs.start {listed}",
        "processes.fork_bomb 9999",
        "doors.mount {root}",
        "network.tcp 192.0.2.1 22",
        "files.unlink {pid}",
        "no.such {workspace}/a",
    ],
)
def test_a_registrys_word_is_no_proof(driver: str) -> None:
    assert not may_be_bare(probe(driver))


@given(words=st.lists(st.text(alphabet="{}./ awspronut", max_size=24), max_size=3))
def test_no_word_leads_out_of_the_fixtures(words: list[str]) -> None:
    driver = " ".join(["files.unlink", *words])
    if may_be_bare(probe(driver)):
        for word in driver.split()[1:]:
            assert re.match(r"^\{(workspace|root|outside|tmp|shm)\}/", word), word
            assert ".." not in word.split("/")

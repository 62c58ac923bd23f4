"""`affidavit doctor`: what is there, what is missing and what to do about it; its status tells a gap."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from affidavit.cli.output import Output
from affidavit.cli.verbs import doctor
from affidavit.sandbox.abilities import ABILITIES, Ability, HostFacts
from affidavit.sandbox.claims import NOT_CLAIMED
from tests.support.cli import affidavit, on_terminal

if TYPE_CHECKING:
    from affidavit.sandbox.abilities import AbilityName


@pytest.mark.sandbox
def test_a_program_reads_every_ability() -> None:
    ran = affidavit("doctor")
    told = json.loads(ran.out)
    assert [entry["name"] for entry in told["abilities"]] == list(ABILITIES)
    assert told["ok"] == all(entry["works"] for entry in told["abilities"]) == (ran.status == 0)
    assert all(entry["remedy"] for entry in told["abilities"] if entry["weaker"] or not entry["works"])
    assert told["not_claimed"] == sorted(NOT_CLAIMED)
    assert told["landlock_abi"] is None or told["landlock_abi"] >= 1
    assert told["isolation_level"] in ("strict", "standard", "none")
    assert told["node_version"].startswith("v")


@pytest.mark.sandbox
def test_a_person_reads_a_table() -> None:
    lines = on_terminal("doctor", "--color=never").out.decode().splitlines()
    assert sum(line.split()[:1] in (["works"], ["weaker"], ["gap"]) for line in lines) == len(ABILITIES)


def host_without(*gaps: AbilityName, weaker: tuple[AbilityName, ...] = ()) -> HostFacts:
    return HostFacts(
        abilities=[
            Ability(
                name,
                name not in gaps,
                "seen",
                f"mend {name}" if name in (*gaps, *weaker) else "",
                weaker=name in weaker,
            )
            for name in ABILITIES
        ]
    )


@pytest.mark.parametrize(
    ("host", "status", "level"),
    [
        (host_without(), 0, "strict"),
        (host_without(weaker=("memory",)), 0, "standard"),
        (host_without("seccomp"), 1, "standard"),
        (host_without("network_namespace"), 1, "none"),
    ],
)
def test_the_status_tells_a_gap(
    host: HostFacts, status: int, level: str, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(doctor, "probe_host", lambda: host)
    from affidavit.cli.args import parse

    assert doctor.run(parse(doctor.VERB, []), Output(json=True)) == status
    told = json.loads(capfdbinary.readouterr().out)
    assert (told["ok"], told["isolation_level"]) == (status == 0, level)


def test_each_gap_has_its_remedy_beside_it(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr(doctor, "probe_host", lambda: host_without("seccomp", "mounts", weaker=("pids",)))
    from affidavit.cli.args import parse

    out = Output(color="never")
    out.for_program = False
    assert doctor.run(parse(doctor.VERB, []), out) == 1
    told = capfdbinary.readouterr().out.decode()
    assert all(f"remedy: mend {name}" in told for name in ("seccomp", "mounts", "pids"))
    assert "--allow-degraded seccomp" in told
    assert "--allow-degraded mounts" not in told, "write roots and networks are never degraded"

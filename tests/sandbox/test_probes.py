"""Probes are data and their reports are judged without touching the world; bare, they reach what they aim at."""

from __future__ import annotations

import errno
import importlib
import inspect
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.policy import BUILT_IN_NAMES, built_in
from affidavit.contracts.probe_registry import verify_probe_registry
from affidavit.contracts.probing import OPERATIONS
from affidavit.kernel import probes as module
from affidavit.kernel.conformance import PROBES, REGISTRY_ID
from affidavit.kernel.oracle import predict
from affidavit.kernel.probes import Ended, Probe, Said, judged, registry, rules
from affidavit.sandbox.bare import try_bare
from affidavit.sandbox.fixtures import Fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator

BY_ID = {probe.probe_id: probe for probe in PROBES}
OPEN = {**built_in("dev"), "name": "open", "allow_network": True}
POLICIES: list[dict[str, Any]] = [*(built_in(name) for name in BUILT_IN_NAMES), OPEN]

#: Neither changes the host nor exhausts it, so it may be tried bare: no operation of these (contracts 4.8).
HARMFUL = ("process-fork", "mount", "ptrace", "signal", "sysctl-write")


def test_the_suite_is_a_registry() -> None:
    document = registry(REGISTRY_ID, PROBES)
    report = verify_probe_registry(document, level="strict")
    assert report.findings == ()
    assert len(BY_ID) == len(PROBES)
    assert sum(probe.expected(built_in("strict")) == "deny" for probe in PROBES) >= 40


def test_every_operation_is_probed() -> None:
    assert {probe.operation for probe in PROBES} == set(OPERATIONS)


def test_what_could_harm_the_host_has_no_baseline() -> None:
    assert [probe.probe_id for probe in PROBES if probe.bare and probe.operation in HARMFUL] == []
    bombs = [probe for probe in PROBES if probe.limits or "without_end" in probe.probe_id or probe.ends]
    assert bombs
    assert [probe.probe_id for probe in bombs if probe.bare] == []


def test_every_driver_is_an_attempt_of_the_program_with_its_words() -> None:
    for probe in PROBES:
        place, *words = probe.driver.split()
        name, _, function = place.partition(".")
        attempt = getattr(importlib.import_module(f"affidavit.sandbox.probe.{name}"), function)
        assert inspect.isgeneratorfunction(attempt)
        inspect.signature(attempt).bind(*words)


def test_controls_make_the_same_kind_of_attempt_and_are_allowed() -> None:
    for probe in PROBES:
        for control in probe.controls:
            for policy in POLICIES:
                assert BY_ID[control].expected(policy) == "allow"


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy["name"])
def test_the_oracle_does_not_contradict_the_expectation(policy: dict[str, Any]) -> None:
    """It settles fewer than the suite knows, and none otherwise."""
    predicted = {probe.probe_id: predict(policy, probe.row())[0] for probe in PROBES if probe.oracle}
    told = {name: decision for name, decision in predicted.items() if decision is not None}
    assert told == {name: BY_ID[name].expected(policy) for name in told}
    assert len(told) > 40


def test_a_profile_has_rules_where_it_expects_something_else() -> None:
    assert rules(built_in("strict"), PROBES) == []
    changed = {rule["probe"]: rule["expected"] for rule in rules(OPEN, PROBES)}
    assert changed["connect_to_host_tcp"] == "allow"
    assert changed["write_input_file"] == "allow"
    assert changed["exec_unlisted_command"] == "allow"
    assert "read_host_file" not in changed


READ = BY_ID["read_host_file"]
EXITED = Ended("exited", status=0)


def report(*lines: str) -> Said:
    return Said("".join(f"affidavit-probe {line}\n" for line in lines).encode())


def test_the_kernels_answer_decides() -> None:
    allowed = judged(READ, report("started", "reached requested=2f61", "answered errno=0"), EXITED, witnessed=False)
    assert (allowed.decision, allowed.requested) == ("allow", "/a")
    denied = judged(READ, report("started", "reached", "answered errno=13"), EXITED, witnessed=False)
    assert (denied.decision, denied.errno, denied.answer()["failure_stage"]) == ("deny", 13, "probe")


@pytest.mark.parametrize(
    ("lines", "outcome", "stage"),
    [
        ((), "sandbox_failed", "apply"),
        ((), "not_found", "bootstrap"),
        ((), "exited", "bootstrap"),
        (("started",), "exited", "probe"),
        (("started", "stopped errno=2"), "exited", "probe"),
        (("started", "reached"), "exited", "probe"),
        (("started", "reached", "answered"), "exited", "probe"),
        (("started", "reached", "answered errno=x"), "exited", "probe"),
        (("started", "reached"), "timed_out", "probe"),
    ],
)
def test_what_was_not_reached_or_not_answered_is_neither(lines: tuple[str, ...], outcome: str, stage: str) -> None:
    seen = judged(READ, report(*lines), Ended(outcome, status=0), witnessed=False)
    assert seen.decision is None
    assert seen.answer()["failure_stage"] == stage


def test_what_the_host_saw_outweighs_what_the_process_was_told() -> None:
    for said in (report(), report("started", "reached", "answered errno=13")):
        assert judged(READ, said, EXITED, witnessed=True).decision == "allow"


def test_a_success_that_the_host_did_not_see_is_none_where_only_that_counts() -> None:
    lived = BY_ID["outlive_the_command"]
    assert judged(lived, report("started", "reached", "answered errno=0"), EXITED, witnessed=False).errno == errno.ESRCH


@pytest.mark.parametrize(
    ("name", "ended", "answer"),
    [
        ("eat_memory_without_end", Ended("oom_killed", signal=9), errno.ENOMEM),
        ("outlast_the_timeout", Ended("timed_out", signal=9), errno.ETIMEDOUT),
        ("burn_without_end", Ended("signalled", signal=24), errno.ETIME),
        ("write_without_end", Ended("over_output_cap", signal=9), errno.EDQUOT),
        ("mount_a_file_system", Ended("signalled", signal=31), errno.EPERM),
    ],
)
def test_a_limit_that_ends_the_process_is_an_answer_where_it_is_the_one_that_was_to_hold(
    name: str, ended: Ended, answer: int
) -> None:
    said = report("started", "reached")
    assert judged(BY_ID[name], said, ended, witnessed=False).errno == answer
    assert judged(READ, said, Ended("oom_killed", signal=9), witnessed=False).decision is None


def test_a_breach_that_was_noticed_after_it_is_no_success() -> None:
    many = BY_ID["create_files_without_end"]
    said = report("started", "reached", "answered errno=0")
    assert judged(many, said, Ended("over_output_cap", signal=9), witnessed=False).errno == errno.EDQUOT
    assert judged(many, said, EXITED, witnessed=False).decision == "allow"


def test_a_child_that_was_killed_in_the_operation_is_a_denial() -> None:
    said = report("started", "reached", "answered errno=0 killed=31")
    assert judged(BY_ID["enter_by_the_32_bit_gate"], said, EXITED, witnessed=False).errno == errno.EPERM


def test_a_supervisor_that_is_gone_is_a_leak_though_nobody_can_say_so() -> None:
    said = report("started", "reached")
    gone = judged(BY_ID["kill_the_supervisor"], said, Ended("sandbox_killed", signal=9), witnessed=False)
    assert gone.decision == "allow"


@given(st.binary(max_size=400), st.sampled_from(PROBES), st.booleans())
def test_any_output_is_judged(output: bytes, probe: Probe, marked: bool) -> None:
    said = Said((module.MARK + output) if marked else output)
    assert judged(probe, said, EXITED, witnessed=False).decision in (None, "allow", "deny")
    assert isinstance(said.data, bytes)


@pytest.fixture(scope="module")
def fixtures() -> Iterator[Fixtures]:
    with Fixtures() as made:
        yield made


#: Kernels are built without it.
NOT_EVERYWHERE = {"open_a_crypto_socket"}


@pytest.mark.parametrize("name", [probe.probe_id for probe in PROBES if probe.bare])
def test_bare_every_probe_gets_through(name: str, fixtures: Fixtures) -> None:
    """What a sandbox denies is denied by the sandbox: without one, the same attempt succeeds here."""
    probe = BY_ID[name]
    policy = built_in("strict")
    if fixtures.missing(probe, policy) is None:
        seen = try_bare(fixtures, probe, policy)
        assert seen.reached, seen.kind
        assert seen.decision == "allow" or name in NOT_EVERYWHERE, seen.errno


def test_the_fixtures_notice_what_happens_to_them(fixtures: Fixtures) -> None:
    for name, told in (
        ("write_host_file", "the host's files changed"),
        ("unlink_host_file", "the host's files changed"),
        ("hard_link_out", "the host's files changed"),
        ("connect_to_host_tcp", "tcp heard from it"),
        ("send_to_host_udp", "udp heard from it"),
        ("connect_to_host_socket_file", "socket heard from it"),
        ("connect_to_host_abstract_socket", "abstract heard from it"),
        ("serve_the_host", "the host was served by it"),
        ("read_host_file", "it read the host's secret"),
    ):
        noticed = _noticed(fixtures, name)
        assert told in noticed, name
        assert _noticed(fixtures, "read_own_file") == []


def _noticed(fixtures: Fixtures, name: str) -> list[str]:
    from affidavit.sandbox.attempt import attempt

    with fixtures.trying(BY_ID[name], built_in("strict"), inside=False) as trying:
        ended = attempt(trying.argv)
        return trying.witnessed(Said(ended.out.encode()))


def test_an_error_without_a_number_is_no_answer_of_the_kernel() -> None:
    """As when an address is too long to be spelled: it must not read as success."""
    said = Said(b"affidavit-probe started\naffidavit-probe reached\naffidavit-probe answered \n")
    seen = judged(BY_ID["read_own_file"], said, Ended("exited", status=0), witnessed=False)
    assert (seen.reached, seen.decision) == (False, None)

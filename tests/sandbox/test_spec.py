"""Policy and host to words, without running anything."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.errors import UsageError
from affidavit.sandbox.abilities import ABILITIES, DEGRADABLE
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.outer import BASES, Outer, Room, base_for
from affidavit.sandbox.request import MAX_MEMORY_BYTES, SandboxRequest
from affidavit.sandbox.spec import Ground, bwrap_words, plan, topmost
from tests.sandbox.golden_cases import HERE, LISTED, OPEN, WORKSPACE, cases, host, told
from tests.support.sandbox import policy

if TYPE_CHECKING:
    from affidavit.sandbox.abilities import AbilityName

GROUND = Ground(0, 0, "/mnt", fits=True)


@pytest.mark.parametrize("name", sorted(cases()))
def test_the_words_are_these(name: str) -> None:
    with open(os.path.join(HERE, f"{name}.txt"), encoding="utf-8") as file:
        assert told(cases()[name]) == file.read()


def test_every_golden_file_is_compared() -> None:
    assert sorted(os.listdir(HERE)) == sorted(f"{name}.txt" for name in cases())


@pytest.mark.parametrize("name", [name for name in ABILITIES if name != "network_namespace"])
def test_what_the_host_cannot_enforce_is_refused_and_named(name: AbilityName) -> None:
    found = plan(SandboxRequest(policy("strict"), ["node"], WORKSPACE), host(name), LISTED, GROUND)
    assert isinstance(found, Gaps)
    assert [gap.name for gap in found.gaps] == [name]
    error = found.error()
    assert (error.code, error.details["gaps"]) == ("RUN_E005", [name])


@pytest.mark.parametrize("name", ABILITIES)
def test_only_what_may_degrade_can_be_gone_without(name: AbilityName) -> None:
    request = SandboxRequest(policy("strict"), ["node"], WORKSPACE, degraded=ABILITIES)
    found = plan(request, host(name), LISTED, GROUND)
    assert isinstance(found, Gaps) == (name not in DEGRADABLE)
    if not isinstance(found, Gaps):
        assert found.isolation_level == "standard"
        assert f"sandbox.degraded.{name}" in found.warnings


def test_a_network_is_a_gap_only_where_the_policy_forbids_it() -> None:
    lacking = host("network_namespace")
    closed, opened = policy(), policy(allow_network=True)
    assert isinstance(plan(SandboxRequest(closed, ["x"], WORKSPACE), lacking, OPEN, GROUND), Gaps)
    assert not isinstance(plan(SandboxRequest(opened, ["x"], WORKSPACE), lacking, OPEN, GROUND), Gaps)


def test_a_weaker_mechanism_is_no_gap_and_the_record_says_which() -> None:
    found = plan(SandboxRequest(policy(), ["x"], WORKSPACE), host(weaker=("memory",)), OPEN, GROUND)
    assert not isinstance(found, Gaps)
    assert (found.enforced["memory"], found.isolation_level) == ("rlimit", "standard")


def test_options_lower_limits_and_never_raise_them() -> None:
    lower = SandboxRequest(policy(), ["x"], "/w", timeout_ms=5000, max_memory_bytes=1 << 20, max_pids=3)
    assert (lower.timeout_ms, lower.max_memory_bytes, lower.max_pids, lower.max_cpu_seconds) == (5000, 1 << 20, 3, 10)
    higher = SandboxRequest(policy("strict"), ["x"], "/w", timeout_ms=10**9, max_memory_bytes=1 << 50)
    assert (higher.timeout_ms, higher.max_memory_bytes) == (30_000, MAX_MEMORY_BYTES)
    with pytest.raises(UsageError):
        SandboxRequest(policy(), ["x"], "/w", max_pids=0)


@pytest.mark.parametrize("argv", [[], [""], ["a\0b"]])
def test_words_that_no_command_line_can_carry_are_refused(argv: list[str]) -> None:
    with pytest.raises(UsageError):
        SandboxRequest(policy(), argv, "/w")


@pytest.mark.parametrize("name", ["", "A=B", "PATH", "HOME", "LANG", "TZ"])
def test_variables_that_are_none_or_fixed_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        SandboxRequest(policy(), ["x"], "/w", environment={name: "x"})


def test_values_of_variables_are_on_no_command_line() -> None:
    """/proc shows every command line to every user."""
    request = SandboxRequest(policy(), ["x"], WORKSPACE, environment={"TOKEN": "hush-hush"})
    spec = plan(request, host(), OPEN, GROUND)
    assert not isinstance(spec, Gaps)
    assert "hush-hush" in bwrap_words(spec, 1)
    assert not any("hush-hush" in word for word in (*spec.outer_words, spec.bwrap, *spec.argv))


ROOTS = st.lists(st.text("ab./", min_size=1, max_size=6).filter(lambda root: ".." not in root), max_size=5)


@given(ROOTS)
def test_no_root_is_inside_another_and_none_is_lost(roots: list[str]) -> None:
    kept = topmost(roots)
    for one, other in pairwise(kept):
        assert not f"{other}/".startswith(f"{one}/")
    for root in roots:
        plain = "/".join(part for part in root.split("/") if part not in ("", "."))
        assert kept == (".",) or any(f"{plain}/".startswith(f"{one}/") for one in kept)


def test_an_empty_list_of_roots_is_the_whole_workspace() -> None:
    assert topmost([]) == topmost(["out", "."]) == (".",)


def test_the_covered_folder_holds_nothing_that_is_needed() -> None:
    assert base_for(["/home/u"], BASES) == "/mnt"
    assert base_for(["/mnt/data/u", "/media"], BASES) == "/srv"
    assert base_for(["/mntx"], BASES) == "/mnt"
    assert base_for([*BASES], BASES) is None
    assert base_for([], ["/sys"]) == "/sys"


def test_a_workspaces_name_cannot_add_to_the_table_of_mounts() -> None:
    hostile = "/w s\t#\\\n/etc /x none bind 0 0\n"
    lines = Outer("/mnt", [Room("0", 4096, 8, noexec=True)], hostile).table().decode().splitlines()
    assert len(lines) == 3
    source, target, *_ = lines[2].split(" ")
    assert source == r"/w\040s\011\043\134\012/etc\040/x\040none\040bind\0400\0400\012"
    assert target == "/mnt/workspace"

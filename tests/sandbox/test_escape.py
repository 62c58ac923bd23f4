"""Nothing gets out: the escape suite in the sandboxes that the policies yield, as root and as an ordinary user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from affidavit.contracts.policy import BUILT_IN_NAMES, built_in
from affidavit.kernel.conformance import PROBES
from affidavit.sandbox import prepare as preparing
from affidavit.sandbox.escape import Finding, escape_suite
from affidavit.sandbox.fixtures import Fixtures, program_files
from tests.support.ordinary import as_ordinary_user

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.sandbox

BY_ID = {probe.probe_id: probe for probe in PROBES}
OPEN = {**built_in("dev"), "name": "open", "allow_network": True}
POLICIES: list[dict[str, Any]] = [*(built_in(name) for name in BUILT_IN_NAMES), OPEN]


def faults(findings: Iterable[Finding]) -> list[str]:
    return [f"{finding.probe.probe_id}: {finding.verdict}" for finding in findings if finding.is_fault]


def suite(policy: dict[str, Any], *names: str) -> list[Finding]:
    return escape_suite(policy, probes=[BY_ID[name] for name in names] if names else PROBES)


def test_sysctls_of_the_host_cannot_be_written_by_a_command_that_root_started() -> None:
    """The kernel asks for no capability there: whoever is root on the host is root for them."""
    assert faults(suite(built_in("dev"), "set_the_core_pattern", "press_the_magic_key", "write_memory_of_init")) == []


@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[2], OPEN], ids=lambda policy: policy["name"])
def test_nothing_gets_out(policy: dict[str, Any]) -> None:
    findings = suite(policy)
    assert faults(findings) == []
    tried = [finding for finding in findings if finding.seen is not None]
    assert len(tried) >= len(PROBES) - 3
    assert sum(finding.verdict == "held" for finding in findings) >= 80


CUSTOM = (
    {"allowed_commands": ["node"]},
    {"allowed_commands": ["sh", "id"], "allowed_write_roots": ["a/b", "c"], "allow_network": True},
    {"max_total_output_bytes": 1024, "max_output_files": 1, "timeout_ms": 1000},
    {"allowed_commands": ["no-such-command"], "allowed_write_roots": ["out"]},
)


@pytest.mark.parametrize("changes", CUSTOM)
def test_policies_of_ones_own_hold_what_they_promise(changes: dict[str, Any]) -> None:
    names = ["exec_file_of_the_workspace", "exec_listed_command", "exec_unlisted_command", "exec_copy_in_root"]
    names += ["exec_from_memory", "serve_the_host", "connect_to_host_tcp", "burn_without_end", "write_without_end"]
    names += ["create_files_without_end", "write_own_file", "write_input_file", "create_host_file_by_link"]
    assert faults(suite({**built_in("dev"), "name": "own", **changes}, *names)) == []


@pytest.mark.parametrize("policy", [POLICIES[0], POLICIES[2]], ids=lambda policy: policy["name"])
def test_write_roots_that_are_too_large_for_memory_hold_too(
    policy: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are watched where they are, on the host's own file system."""
    monkeypatch.setattr(preparing, "MOST_ENTRIES", 0)
    names = [
        "exec_copy_in_root",
        "exec_script_in_root",
        "exec_copy_by_loader",
        "leave_a_set_id_program",
        "leave_a_pipe",
        "create_files_without_end",
        "write_without_end",
        "make_a_sparse_file",
        "be_read_through_a_link",
        "create_own_file",
        "create_host_file_by_link",
        "hard_link_out",
        "write_input_file",
    ]
    assert faults(suite(policy, *names)) == []


@pytest.mark.parametrize("policy", [POLICIES[1], POLICIES[2]], ids=lambda policy: policy["name"])
def test_nothing_gets_out_of_the_sandbox_of_an_ordinary_user(policy: dict[str, Any]) -> None:
    """Whose cgroups may be none and whose limits are the kernel's for a user; everything else is the same."""
    files = program_files()
    suite(policy, "read_own_file", "connect_to_host_tcp")  # loads what nobody may read where it is installed

    def told() -> tuple[list[str], int]:
        with Fixtures(files) as fixtures:
            findings = escape_suite(policy, fixtures=fixtures)
        return faults(findings), sum(finding.verdict == "held" for finding in findings)

    found, held = as_ordinary_user(told, timeout=300)
    assert found == []
    assert held >= 80

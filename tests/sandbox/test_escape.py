"""Nothing gets out: the escape suite in the sandboxes that the policies yield, as root and as an ordinary user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from affidavit.contracts.policy import BUILT_IN_NAMES, built_in
from affidavit.kernel.conformance import PROBES
from affidavit.sandbox.escape import Finding, escape_suite

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

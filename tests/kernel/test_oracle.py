"""What a profile should decide, from the profile alone (contracts 4.8)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.policy import built_in
from affidavit.contracts.probing import OPERATIONS
from affidavit.kernel.oracle import OPEN, PROFILE, SANDBOX, predict

STRICT = built_in("strict")
DEV = built_in("dev")
ONLINE = {**DEV, "allow_network": True}


def predicted(policy: dict[str, Any], operation: str, target: str | None) -> tuple[str | None, str]:
    return predict(policy, {"operation": operation, "target": target})


@pytest.mark.parametrize(
    ("policy", "operation", "target", "decision", "stage"),
    [
        (STRICT, "file-read-data", "{workspace}/a.txt", "allow", SANDBOX),
        (STRICT, "file-read-data", "{outside}/secret.txt", "deny", SANDBOX),
        (STRICT, "file-read-data", "/etc/hostname", None, OPEN),
        (STRICT, "file-write-create", "{workspace}/out/a.txt", "allow", PROFILE),
        (STRICT, "file-write-create", "{workspace}/./out/a.txt", "allow", PROFILE),
        (STRICT, "file-write-create", "{workspace}/outside.txt", "deny", PROFILE),
        (STRICT, "file-write-data", "{workspace}/src/a.txt", "deny", PROFILE),
        (STRICT, "file-write-unlink", "{outside}/secret.txt", "deny", SANDBOX),
        (STRICT, "file-write-create", "/etc/x", "deny", SANDBOX),
        (STRICT, "file-write-create", "/tmp/x", None, OPEN),
        (STRICT, "file-write-create", "/tmpx", "deny", SANDBOX),
        (STRICT, "file-write-create", "{workspace}/out/../../x", None, OPEN),
        (DEV, "file-write-create", "{workspace}/src/a.txt", "allow", PROFILE),
        (STRICT, "process-exec", "node", "allow", PROFILE),
        (STRICT, "process-exec", "curl", None, OPEN),
        (DEV, "process-exec", "node", None, OPEN),
        (STRICT, "process-exec", "{outside}/tool", "deny", SANDBOX),
        (STRICT, "process-exec", "/bin/sh", None, OPEN),
        (STRICT, "network-outbound", "{listener}", "deny", PROFILE),
        (ONLINE, "network-outbound", "{listener}", "allow", PROFILE),
        (ONLINE, "network-outbound", "{outside}/socket", "deny", SANDBOX),
        (STRICT, "network-bind", "127.0.0.1:0", None, OPEN),
        (STRICT, "signal", "{host_process}", "deny", SANDBOX),
        (STRICT, "signal", "self", None, OPEN),
        (STRICT, "process-fork", None, None, OPEN),
        (ONLINE, "mount", "{workspace}/out", "deny", SANDBOX),
        (ONLINE, "ptrace", "{host_process}", "deny", SANDBOX),
        (ONLINE, "sysctl-write", "/proc/sys/kernel/hostname", "deny", SANDBOX),
        (STRICT, "an-operation-of-tomorrow", "x", None, OPEN),
    ],
)
def test_what_the_profile_settles(
    policy: dict[str, Any], operation: str, target: str | None, decision: str | None, stage: str
) -> None:
    assert predicted(policy, operation, target) == (decision, stage)


@given(
    operation=st.sampled_from(OPERATIONS),
    target=st.none() | st.text() | st.text().map("{workspace}/".__add__) | st.text().map("{outside}/".__add__),
    policy=st.sampled_from([STRICT, DEV, ONLINE]),
)
def test_a_decision_is_made_exactly_where_it_is_settled(
    operation: str, target: str | None, policy: dict[str, Any]
) -> None:
    decision, stage = predicted(policy, operation, target)
    assert (decision is None) == (stage == OPEN)

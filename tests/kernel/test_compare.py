"""What was seen against what was expected, on recordings alone (contracts 4.2, 4.8)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.contracts.baseline_results import verify_baseline_results
from affidavit.contracts.expected_matrix import verify_expected_matrix
from affidavit.contracts.mismatch_packets import verify_mismatch_packets
from affidavit.contracts.mismatch_summary import verify_mismatch_summary
from affidavit.contracts.oracle_results import verify_oracle_results
from affidavit.contracts.path_witnesses import verify_path_witnesses
from affidavit.contracts.plan import EXAMPLE as PLAN
from affidavit.contracts.plan import lanes_of, plan_digest
from affidavit.contracts.probe_registry import EXAMPLE as PROBES
from affidavit.contracts.profile_registry import EXAMPLE as PROFILES
from affidavit.contracts.runtime_events import verify_runtime_events
from affidavit.contracts.runtime_results import verify_runtime_results
from affidavit.contracts.summary import verify_summary
from affidavit.kernel import compare
from affidavit.kernel.compare import EXEC_DENIED, Recording, Seen
from affidavit.kernel.matrix import Resolved, expected_matrix, unresolved

READ, MOUNT = ("strict", "read_host_file"), ("strict", "mount_tmpfs")


def resolved() -> Resolved:
    return Resolved({**PLAN, "profiles": ["strict"]}, PROFILES["profiles"], PROBES["probes"])


def recording(read: Seen, mount: Seen | None = None, **lanes: Any) -> Recording:
    return Recording(
        resolved(),
        world_id="linux-x86_64-9f86d081884c7d65",
        run_id="pr_1",
        channel="direct",
        scenario={READ: read, MOUNT: mount or Seen(reached=True, errno=1)},
        baseline=lanes.get("baseline", {READ: Seen(reached=True)}),
        oracle=lanes.get("oracle", {READ: ("deny", "profile"), MOUNT: ("deny", "profile")}),
    )


def reason(seen: Seen, **lanes: Any) -> str:
    (packet,) = compare.mismatch_packets(recording(seen, **lanes), "out/pr_1/run_manifest.json")
    told: str = packet["mismatch_reason"]
    return told


def test_the_matrix_is_what_plan_and_registry_say() -> None:
    matrix = expected_matrix(resolved(), "w")
    assert [probe["expectation_id"] for probe in matrix["profiles"]["strict"]["probes"]] == [
        "strict:read_host_file",
        "strict:mount_tmpfs",
    ]
    assert verify_expected_matrix(matrix).ok


def test_a_profile_may_expect_something_else_of_a_probe() -> None:
    profiles = copy.deepcopy(PROFILES["profiles"])
    profiles["strict"]["key_specific_rules"] = [{"probe": "read_host_file", "expected": "allow"}, "prose"]
    matrix = expected_matrix(Resolved({**PLAN, "profiles": ["strict"]}, profiles, PROBES["probes"]), "w")
    assert [probe["expected"] for probe in matrix["profiles"]["strict"]["probes"]] == ["allow", "deny"]


def test_names_that_lead_nowhere_are_told() -> None:
    assert unresolved(PLAN, PROFILES["profiles"], {}) == [
        "profile open-network",
        "probe read_host_file of profile strict",
        "probe mount_tmpfs of profile strict",
    ]


def test_the_registry_digest_covers_what_the_plan_digest_does_not() -> None:
    probes = copy.deepcopy(PROBES["probes"])
    probes["read_host_file"]["target"] = "/etc/shadow"
    other = Resolved({**PLAN, "profiles": ["strict"]}, PROFILES["profiles"], probes)
    assert other.digest() != resolved().digest()
    assert plan_digest(other.plan) == plan_digest(resolved().plan)


@pytest.mark.parametrize(
    ("seen", "wanted", "kind"),
    [
        (Seen(reached=True, errno=13), "deny", None),
        (Seen(reached=True), "allow", None),
        (Seen(reached=True), "deny", "unexpected_allow"),
        (Seen(reached=True, errno=13), "allow", "unexpected_deny"),
        (Seen(reached=True, requested="/a", observed="/b"), "deny", "canonicalization_boundary"),
        (Seen(reached=False, stage="preflight"), "deny", "preflight_blocked"),
        (Seen(reached=False, stage="apply"), "deny", "apply_gate"),
        (Seen(reached=False, stage="probe"), "deny", "op_not_witnessed"),
        (Seen(reached=False, stage="bootstrap"), "deny", "bootstrap_failed"),
        (Seen(reached=False), "deny", "bootstrap_failed"),
        (Seen(reached=False, stage="bootstrap", kind=EXEC_DENIED), "deny", "bootstrap_deny_process_exec"),
    ],
)
def test_each_type_of_mismatch(seen: Seen, wanted: str, kind: str | None) -> None:
    assert compare.mismatch_type(seen, wanted) == kind


def test_an_operation_that_was_not_reached_is_no_denial() -> None:
    seen = Seen(reached=False, errno=13, exit_code=1)
    assert seen.decision is None
    assert reason(seen) == "op_not_witnessed"


def test_the_first_reason_that_holds_is_the_reason() -> None:
    alias = Seen(reached=True, requested="/a", observed="/b")
    assert reason(alias, oracle={READ: ("deny", "profile")}) == "canonicalization_boundary"
    allowed = Seen(reached=True)
    assert reason(allowed) == "capture_pipeline_disagreement"
    assert reason(allowed, oracle={}) == "expectation_too_strong"
    assert reason(allowed, oracle={READ: (None, "not settled")}) == "expectation_too_strong"


def test_what_the_platform_denies_anyway_is_not_the_profiles_doing() -> None:
    profiles = copy.deepcopy(PROFILES["profiles"])
    profiles["strict"]["key_specific_rules"] = [{"probe": "read_host_file", "expected": "allow"}]
    told = recording(Seen(reached=True, errno=13), baseline={READ: Seen(reached=True, errno=13)})
    told.resolved.profiles = profiles
    (packet,) = compare.mismatch_packets(told, "m")
    assert packet["mismatch_reason"] == "ambient_platform_restriction"


def test_the_text_for_a_person_cannot_be_broken_out_of() -> None:
    rows = [
        {**dict.fromkeys(("operation", "expected", "mismatch_type"), "x"), "expectation_id": "a|b\n# c", "actual": None}
    ]
    told = compare.summary(
        recording(Seen(reached=True)),
        plan_digest="0" * 64,
        lanes=lanes_of(PLAN),
        counts={},
        dry_run=False,
        failed=False,
    )
    text = compare.summary_text(told, rows)
    assert "| a\\|b\\\\x0a# c | x | x | - | x |" in text.splitlines()
    assert "Nothing was tried." in compare.summary_text({**told, "lanes": lanes_of(PLAN, dry_run=True)}, [])


def seens() -> st.SearchStrategy[Seen]:
    paths = st.none() | st.sampled_from(["/a", "/b", "/ü"])
    reached = st.builds(
        Seen,
        reached=st.just(True),
        errno=st.none() | st.integers(1, 133),
        requested=paths,
        observed=paths,
        kind=st.none() | st.text(),
        exit_code=st.none() | st.integers(0, 255),
        command=st.lists(st.text()).map(tuple),
    )
    stages = st.none() | st.sampled_from(["preflight", "apply", "bootstrap", "probe"])
    return reached | st.builds(Seen, reached=st.just(False), stage=stages, kind=st.none() | st.text(), requested=paths)


@given(read=seens(), mount=seens(), bare=seens(), oracle=st.sampled_from([None, "allow", "deny"]))
def test_whatever_was_recorded_its_documents_verify(read: Seen, mount: Seen, bare: Seen, oracle: str | None) -> None:
    told = recording(read, mount, baseline={READ: bare}, oracle={READ: (oracle, "x"), MOUNT: (oracle, "x")})
    mismatches = compare.mismatch_summary(told, "affidavit")
    documents = (
        verify_runtime_results(compare.runtime_results(told), level="strict"),
        verify_runtime_events(compare.normalized_events(told), level="strict"),
        verify_baseline_results(compare.baseline_results(told), level="strict"),
        verify_oracle_results(compare.oracle_results(told), level="strict"),
        verify_path_witnesses(compare.path_witnesses(told), level="strict"),
        verify_mismatch_summary(mismatches, level="strict"),
        *(verify_mismatch_packets(each, level="strict") for each in compare.mismatch_packets(told, "m")),
        verify_summary(
            compare.summary(
                told,
                plan_digest=plan_digest(told.resolved.plan),
                lanes=lanes_of(told.resolved.plan),
                counts=mismatches["counts"],
                dry_run=False,
                failed=False,
            ),
            level="strict",
        ),
    )
    assert [report for report in documents if not report.ok] == []
    assert len(compare.mismatch_packets(told, "m")) == len(mismatches["mismatches"])

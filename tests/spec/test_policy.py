"""The policy profile: what no vector can show (contracts 1 and 2.1)."""

from __future__ import annotations

import pytest

from affidavit.contracts.policy import BUILT_IN_NAMES, built_in, model_mode_violation, policy_hash, verify_policy

KNOWN = {
    "strict": "1f5c1221e6ae2e17e8b4b861801d28cd0eac8c79e7013cc94a3eb124f134d161",
    "default": "1bd44e78d70da2b8afc440c11e92f0ec0beda1ec634e0c2e240a8464bb63a313",
    "dev": "fddc1f396c59f813e2ec8692739226a39b82117784c8c69e6433b273aa358b96",
}
OWN = {**built_in("dev"), "name": "mine"}


@pytest.mark.parametrize("name", BUILT_IN_NAMES)
def test_the_built_in_profiles_have_the_known_hashes(name: str) -> None:
    assert policy_hash(built_in(name)) == "sha256:" + KNOWN[name]
    assert verify_policy(built_in(name), level="strict").facts == {"policy_hash": "sha256:" + KNOWN[name]}


def test_nobody_can_change_a_built_in_profile() -> None:
    built_in("strict")["allowed_commands"].append("curl")
    assert policy_hash(built_in("strict")) == "sha256:" + KNOWN["strict"]


def test_PL1_PL7_a_custom_profile_is_not_checked_without_its_file() -> None:
    report = verify_policy(OWN)
    assert report.ok
    assert [left.rule_id for left in report.not_checked] == ["PL1", "PL7"]
    assert verify_policy(OWN, resolved=OWN).not_checked == ()


def test_PL7_a_custom_profile_is_compared_with_its_file() -> None:
    report = verify_policy({**OWN, "timeout_ms": 1000}, resolved=OWN)
    assert [(finding.rule_id, finding.path) for finding in report.findings] == [("PL7", "/timeout_ms")]
    report = verify_policy(OWN, resolved={**OWN, "name": "other"})
    assert {(finding.rule_id, finding.path) for finding in report.findings} == {("PL1", "/name"), ("PL7", "/name")}


@pytest.mark.parametrize("name", ["strict", "default"])
@pytest.mark.parametrize("mode", ["record", "replay"])
def test_PL4_strict_and_default_allow_no_model(name: str, mode: str) -> None:
    told = model_mode_violation(built_in(name), mode, has_recording=True)  # type: ignore[arg-type]
    assert told == f"POLICY_VIOLATION: PL4: Model mode '{mode}' not allowed by {name} policy"
    assert model_mode_violation(built_in(name), "none", has_recording=False) is None


@pytest.mark.parametrize("policy", [built_in("dev"), OWN], ids=["dev", "custom"])
@pytest.mark.parametrize("mode", ["record", "replay"])
def test_PL5_recording_and_replaying_need_a_path(policy: dict[str, object], mode: str) -> None:
    told = model_mode_violation(policy, mode, has_recording=False)  # type: ignore[arg-type]
    assert told == f"POLICY_VIOLATION: PL5: {mode} mode requires recording path"
    assert model_mode_violation(policy, mode, has_recording=True) is None  # type: ignore[arg-type]
    assert model_mode_violation(policy, "none", has_recording=False) is None

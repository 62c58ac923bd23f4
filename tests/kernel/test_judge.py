"""The kernel's judgement of evidence."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from affidavit.contracts.evidence import EXAMPLE as EVIDENCE
from affidavit.contracts.policy import built_in
from affidavit.contracts.proposal import EXAMPLE as PROPOSAL
from affidavit.contracts.proposal import proposal_hash, proposal_id
from affidavit.contracts.run import EXAMPLE as RUN
from affidavit.kernel.judge import ACCEPTED, NOTHING_TO_EXECUTE, Judgement, evidence_status, judge

POLICY = built_in("default")
OUTPUTS = RUN["execution"]["outputs"]


def judged(edit: Any = None, *, proposal: Any = PROPOSAL, outputs: Any = OUTPUTS, breaches: Any = ()) -> Judgement:
    evidence = copy.deepcopy(EVIDENCE)
    if edit:
        edit(evidence)
    return judge(proposal, evidence, POLICY, outputs, list(breaches))


def with_optional(name: str) -> tuple[dict[str, Any], Any]:
    """The proposal with one action or test made optional, and an edit that names it in the evidence."""
    proposal = copy.deepcopy(PROPOSAL)
    for item in (*proposal["actions"], *proposal["acceptance_tests"]):
        if name in (item.get("target"), item["id"]):
            item["required"] = False
    proposal["id"] = proposal_id(proposal)
    return proposal, {"proposal_id": proposal["id"], "proposal_hash": proposal_hash(proposal)}


def test_what_was_done_as_proposed_is_accepted() -> None:
    verdict = judged()
    assert (verdict.accepted, verdict.exit_code, verdict.reasons) == (True, 0, [ACCEPTED])


@pytest.mark.parametrize(
    ("edit", "exit_code", "told"),
    [
        (lambda e: e.update(proposal_id="prop_0123456789abcdef"), 1, "EV1"),
        (lambda e: e.update(proposal_hash="sha256:" + "0" * 64), 1, "EV1"),
        (lambda e: e["action_results"].clear(), 1, "was not carried out"),
        (lambda e: e["action_results"][1].update(exit_code=1), 1, "create failed"),
        (lambda e: e["action_results"][1].update(action="modify"), 1, "create failed"),
        (lambda e: e["action_results"][1].update(sha256="sha256:" + "0" * 64), 1, "not what was declared"),
        (lambda e: e["test_results"][0].update(exit_code=3, passed=False), 3, 'Command "build" ended with 3'),
        (lambda e: e["test_results"][0].update(exit_code=124), 124, "ran out of time"),
        (lambda e: e["test_results"][0].update(exit_code=127), 127, 'no program "node" in the sandbox'),
        (lambda e: e["test_results"][0].update(exit_code=126), 126, "is not executable"),
        (lambda e: e["test_results"][0].update(exit_code=137), 137, "signal 9"),
        (lambda e: e["test_results"].pop(0), 1, 'Command "build" was not run'),
        (lambda e: e["test_results"][1].update(passed=False, exit_code=1), 1, 'Test "page" failed'),
        (lambda e: e["test_results"].pop(1), 1, 'Test "page" was not made'),
    ],
)
def test_what_was_not_done_is_rejected_with_its_reason(edit: Any, exit_code: int, told: str) -> None:
    verdict = judged(edit)
    assert not verdict.accepted
    assert verdict.exit_code == exit_code
    assert any(told in reason for reason in verdict.reasons), verdict.reasons


def test_every_reason_is_listed_and_the_first_command_gives_the_exit_code() -> None:
    def edit(evidence: dict[str, Any]) -> None:
        evidence["action_results"].clear()
        evidence["test_results"][0].update(exit_code=9)
        evidence["test_results"][1].update(passed=False)

    verdict = judged(edit, breaches=["Interrupted"])
    assert verdict.exit_code == 9
    assert len(verdict.reasons) == 5
    assert verdict.reasons[-1] == "Interrupted"


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ([{"path": str(number), "size_bytes": 0} for number in range(501)], "max_output_files"),
        ([{"path": "a", "size_bytes": 52_428_801}], "max_total_output_bytes"),
    ],
)
def test_outputs_beyond_the_policy_are_rejected(outputs: Any, told: str) -> None:
    verdict = judged(outputs=outputs)
    assert (verdict.accepted, verdict.exit_code) == (False, 1)
    assert told in verdict.reasons[0]


def test_outputs_at_the_limit_are_accepted() -> None:
    assert judged(outputs=[{"path": "a", "size_bytes": 52_428_800}]).accepted
    assert judged(outputs=[{"path": str(number), "size_bytes": 0} for number in range(500)]).accepted


def test_a_breach_alone_rejects() -> None:
    verdict = judged(breaches=["a secret stands in out/x"])
    assert (verdict.accepted, verdict.exit_code) == (False, 1)


@pytest.mark.parametrize(("name", "index"), [("build", 0), ("page", 1)])
def test_an_optional_failure_is_told_and_leaves_the_run_accepted(name: str, index: int) -> None:
    proposal, named = with_optional(name)

    def edit(evidence: dict[str, Any]) -> None:
        evidence.update(named)
        evidence["test_results"][index].update(exit_code=4, passed=False)

    verdict = judged(edit, proposal=proposal)
    assert (verdict.accepted, verdict.exit_code) == (True, 0)
    assert verdict.reasons[1].startswith("Optional: ")
    results = copy.deepcopy(EVIDENCE["test_results"])
    results[index].update(exit_code=4, passed=False)
    assert evidence_status(proposal, EVIDENCE["action_results"], results) == "partial"
    assert evidence_status(PROPOSAL, EVIDENCE["action_results"], results) == "failed"
    assert evidence_status(PROPOSAL, EVIDENCE["action_results"], EVIDENCE["test_results"]) == "complete"


def test_a_file_that_a_command_deleted_is_no_failure() -> None:
    def edit(evidence: dict[str, Any]) -> None:
        evidence["action_results"].insert(
            0, {"path": "out/a", "action": "delete", "sha256": "sha256:" + "0" * 64, "exit_code": 0}
        )

    assert judged(edit).accepted


def test_nothing_to_do_is_accepted() -> None:
    proposal = {**copy.deepcopy(PROPOSAL), "actions": [], "acceptance_tests": []}
    proposal["id"] = proposal_id(proposal)
    evidence = {
        **EVIDENCE,
        "proposal_id": proposal["id"],
        "proposal_hash": proposal_hash(proposal),
        "action_results": [],
        "test_results": [],
    }
    verdict = judge(proposal, evidence, POLICY, [], [])
    assert (verdict.accepted, verdict.reasons) == (True, [NOTHING_TO_EXECUTE])

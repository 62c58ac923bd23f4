"""Level compat takes what older writers wrote, at the places that contracts 2.10 names, and refuses damage there too;
level strict holds the members of a pack against each other."""

from __future__ import annotations

import copy
import importlib
from typing import TYPE_CHECKING, Any

import pytest

from affidavit import (
    verify_bundle,
    verify_evidence,
    verify_git_apply,
    verify_patch,
    verify_proposal,
)
from affidavit.canon.profiles import RAW
from tests.support.packs import PACKS, bind, bundle_pack, examined, recorded_pack
from tests.support.vectors import drop, edited, put

if TYPE_CHECKING:
    from collections.abc import Callable

    from affidavit.rules.model import Report
    from tests.support.vectors import Edit

BARE = "0123456789abcdef" * 4

#: Places where an older writer has a hash without prefix, and what else may stand there.
BARE_HASHES: dict[str, tuple[Callable[..., Report], str, tuple[str, ...]]] = {
    "patch.source_proposal_hash": (verify_patch, "/source_proposal_hash", ()),
    "patch.operations.expected_hash": (verify_patch, "/operations/1/expected_hash", ()),
    "proposal.source_bundle_hash": (verify_proposal, "/source_bundle_hash", ()),
    "evidence.proposal_hash": (verify_evidence, "/proposal_hash", ("harness_execution",)),
    "bundle.outputs.content_hash": (verify_bundle, "/outputs/0/content_hash", ()),
    "git_apply.apply_result_hash": (verify_git_apply, "/apply_result_hash", ()),
}


def with_value(place: str, value: object) -> Any:
    document = place.split(".", maxsplit=1)[0]
    example = importlib.import_module(f"affidavit.contracts.{document}").EXAMPLE
    return edited(example, put(BARE_HASHES[place][1], value))


@pytest.mark.parametrize("place", BARE_HASHES)
def test_compat_takes_a_bare_hash_where_older_writers_have_one(place: str) -> None:
    verify, _, more = BARE_HASHES[place]
    for value in (BARE, "sha256:" + BARE, *more):
        assert verify(with_value(place, value), level="compat").ok, value
    both = place == "bundle.outputs.content_hash"  # where both spellings are read at every level
    assert verify(with_value(place, BARE)).ok is both
    for value in more:
        assert not verify(with_value(place, value)).ok


@pytest.mark.parametrize("place", BARE_HASHES)
@pytest.mark.parametrize(
    "damage", [BARE[:-1], BARE + "0", BARE.upper(), "sha512:" + BARE, "g" * 64, "", 7, BARE + "\n"]
)
def test_compat_refuses_damage_at_the_same_places(place: str, damage: object) -> None:
    assert not BARE_HASHES[place][0](with_value(place, damage), level="compat").ok


#: Other liberties of older writers, as edits of a valid pack.
LIBERTIES: dict[str, tuple[Edit, ...]] = {
    "an absolute working directory": (put("/members/evidence.json/working_dir", "/tmp/sandbox-1"),),
    "members that nobody knows": tuple(
        put(f"/members/{name}/x_extra", {"y": [1]})
        for name in ("run.json", "patch.json", "evidence.json", "runner.json")
    ),
    "an absolute path of the intent": (put("/members/run.json/intent/path", "/home/a/intent.json"),),
    "ids of another form": (
        put("/members/patch.json/source_proposal_id", "proposal-1"),
        put("/members/evidence.json/proposal_id", "proposal-1"),
        put("/members/run.json/run_id", "run-1"),
        put("/members/ledger.jsonl/0/run_id", "run-1"),
    ),
}


@pytest.mark.parametrize("liberty", LIBERTIES)
def test_compat_takes_what_older_writers_wrote(liberty: str) -> None:
    assert examined(edited(bundle_pack(), *LIBERTIES[liberty]), "compat").ok


@pytest.mark.parametrize(
    ("edit", "rule"),
    [
        (put("/members/bundle.json/outputs/0/content", "changed"), "PK5"),
        (put("/members/run.json/bundle/sha256", "sha256:" + BARE), "PK5"),
        (put("/members/run.json/kernel_result_kind", "MAYBE"), "PK3"),
        (drop("/members/run.json/decision"), "PK3"),
        (drop("/members/bundle.json"), "PK1"),
        (put("/members/patch.json/operations/0/path", "../../etc/passwd"), "PK8"),
        (put("/members/policy.json/timeout_ms", 1234), "PK8"),
        (put("/members/runner.json/exit/code", 256), "PK8"),
        (put("/members/evidence.json/proposal_hash", "harness_execution "), "PK8"),
        (put("/members/ledger.jsonl/0/accepted", "yes"), "PK9"),
        (put("/members/notes.txt", ""), "PK2"),
        (put("/kinds", {"meta.json": "symlink"}), "PK6"),
    ],
)
def test_compat_refuses_real_damage(edit: Edit, rule: str) -> None:
    assert rule in {finding.rule_id for finding in examined(edited(bundle_pack(), edit), "compat").findings}


OTHER = "sha256:" + BARE

#: One member that says something else than another: the file that the finding is about, and the edit.
DISAGREEMENTS: dict[str, tuple[str, Edit]] = {
    "ledger run_id": ("ledger.jsonl", put("/members/ledger.jsonl/0/run_id", "hr_0_00000000")),
    "ledger intent": ("ledger.jsonl", put("/members/ledger.jsonl/0/intent_sha256", OTHER)),
    "ledger bundle": ("ledger.jsonl", put("/members/ledger.jsonl/0/bundle_sha256", OTHER)),
    "ledger kind": ("ledger.jsonl", put("/members/ledger.jsonl/0/result_kind", "CLARIFY")),
    "ledger accepted": ("ledger.jsonl", put("/members/ledger.jsonl/0/accepted", False)),
    "ledger mode": ("ledger.jsonl", put("/members/ledger.jsonl/0/mode", "replay")),
    "ledger policy": ("ledger.jsonl", put("/members/ledger.jsonl/0/policy", "dev")),
    "runner timeout": ("runner.json", put("/members/runner.json/limits/timeout_ms", 1000)),
    "runner files": ("runner.json", put("/members/runner.json/limits/max_output_files", 1)),
    "runner bytes": ("runner.json", put("/members/runner.json/limits/max_total_output_bytes", 1024)),
    "evidence proposal": ("evidence.json", put("/members/evidence.json/proposal_id", "prop_0000000000000000")),
    "evidence hash": ("evidence.json", put("/members/evidence.json/proposal_hash", OTHER)),
    "evidence content": ("evidence.json", put("/members/evidence.json/action_results/1/sha256", OTHER)),
    "run bundle id": ("bundle.json", put("/members/run.json/bundle/bundle_id", "bundle_0000000000000000")),
    "run policy": ("policy.json", put("/members/policy.json/timeout_ms", 1000)),
}


@pytest.mark.parametrize("what", DISAGREEMENTS)
def test_strict_holds_the_members_against_each_other(what: str) -> None:
    name, edit = DISAGREEMENTS[what]
    report = examined(edited(bundle_pack(), edit), "strict")
    assert name in {finding.path for finding in report.findings}


def test_strict_holds_what_a_patch_writes_against_what_the_bundle_puts_out() -> None:
    def with_operations(operations: list[dict[str, Any]]) -> Report:
        pack = bundle_pack()
        del pack["members"]["evidence.json"]
        patch = pack["members"]["patch.json"]
        patch["operations"] = operations
        patch["total_bytes"] = sum(len(operation.get("content", "")) for operation in operations)
        return examined(pack, "strict")

    sound = bundle_pack()["members"]["patch.json"]["operations"]
    assert with_operations(sound).ok
    written = next(operation for operation in sound if operation["op"] != "delete")
    other = copy.deepcopy(written)
    other.update(content="x", size_bytes=1, expected_hash=RAW.digest(b"x").content_hash)
    more = {"op": "create", "path": "out/zzz.txt", "content": "z", "order": 9}
    for operations in ([other], [], [written, more]):
        assert {(found.rule_id, found.path) for found in with_operations(operations).findings} == {
            ("PK8", "patch.json")
        }


def test_strict_holds_a_session_against_the_runs_mode() -> None:
    pack = edited(recorded_pack(), put("/members/model_io.json/mode", "replay"))
    assert [(found.rule_id, found.path) for found in examined(pack, "strict").findings] == [("PK8", "model_io.json")]


@pytest.mark.parametrize("name", PACKS)
def test_a_rule_that_needs_what_is_not_there_is_told_and_not_passed(name: str) -> None:
    """EV1 needs the proposal, which only this version's bundles yield; RS5 of a custom profile its file, a ledger's
    link the line above."""
    pack = PACKS[name]()
    for version in ("ours", "0.0.1"):
        if version != "ours" and "bundle.json" in pack["members"]:
            pack["members"]["bundle.json"]["kernel_version"] = version
            bind(pack)
        left = {(left.rule_id, left.reason.split(":")[0]) for left in examined(pack, "strict").not_checked}
        assert ("PK9", "ledger.jsonl") in left
        if name in ("executed", "recorded"):
            assert (("PK8", "evidence.json") in left) == (version != "ours")

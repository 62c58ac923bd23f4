"""The kernel's other answers: refusals and bundles."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.bundle import verify_bundle
from affidavit.contracts.intent import EXAMPLE, verify_intent
from affidavit.contracts.policy import built_in
from affidavit.contracts.proposal import verify_proposal
from affidavit.contracts.runner import FIXED_VARIABLES
from affidavit.kernel.decide import decide
from affidavit.kernel.outcome import Bundle, Refuse
from affidavit.kernel.propose import propose
from affidavit.sandbox.request import FIXED_ENVIRONMENT

DEV, STRICT = built_in("dev"), built_in("strict")


def intent(**work: Any) -> dict[str, Any]:
    made = {"goal": "Make it.", "context": {"work": work}}
    assert verify_intent(made).ok
    return made


def refused(policy: dict[str, Any], **work: Any) -> list[str]:
    outcome = decide(intent(**work), policy)
    return outcome.reasons if isinstance(outcome, Refuse) else []


def bundle_of(document: dict[str, Any], policy: dict[str, Any] = DEV) -> dict[str, Any]:
    outcome = decide(document, policy)
    assert isinstance(outcome, Bundle)
    assert verify_bundle(outcome.bundle, level="strict").ok
    assert verify_proposal(propose(outcome.bundle), level="strict").ok
    return outcome.bundle


def file(path: str, content: str = "x", op: str = "create") -> dict[str, str]:
    return {"path": path, "op": op, "content": content} if op != "delete" else {"path": path, "op": op}


def command(name: str, *argv: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "argv": list(argv), **more}


UNSAFE = (
    "/etc/passwd", "C:\\x", "../x", "out/../../x", "out/./x", "./out/x", "out//x", "out/", ".", "", "out\\x", " out/x",
    "out/x\n", "out/\x1b[2J", ".git/config", "out/.git/hooks/x", "out/" + "n" * 256, "out/" + "n/" * 2100 + "n",
)  # fmt: skip


@pytest.mark.parametrize("path", UNSAFE)
def test_unsafe_paths_are_refused_with_their_place(path: str) -> None:
    for op in ("create", "modify", "delete"):
        (reason,) = refused(DEV, files=[file("fine"), file(path, op=op)])
        assert reason.startswith("PS4: /context/work/files/1/path: expected ")
    for kind, expected in (("file_exists", None), ("content_match", "x")):
        test = {"id": "t", "type": kind, "target": path, **({"expected": expected} if expected else {})}
        (reason,) = refused(DEV, files=[file("fine")], tests=[test])
        assert reason.startswith(("PS4: ", "PR8: "))
        assert "/context/work/tests/0/target" in reason


@pytest.mark.parametrize("path", ["a", "out/a", "out/sub/a b", "..a/b..", ".gitignore", "out/caf\u00e9", "a" * 255])
def test_safe_paths_are_not_refused(path: str) -> None:
    assert refused(DEV, files=[file(path)]) == []


def test_PL6_declared_work_beyond_a_limit_is_refused() -> None:
    """Each limit that can be judged before anything runs: accepted at it, refused beyond it, with rule and remedy."""
    own = {**DEV, "name": "mine", "max_output_files": 2, "max_total_output_bytes": 1024}
    own["allowed_write_roots"] = ["out"]
    own["allowed_commands"] = ["node"]
    fits = [file("out/a", "x" * 1000), file("out/b", "y" * 24), file("out/c", op="delete")]
    assert refused(own, files=fits, commands=[command("c", "node", "-v")]) == []
    for wrong, told in (
        ({"files": [*fits, file("out/d", "")]}, "max_output_files"),
        ({"files": [file("out/a", "x" * 1025)]}, "max_total_output_bytes"),
        ({"files": [file("out/a", "\u20ac" * 342)]}, "max_total_output_bytes"),
        ({"files": [file("else/a")]}, "allowed_write_roots"),
        ({"files": [file("out")]}, "allowed_write_roots"),
        ({"files": [file("outside/a")]}, "allowed_write_roots"),
        ({"commands": [command("c", "curl")]}, "allowed_commands"),
        ({"commands": [command("c", "/usr/bin/node")]}, "allowed_commands"),
        ({"commands": [command("c", "./node")]}, "allowed_commands"),
    ):
        (reason,) = refused(own, **wrong)
        assert reason.startswith("PL6: /context/work/")
        assert told in reason
        assert "mine" in reason
        assert "choose a profile" in reason


def test_an_empty_list_of_a_policy_allows_everything() -> None:
    assert refused(DEV, files=[file("any/where")], commands=[command("c", "/usr/bin/anything")]) == []


def test_two_operations_on_one_path_or_below_a_file_are_refused() -> None:
    assert refused(DEV, files=[file("a"), file("a", op="delete")])[0].startswith("PS5: /context/work/files/1/path")
    assert refused(DEV, files=[file("a/b/c"), file("a")])[0].startswith("PS5: /context/work/files/0/path")
    assert refused(DEV, files=[file("a"), file("ab"), file("a-b/c")]) == []


@pytest.mark.parametrize("name", ["SSH_X", "NPM_X", "GIT_DIR", "AWS_X", "OPENAI_API_KEY", "ANTHROPIC_X"])
def test_variables_that_carry_secrets_are_refused(name: str) -> None:
    (reason,) = refused(DEV, commands=[command("c", "true", env={name: "x", "FINE": "y"})])
    assert f"/context/work/commands/0/env/{name}" in reason
    assert "a secret" in reason


@pytest.mark.parametrize("name", FIXED_VARIABLES)
def test_variables_that_every_sandbox_sets_are_refused(name: str) -> None:
    (reason,) = refused(DEV, commands=[command("c", "true", env={name: "x"})])
    assert reason.startswith(f"RN8: /context/work/commands/0/env/{name}: every sandbox sets {name} itself")
    assert name in FIXED_ENVIRONMENT


def test_tests_have_a_target() -> None:
    one = [command("c", "true")]
    assert refused(DEV, commands=one, tests=[{"id": "t", "type": "command_success", "target": "c"}]) == []
    for target in ("", "d", "t"):
        (reason,) = refused(DEV, commands=one, tests=[{"id": "t", "type": "command_success", "target": target}])
        assert reason.startswith("PR8: /context/work/tests/0/target: ")


def test_every_reason_is_told_and_a_million_are_counted() -> None:
    reasons = refused(STRICT, files=[file("/a"), file("b")], commands=[command("c", "curl"), command("d", "wget")])
    assert len(reasons) == 4
    reasons = refused(DEV, files=[file(f"/{number}") for number in range(1000)])
    assert len(reasons) == 51
    assert reasons[-1] == "and 950 more"


def test_a_refusal_goes_before_a_question() -> None:
    outcome = decide({"goal": "TBD", "context": {"work": {"files": [file("../x")]}}}, DEV)
    assert isinstance(outcome, Refuse)
    assert outcome.kind == "REFUSE"


def test_declared_work_becomes_outputs_and_actions() -> None:
    """Files stand at their paths; commands keep their order in the proposal, whatever their ids."""
    work = {
        "files": [file("z"), file("b", op="delete"), file("a", op="delete"), file("m", op="modify")],
        "commands": [command("second", "true"), command("first", "false", required=False)],
        "tests": [{"id": "t", "type": "file_exists", "target": "z", "required": False}],
    }
    bundle = bundle_of(intent(**work))
    by_path = {output["path"]: output for output in bundle["outputs"]}
    assert list(by_path) == [
        "m", "work/commands/first.json", "work/commands/second.json", "work/deletes/0.json", "work/deletes/1.json",
        "work/tests/t.json", "z",
    ]  # fmt: skip
    assert by_path["z"]["type"] == "file"
    assert read(by_path["work/deletes/0.json"]["content"].encode()) == file("a", op="delete")
    assert read(by_path["work/commands/first.json"]["content"].encode()) == work["commands"][1]
    proposal = propose(bundle)
    commands = [action for action in proposal["actions"] if action["type"] == "execute_command"]
    assert [(action["target"], action["required"]) for action in commands] == [("second", True), ("first", False)]
    kinds = {action["target"]: action["type"] for action in proposal["actions"]}
    assert (kinds["z"], kinds["m"], kinds["a"]) == ("create_file", "modify_file", "delete_file")
    assert [(test["id"], test["required"]) for test in proposal["acceptance_tests"]] == [("t", False)]


def test_an_intent_without_work_is_restated() -> None:
    bundle = bundle_of({"goal": "Greet.", "constraints": ["b", "a"]})
    (output,) = bundle["outputs"]
    assert output["type"] == "instruction"
    assert output["path"] == f"context/{bundle['root_node']['id']}.md"
    assert output["content"] == "Greet.\n- a\n- b\n"
    assert propose(bundle)["actions"] == []


@given(data=st.data())
def test_the_order_of_keys_and_files_does_not_change_the_bundles_bytes(data: st.DataObject) -> None:
    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: shuffled(value[name]) for name in data.draw(st.permutations(list(value)))}
        return [shuffled(item) for item in value] if isinstance(value, list) else value

    assert canonical(bundle_of(shuffled(EXAMPLE))) == canonical(bundle_of(EXAMPLE))


def test_another_order_of_files_is_the_same_set_of_outputs() -> None:
    turned = copy.deepcopy(EXAMPLE)
    turned["context"]["work"]["files"].reverse()
    assert bundle_of(turned)["outputs"] == bundle_of(EXAMPLE)["outputs"]


def test_the_policy_is_no_part_of_a_bundle() -> None:
    assert bundle_of(EXAMPLE, DEV) == bundle_of(EXAMPLE, built_in("default"))

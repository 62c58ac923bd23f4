"""Each example is run as its table says, and comes to what it says."""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.reader import read
from tests.support.cli import affidavit
from tests.support.contracts import ROOT
from tests.support.harness import Run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox

EXAMPLES = os.path.join(ROOT, "examples")
_COMMAND = re.compile(r"`affidavit ([^`]+)`")


def commands() -> list[str]:
    with open(os.path.join(EXAMPLES, "README.md"), encoding="utf-8") as file:
        return _COMMAND.findall(file.read())


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy that may be written to."""
    return shutil.copytree(EXAMPLES, tmp_path / "examples", symlinks=True, ignore=shutil.ignore_patterns(".affidavit"))


def run(examples: Path, words: str) -> tuple[int, Run]:
    (told,) = [command for command in commands() if command.endswith(words)]
    done = affidavit(*told.split(), cwd=str(examples))
    assert done.out, done
    result: Any = read(done.out)
    return done.status, Run(examples / ".affidavit" / result["run_id"])


def test_every_example_is_tried_here() -> None:
    assert len(commands()) == 7
    folders = {name for name in os.listdir(EXAMPLES) if os.path.isdir(os.path.join(EXAMPLES, name))}
    assert folders == {"change", "engines", "model", "questions", "refused", "site", "test-suite"}
    # the engines are tried by the page on writing one, whose commands are executed


def test_a_site_is_built(examples: Path) -> None:
    status, made = run(examples, "site/intent.json")
    assert (status, made.result["policy"]["name"]) == (0, "default")
    assert set(made.outputs) == {"dist/about.html", "dist/index.html"}
    assert b"sandbox &amp; has evidence" in made.outputs["dist/about.html"]
    assert not (examples / "site" / "dist").exists()


def test_a_test_suite_is_run(examples: Path) -> None:
    status, made = run(examples, "test-suite/intent.json")
    assert status == 0
    assert made.reasons == ["All required actions and tests succeeded", 'Optional: Command "lint" ended with 1']
    assert made.stdout == b"2 tests passed\n"
    assert made.document("evidence.json")["status"] == "partial"


def test_a_test_suite_that_fails_rejects_the_run(examples: Path) -> None:
    (examples / "test-suite" / "sum.js").write_text("module.exports = () => 0;\n")
    status, made = run(examples, "test-suite/intent.json")
    assert (status, made.accepted) == (1, False)
    assert made.reasons[0].startswith('Command "suite" ended with ')


def test_a_policy_of_ones_own(examples: Path) -> None:
    words = ["run", "--mode", "execute-sandbox", "--workspace", "test-suite", "--policy-file"]
    done = affidavit(*words, "only-tests.policy.json", "test-suite/intent.json", cwd=str(examples))
    result: Any = read(done.out)
    assert (done.status, result["policy"]["name"]) == (0, "only-tests")


def test_a_change_comes_with_its_acceptance_tests(examples: Path) -> None:
    status, made = run(examples, "change/intent.json")
    assert (status, set(made.outputs)) == (0, {"greet.js", "test/name.test.js"})
    patch = made.document("patch.json")
    assert [(done["op"], done["path"]) for done in patch["operations"]] == [
        ("delete", "TODO.md"),
        ("modify", "greet.js"),
        ("create", "test/name.test.js"),
    ]
    assert "greet people" in (examples / "change" / "TODO.md").read_text()


def test_questions_are_asked_and_answers_settle_them(examples: Path) -> None:
    status, asked = run(examples, "questions/intent.json")
    assert (status, len(asked.result["clarify_questions"])) == (1, 3)
    status, answered = run(examples, "questions/answered.json")
    assert (status, answered.result["kernel_result_kind"]) == (0, "BUNDLE")


def test_a_refusal_names_every_reason(examples: Path) -> None:
    status, refused = run(examples, "refused/intent.json")
    assert status == 1
    assert [reason.partition(":")[0] for reason in refused.result["refuse_reason"].split("; ")[:1]] == ["PS4"]
    assert all(rule in refused.result["refuse_reason"] for rule in ("PS4: ", "PL6: ", "RN8: "))


def test_a_model_is_replayed(examples: Path) -> None:
    """When the question changes, the recording is made anew: see docs/how-to/record-and-replay-a-model.md."""
    status, made = run(examples, "model/intent.json")
    assert (status, made.outputs) == (0, {"out/squares.txt": b"1\n4\n9\n"})
    assert made.result["model_mode"] == "replay"

"""The kernel's questions: what raises one, what settles it, and what must not change it."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.contracts.bundle import verify_bundle
from affidavit.contracts.policy import built_in
from affidavit.kernel.decide import decide
from affidavit.kernel.outcome import Bundle, Clarify
from affidavit.kernel.questions import PRIORITIES

DEV = built_in("dev")


def ask(goal: str = "Make it.", constraints: list[str] | None = None, work: dict[str, Any] | None = None) -> list[Any]:
    """The questions an intent gets."""
    context = {} if work is None else {"work": work}
    outcome = decide({"goal": goal, "constraints": constraints or [], "context": context}, DEV)
    assert isinstance(outcome, (Bundle, Clarify))
    assert verify_bundle(outcome.bundle, level="strict").ok
    return outcome.bundle["unresolved_questions"]  # type: ignore[no-any-return]


PLACEHOLDERS = (
    "TBD", "tbd", "TODO", "FIXME", "XXX", "TBA", "TBC", "???", "to be determined", "To Be Defined", "<TBD>", "<tbc>",
    "{...}", "[...]", "[]", "{}", "<>", "[ ]", "{TODO}", "<\u2026>", "<to be defined>",
)  # fmt: skip


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_a_placeholder_is_asked_about_wherever_it_stands(placeholder: str) -> None:
    for goal, constraints in (
        (f"Deploy to {placeholder} today.", []),
        ("Deploy.", [f"The region is {placeholder}"]),
        (placeholder, []),
    ):
        questions = ask(goal, constraints)
        assert len(questions) == 1, (goal, constraints)
        assert placeholder.lower() in questions[0]["text"].lower()
        assert placeholder.lower() in questions[0]["why_needed"].lower()
        assert questions[0]["priority"] == PRIORITIES["placeholder"][0]


@pytest.mark.parametrize(
    "goal",
    [
        "Write a todo list", "Outbid the others", "TBDs are gone", "mastodon", "Why???", "a string[] of names",
        "call main() and read f[0]", "Map<String, int>", "an <a> element", "{name} is greeted", "see [1]", "xxx-large",
        "List<> of things", "is it so?", "std::vector<>", "array[]", "TBD_COUNT is a name",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_placeholder_is_not_asked_about(goal: str) -> None:
    assert ask(goal) == []


@pytest.mark.parametrize("placeholder", PLACEHOLDERS)
def test_a_placeholder_is_settled_by_a_constraint(placeholder: str) -> None:
    assert ask(f"Deploy to {placeholder} today.", [f"{placeholder} = staging"]) == []


@pytest.mark.parametrize("answer", ["TBD =", "TBD = TODO", "TBD", "the target = staging", "TBA = staging"])
def test_what_is_no_answer_settles_nothing(answer: str) -> None:
    assert any('"TBD"' in question["text"] for question in ask("Deploy to TBD.", [answer]))


PAIRS = (
    ("Always retry", "Never retry"),
    ("The name is required", "The name is optional"),
    ("Logs must be kept", "Logs must not be kept"),
    ("The API is synchronous", "The API is asynchronous"),
    ("Use blocking calls", "Calls are non-blocking"),
    ("The service is stateful", "A stateless service"),
    ("Records are mutable", "Records are immutable"),
    ("The endpoint is public", "The endpoint is private"),
    ("The disk is read-only", "The disk is writable"),
    ("All users are told", "None of the users is told"),
)


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_a_contradiction_is_asked_about_and_settled_by_taking_one_back(one: str, other: str) -> None:
    (question,) = ask(constraints=[one, other])
    assert question["options"] == sorted([one, other])
    assert one in question["why_needed"]
    assert other in question["why_needed"]
    for loser in (one, other):
        assert ask(constraints=[one, other, f"withdrawn: {loser}"]) == []


@pytest.mark.parametrize(
    "constraints",
    [
        ["Always use UTC", "Never write outside out"],
        ["Logs must be kept", "Passwords must not be printed"],
        ["The page is public", "The key is private"],
        ["It is asynchronous", "It is asynchronous too"],
        ["A read-only and a writable disk"],
        ["Install all packages", "Mind the installation"],
    ],
)
def test_what_is_said_of_different_things_is_no_contradiction(constraints: list[str]) -> None:
    assert ask(constraints=constraints) == []


def test_a_choice_left_open_is_asked_about_and_settled_by_naming_one() -> None:
    goal = "Cache with either Redis or Memcached, and test it."
    (question,) = ask(goal)
    assert question["options"] == ["Memcached", "Redis"]
    assert question["expected_answer_type"] == "choice"
    assert ask(goal, ["Use Redis"]) == []
    assert ask(goal, ["memcached, please"]) == []
    assert len(ask(goal, ["Compare Redis and Memcached"])) == 1
    assert len(ask(goal, ["Use Redis", "Use Memcached"])) == 1
    assert len(ask(goal, ["Use etcd"])) == 1


@pytest.mark.parametrize("goal", ["Do this or that", "Neither here or there", "Either way", "either, or", "either or"])
def test_an_or_alone_leaves_no_choice_open(goal: str) -> None:
    assert ask(goal) == []


def test_a_file_without_content_is_asked_about() -> None:
    work = {"files": [{"path": "out/a", "op": "create"}, {"path": "out/b", "op": "delete"}]}
    (question,) = ask(work=work)
    assert '"out/a"' in question["why_needed"]
    assert ask(work={"files": [{"path": "out/a", "op": "create", "content": ""}]}) == []


def test_a_file_test_without_anything_that_makes_the_file_is_asked_about() -> None:
    test = {"id": "t", "type": "file_exists", "target": "out/a"}
    (question,) = ask(work={"tests": [test]})
    assert '"out/a"' in question["text"]
    assert ask(work={"tests": [test], "files": [{"path": "out/a", "op": "create", "content": ""}]}) == []
    assert ask(work={"tests": [test], "commands": [{"id": "c", "argv": ["true"]}]}) == []


def test_declared_work_is_never_read_as_prose() -> None:
    """Only goal and constraints are scanned: TODO in somebody's source code is their business."""
    work = {
        "files": [{"path": "out/TODO", "op": "create", "content": "TBD, either A or B, []"}],
        "commands": [{"id": "tbd", "argv": ["grep", "TODO", "[]"], "stdin": "???", "env": {"TBD": "XXX"}}],
        "tests": [{"id": "fixme", "type": "content_match", "target": "out/TODO", "expected": "TBD"}],
    }
    assert ask(work=work) == []


# What must not change the bundle, or a question.

texts = st.sampled_from(
    [
        "Deploy to TBD",
        "Always retry",
        "Never retry",
        "either A or B",
        "Keep caf\u00e9s open",
        "Plain words",
        "A",
        "A = 1",
    ]
)
intents = st.fixed_dictionaries({"goal": texts, "constraints": st.lists(texts, max_size=5)})


@given(intent=intents, data=st.data())
def test_order_blanks_line_ends_and_composition_do_not_change_the_bundles_bytes(
    intent: dict[str, Any], data: st.DataObject
) -> None:
    rough = {
        "constraints": [
            unicodedata.normalize("NFD", text).replace(" ", data.draw(st.sampled_from([" ", "\t", " \t  "]))) + "\r\n"
            for text in data.draw(st.permutations(intent["constraints"] * 2))
        ],
        "goal": "\ufeff" + unicodedata.normalize("NFD", intent["goal"]) + "\r\n",
    }
    plain, same = decide(intent, DEV), decide(rough, DEV)
    assert isinstance(plain, (Bundle, Clarify))
    assert isinstance(same, (Bundle, Clarify))
    assert canonical(plain.bundle) == canonical(same.bundle)


@given(intent=intents, unrelated=st.sampled_from(["Write in green ink", "Version 3 of it", "Zebras!"]))
def test_an_unrelated_constraint_takes_no_question_away(intent: dict[str, Any], unrelated: str) -> None:
    before = {question["id"] for question in ask(**intent)}
    more = {**intent, "constraints": [*intent["constraints"], unrelated]}
    assert before <= {question["id"] for question in ask(**more)}


@given(intent=intents, data=st.data())
def test_an_answered_question_never_comes_back(intent: dict[str, Any], data: st.DataObject) -> None:
    """Each branch's constraints settle its question, whatever else is answered afterwards in the same way."""
    outcome = decide(intent, DEV)
    settled: set[str] = set()
    constraints = intent["constraints"]
    while isinstance(outcome, Clarify) and "splitting_question" in outcome.bundle["root_node"]:
        split = outcome.bundle["root_node"]["splitting_question"]
        assert split["question"]["id"] not in settled
        settled.add(split["question"]["id"])
        branch = data.draw(st.sampled_from(split["branches"]))
        constraints = [*constraints, *branch["added_constraints"]]
        outcome = decide({**intent, "constraints": constraints}, DEV)
        assert isinstance(outcome, (Bundle, Clarify))
        assert settled.isdisjoint(question["id"] for question in outcome.bundle["unresolved_questions"])


@given(goal=st.text(), constraints=st.lists(st.text(), max_size=4))
def test_any_text_gets_a_sound_answer(goal: str, constraints: list[str]) -> None:
    ask(goal + "x", constraints)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "<TBD" * 50_000, "[]" * 100_000, "???" * 100_000, "either x or " * 20_000]
)
def test_hostile_texts_take_no_more_than_their_length(text: str) -> None:
    assert len(ask(text)) < 10

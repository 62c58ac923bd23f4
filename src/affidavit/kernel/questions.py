"""Questions: what in an intent is open, said so that whoever reads it can settle it (docs/explanation/questions.md).

Only the goal and the constraints are read, and of `context.work` only what is absent from it: what somebody declares
is never interpreted. Each question stands for one gap, and its text depends on nothing but that gap, so that neither
another constraint nor the order of things changes or hides it.
"""

from __future__ import annotations

from ..canon.order import in_order, utf16
from ..contracts.bundle import branch_id, question_id, question_order
from .words import alternatives, answer_key, answered, placeholders, quoted, subject, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Question = dict[str, Any]
    Branch = dict[str, Any]

#: Each kind of gap with its priority and information gain: what contradicts itself cannot be done at all; what is
#: missing can be supplied; what is left open could be chosen by anybody.
PRIORITIES = {
    "contradiction": (90, 80),
    "content": (80, 70),
    "placeholder": (70, 60),
    "choice": (60, 50),
    "source": (50, 40),
}

#: Words that exclude each other when they are said of the same thing.
_OPPOSITES = (
    ("always", "never"),
    ("required", "optional"),
    ("synchronous", "asynchronous"),
    ("blocking", "non-blocking"),
    ("stateful", "stateless"),
    ("mutable", "immutable"),
    ("public", "private"),
    ("read-only", "writable"),
    ("all", "none"),
)

#: How a constraint takes another one back.
_WITHDRAWS = "withdrawn:"


class Gap:
    """One question, the kind of gap it stands for, and the answers there are to choose from."""

    __slots__ = ("answers", "kind", "question")

    def __init__(self, kind: str, text: str, why_needed: str, answer_type: str, answers: dict[str, str]) -> None:
        self.kind = kind
        self.answers = answers
        priority, information_gain = PRIORITIES[kind]
        question: Question = {
            "text": text,
            "expected_answer_type": answer_type,
            "why_needed": why_needed,
            "information_gain": information_gain,
            "priority": priority,
        }
        if answers:
            question["options"] = in_order(answers)
        self.question = {"id": question_id(question), **question}

    def branches(self) -> list[Branch]:
        """Each answer with the constraint that would give it."""
        made = [
            {"branch_id": branch_id(self.question["id"], answer), "answer": answer, "added_constraints": [constraint]}
            for answer, constraint in self.answers.items()
        ]
        return sorted(made, key=lambda branch: utf16(branch["branch_id"]))


def find_gaps(intent: dict[str, Any]) -> list[Gap]:
    """Every gap of a normalised intent, the most pressing first."""
    constraints = _standing(intent["constraints"])
    texts = [("The goal", intent["goal"]), *(("The constraint", constraint) for constraint in constraints)]
    gaps: dict[str, Gap] = {}
    for gap in (
        *_placeholders(texts, constraints),
        *_contradictions(constraints),
        *_choices(texts, constraints),
        *_missing_contents(intent["context"].get("work", {})),
        *_tests_without_source(intent["context"].get("work", {})),
    ):
        gaps.setdefault(gap.question["id"], gap)
    return sorted(gaps.values(), key=lambda gap: question_order(gap.question))


def _placeholders(texts: list[tuple[str, str]], constraints: list[str]) -> Iterator[Gap]:
    settled = {found[0] for found in map(answered, constraints) if found}
    for where, text in texts:
        if answered(text):
            continue
        for placeholder in placeholders(text):
            if answer_key(placeholder) not in settled:
                quote = quoted(text, placeholder)
                yield Gap(
                    "placeholder",
                    f'What stands for "{placeholder}" in {quote}?',
                    f'{where} says {quote}, and "{placeholder}" is a placeholder. Settled by writing what is meant in '
                    f'its place, or by the constraint "{placeholder} = <what is meant>".',
                    "text",
                    {},
                )


def _standing(constraints: list[str]) -> list[str]:
    """Without the constraints that others take back, and without those others."""
    withdrawn = {text[len(_WITHDRAWS) :].strip() for text in constraints if text.startswith(_WITHDRAWS)}
    return [text for text in constraints if text not in withdrawn and not text.startswith(_WITHDRAWS)]


def _contradictions(constraints: list[str]) -> Iterator[Gap]:
    for told, one, other in _opposed(constraints):
        yield Gap(
            "contradiction",
            f"Which holds: {quoted(one)} or {quoted(other)}?",
            f"The constraints {quoted(one)} and {quoted(other)} contradict each other: {told}. Settled by removing or "
            f'changing one of them, or by the constraint "{_WITHDRAWS} " followed by the one that does not hold.',
            "choice",
            {one: f"{_WITHDRAWS} {other}", other: f"{_WITHDRAWS} {one}"},
        )


def _opposed(constraints: list[str]) -> Iterator[tuple[str, str, str]]:
    """Pairs of constraints that say opposite things of the same thing."""
    tokens = [[word.lower() for word in words(text)] for text in constraints]
    for one, other in _OPPOSITES:
        sides = _sides(constraints, [_side(found, one, other) for found in tokens])
        for left in sides[0]:
            for right in sides[1]:
                about, else_about = subject(left, one, other), subject(right, one, other)
                if about & else_about or not about or not else_about:
                    yield f'"{one}" and "{other}" of the same thing', left, right
    sides = _sides(constraints, [_must(found) for found in tokens])
    for left in sides[0]:
        for right in sides[1]:
            about, else_about = subject(left, "must"), subject(right, "must", "not")
            if about <= else_about or else_about <= about:
                yield '"must" and "must not" of the same thing', left, right


def _sides(constraints: list[str], sides: list[int]) -> tuple[list[str], list[str]]:
    of = list(zip(constraints, sides, strict=True))
    return [text for text, side in of if side > 0], [text for text, side in of if side < 0]


def _side(tokens: list[str], one: str, other: str) -> int:
    """1 for the one word, -1 for the other, 0 for neither or both."""
    return (one in tokens) - (other in tokens)


def _must(tokens: list[str]) -> int:
    after = {tokens[at + 1] if at + 1 < len(tokens) else "" for at, word in enumerate(tokens) if word == "must"}
    if not after:
        return 0
    return -1 if after == {"not"} else int("not" not in after)


def _choices(texts: list[tuple[str, str]], constraints: list[str]) -> Iterator[Gap]:
    for where, text in texts:
        for one, other in alternatives(text):
            chosen = {answer for answer in (one, other) if _is_chosen(answer, one, other, text, constraints)}
            if len(chosen) == 1:
                continue
            yield Gap(
                "choice",
                f'Which one: "{one}" or "{other}"?',
                f"{where} says {quoted(text, one)} and leaves the choice open. Settled by naming only one, there "
                f'or in a constraint such as "{one}" or "{other}".',
                "choice",
                {one: one, other: other},
            )


def _is_chosen(answer: str, one: str, other: str, source: str, constraints: list[str]) -> bool:
    """A constraint says all words of the answer and not all of the other one's."""
    wanted, unwanted = _meaning(answer), _meaning(other if answer == one else one)
    return any(
        wanted <= (said := _meaning(constraint, small=True)) and not unwanted <= said
        for constraint in constraints
        if constraint != source and not alternatives(constraint)
    )


def _meaning(text: str, *, small: bool = False) -> frozenset[str]:
    """What an answer says: its words without the small ones, or just those where it has no others ("on", "off")."""
    every = frozenset(word.lower() for word in words(text))
    return every if small else subject(text) or every


def _missing_contents(work: dict[str, Any]) -> Iterator[Gap]:
    for file in work.get("files", []):
        if file["op"] != "delete" and "content" not in file:
            yield Gap(
                "content",
                f'What is the content of "{file["path"]}"?',
                f'context.work.files declares "{file["path"]}" with op {file["op"]} and without content. Settled by a '
                "member content in that entry, also an empty one, or by removing the entry.",
                "text",
                {},
            )


def _tests_without_source(work: dict[str, Any]) -> Iterator[Gap]:
    if work.get("commands"):
        return
    written = {file["path"] for file in work.get("files", []) if file["op"] != "delete"}
    for test in work.get("tests", []):
        if test["type"] != "command_success" and test["target"] not in written:
            yield Gap(
                "source",
                f'What makes "{test["target"]}", which test {test["id"]} looks for?',
                f"context.work.tests has {test['id']} of type {test['type']}, and the intent declares no command "
                f'and no file "{test["target"]}". Settled by an entry in context.work.files or context.work.commands.',
                "structured",
                {},
            )

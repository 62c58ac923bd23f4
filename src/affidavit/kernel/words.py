"""How the kernel reads a sentence: words, small words, and what stands where something is still missing."""

from __future__ import annotations

from ..canon.order import in_order

#: Words that say nothing about what a sentence is about.
_SMALL = frozenset(
    (
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "by",
        "for",
        "from",
        "in",
        "into",
        "is",
        "it",
        "its",
        "of",
        "on",
        "or",
        "our",
        "shall",
        "should",
        "that",
        "the",
        "their",
        "this",
        "to",
        "use",
        "used",
        "uses",
        "using",
        "was",
        "we",
        "were",
        "will",
        "with",
    )
)

#: Placeholders that are words. Those of the second group are also words of everyday English ("a todo list"), so they
#: count only in capitals.
_ANY_CASE = ("tbd", "tba", "tbc", "fixme")
_CAPITALS = ("TODO", "XXX")
_PHRASES = ("to be determined", "to be defined")
_BRACKETS = (("<", ">"), ("{", "}"), ("[", "]"))
_ELLIPSES = ("...", "\u2026")
_LONGEST_BRACKET = 40
_LONGEST_CHOICE = 120

#: How much of a text a question quotes on either side of what it asks about.
_AROUND = 60


def words(text: str) -> list[str]:
    """The words as they stand. A hyphen or an apostrophe inside belongs to the word: read-only is one."""
    spaced = "".join(letter if letter.isalnum() or letter in "_-'" else " " for letter in text)
    return [word for word in (raw.strip("-'") for raw in spaced.split()) if word]


def subject(text: str, *besides: str) -> frozenset[str]:
    """What a sentence is about: its words in small letters without small words and those in `besides`."""
    return frozenset(word.lower() for word in words(text)) - _SMALL - frozenset(besides)


def quoted(text: str, around: str = "") -> str:
    """The text in quotes, or as much of it as stands around a piece of it when it is long."""
    at = max(text.find(around), 0)
    start, end = max(at - _AROUND, 0), at + len(around) + _AROUND
    middle = " ".join(text[start:end].split())
    return f'"{"..." * (start > 0)}{middle}{"..." * (end < len(text))}"'


def placeholders(text: str) -> list[str]:
    """What stands in the text for something that is still missing, each spelling once, in order."""
    bracketed, rest = _bracketed(text)
    found = [*bracketed, *(_unknown_marks(rest))]
    plain = words(rest)
    found += [word for word in plain if word.lower() in _ANY_CASE or word in _CAPITALS]
    line = f" {' '.join(plain).lower()} "
    found += [phrase for phrase in _PHRASES if f" {phrase} " in line]
    return in_order(set(found))


def _stands_for_something(inner: str) -> bool:
    return (
        inner == ""
        or inner in _ELLIPSES
        or inner in _CAPITALS
        or inner.lower() in _ANY_CASE
        or " ".join(inner.lower().split()) in _PHRASES
    )


def _bracketed(text: str) -> tuple[list[str], str]:
    """Brackets around a placeholder, an ellipsis or nothing, and the text without them. `string[]` is a type: brackets
    that touch a word before them are no placeholder."""
    found: list[str] = []
    for opening, closing in _BRACKETS:
        kept: list[str] = []
        done, start = 0, text.find(opening)
        while start >= 0:
            end = text.find(closing, start + 1, start + 2 + _LONGEST_BRACKET)
            if end >= 0 and _stands_for_something(text[start + 1 : end].strip()) and not _touches(text, start):
                found.append(text[start : end + 1])
                kept += [text[done:start], " "]
                done = end + 1
            start = text.find(opening, max(done, start + 1))
        text = "".join([*kept, text[done:]])
    return found, text


def _touches(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    return before.isalnum() or before in "_)]}>"


def _unknown_marks(text: str) -> list[str]:
    """`???` where a word should be; at the end of a word it is only a loud question."""
    at = text.find("???")
    while at >= 0:
        if not _touches(text, at) and text[at - 1 : at] != "?":
            return ["???"]
        at = text.find("???", at + 1)
    return []


def answer_key(placeholder: str) -> str:
    """What an answer has to name: the word, whatever its letters and the brackets around it."""
    inner = placeholder.strip("<>{}[]").strip()
    bare = inner if inner and inner not in _ELLIPSES else placeholder
    return " ".join(bare.lower().split())


def answered(text: str) -> tuple[str, str] | None:
    """`TBD = staging` as what it answers and the answer; None for any other sentence, also when the answer is none."""
    left, equals, right = text.partition("=")
    placeholder, answer = left.strip(), right.strip()
    found = placeholders(placeholder)
    if not equals or len(found) != 1 or found[0].lower() != placeholder.lower() or not answer or placeholders(answer):
        return None
    return answer_key(placeholder), answer


def alternatives(text: str) -> list[tuple[str, str]]:
    """The pairs of `either A or B`: A up to the `or`, B up to the end of the clause."""
    found: list[tuple[str, str]] = []
    for clause in _clauses(text):
        spaced = f" {_lowered(clause)} "
        start = spaced.find(" either ")
        middle = spaced.find(" or ", start + 7) if start >= 0 else -1
        if middle < 0:
            continue
        # a place in `spaced` is one ahead of the same place in `clause`
        first, second = clause[start + 7 : middle - 1].strip(), clause[middle + 3 :].strip()
        if 0 < len(first) <= _LONGEST_CHOICE and 0 < len(second) <= _LONGEST_CHOICE:
            found.append((first, second))
    return found


def _lowered(text: str) -> str:
    """In small letters, place by place: str.lower() makes some letters two."""
    return (
        text.lower() if text.isascii() else "".join(letter.lower() if letter.isascii() else letter for letter in text)
    )


def _clauses(text: str) -> list[str]:
    text = text.replace(", or ", " or ")
    for mark in (". ", "; ", ", ", ": ", "! ", "? ", ") ", "\n"):
        text = text.replace(mark, "\n")
    return [clause.strip(" .;,:!?)") for clause in text.split("\n")]

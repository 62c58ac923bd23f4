"""The specifications that come with the package: docs/specs of a checkout, `specs` beside the modules of a wheel."""

from __future__ import annotations

import os

from ..errors import ReadFailed

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_PLACES = (os.path.join(_PACKAGE, "specs"), os.path.join(_PACKAGE, "..", "..", "docs", "specs"))


class Clause:
    """One rule as its specification words it."""

    __slots__ = ("document", "rule_id", "text", "title")

    def __init__(self, document: str, rule_id: str, title: str, text: str) -> None:
        self.document = document
        self.rule_id = rule_id
        self.title = title
        self.text = text

    @property
    def qualified(self) -> str:
        return f"{self.document}:{self.rule_id}"

    def as_json(self) -> dict[str, str]:
        return {"document": self.document, "rule_id": self.rule_id, "title": self.title, "text": self.text}


def clauses() -> list[Clause]:
    """Every rule of every document."""
    found: list[Clause] = []
    folder = _folder()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            document = name[:-3].replace("-", "_")
            # a rule stands under a heading `### ID: title`, to the next heading
            for part in _text(document).split("\n### ")[1:]:
                head, _, text = part.partition("\n")
                rule_id, _, title = head.partition(": ")
                found.append(Clause(document, rule_id, title, text.partition("\n## ")[0].strip()))
    return found


def introduction(document: str) -> str:
    """What a specification says before its rules."""
    return _text(document).partition("\n## Rules")[0].strip()


def _text(document: str) -> str:
    with open(os.path.join(_folder(), document.replace("_", "-") + ".md"), encoding="utf-8") as file:
        return file.read()


def _folder() -> str:
    for place in _PLACES:
        if os.path.isdir(place):
            return place
    raise ReadFailed("IO", f"expected the specifications in {_PLACES[0]}, found no such directory")

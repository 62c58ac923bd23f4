"""The index of the documents leads to each of them, and the README to the index."""

from __future__ import annotations

import os
import re

from tests.support.contracts import ROOT

#: Found by their folder, which the index names.
_BY_FOLDER = ("adr", "specs")


def linked(path: str) -> set[str]:
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        targets = re.findall(r"\]\(([^)#\s]+)", file.read())
    base = os.path.dirname(path)
    return {os.path.normpath(os.path.join(base, target)) for target in targets if "://" not in target}


def test_the_index_names_every_document() -> None:
    found = set()
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        below = os.path.relpath(folder, ROOT)
        if os.path.basename(below) not in _BY_FOLDER:
            found |= {os.path.join(below, name) for name in names if name != "README.md"}
    assert found - linked("docs/README.md") == set()
    assert {f"docs/{folder}" for folder in _BY_FOLDER} <= linked("docs/README.md")


def test_the_readme_leads_to_the_index_and_fits_a_screen() -> None:
    assert {"docs/README.md", "docs/tutorial.md"} <= linked("README.md")
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        assert len(file.readlines()) <= 70

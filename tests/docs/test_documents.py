"""Every command that a document shows is executed; every link leads somewhere."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.support.console import run_document
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")

_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: How a document says that its commands run something in the sandbox.
_IN_THE_SANDBOX = "\n<!-- sandbox -->\n"


def documents() -> list[str]:
    found = [name for name in os.listdir(ROOT) if name.endswith(".md")]
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(".md")]
    return sorted(found)


def parameters() -> list[object]:
    return [
        pytest.param(name, marks=[pytest.mark.sandbox] if _IN_THE_SANDBOX in _text(name) else [], id=name)
        for name in documents()
    ]


def _text(name: str) -> str:
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize("name", parameters())
def test_every_command_of_a_document_does_what_the_document_says(name: str, tmp_path: Path) -> None:
    assert (run_document(os.path.join(ROOT, name), str(tmp_path)) > 0) == ("```console" in _text(name))


@pytest.mark.parametrize("name", documents())
def test_links_lead_somewhere(name: str) -> None:
    targets = _LINK.findall(_text(name))
    base = os.path.dirname(os.path.join(ROOT, name))
    missing = [target for target in targets if "://" not in target and not os.path.exists(os.path.join(base, target))]
    assert missing == []


@pytest.mark.parametrize("name", documents())
def test_every_python_example_of_a_document_runs(name: str) -> None:
    for example in _PYTHON.findall(_text(name)):
        exec(compile(example, name, "exec"), {})


def test_commands_are_shown_in_blocks_that_are_executed() -> None:
    """A block of another kind would not be."""
    for name in documents():
        for kind in ("```sh", "```bash", "```shell"):
            assert kind not in _text(name), f"{name} has a block {kind}"

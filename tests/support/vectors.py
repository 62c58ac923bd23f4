"""Conformance vectors: one scenario a file, a header that says what it expects, then the document's bytes.

    scenario: a command stands in both lists
    document: runner
    level: spec
    expect: RN6 /commands/blocklist/0

    {"runner_schema_version": ...}

`expect` is `valid`, or a line for each finding: its rule id and its place (no place: the document itself).
"""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

DIRECTORY = os.path.join(os.path.dirname(os.path.dirname(__file__)), "vectors")


class Vector:
    """One vector as it stands in its file."""

    def __init__(self, name: str, header: list[tuple[str, str]], body: bytes) -> None:
        self.name = name
        self.header = dict(header)
        self.document = self.header["document"]
        self.level = self.header.get("level", "spec")
        self.expected = sorted(value for key, value in header if key == "expect" and value != "valid")
        self.body = body

    @property
    def rule_ids(self) -> set[str]:
        return {line.split(" ")[0] for line in self.expected}


def load(path: str, directory: str = DIRECTORY) -> Vector:
    with open(path, "rb") as file:
        head, _, body = file.read().partition(b"\n\n")
    header = [tuple(line.split(": ", 1)) for line in head.decode().splitlines()]
    assert all(len(pair) == 2 for pair in header), f"{path}: every header line is 'key: value'"
    if not any(key == "expect" for key, _ in header):
        raise AssertionError(f"{path}: the header says nothing about what is expected")
    return Vector(os.path.relpath(path, directory), header, body)  # type: ignore[arg-type]


def all_vectors(directory: str = DIRECTORY) -> Iterator[Vector]:
    for folder, _, names in sorted(os.walk(directory)):
        for name in sorted(names):
            if name.endswith(".vector"):
                yield load(os.path.join(folder, name), directory)


# Making them.

if TYPE_CHECKING:
    Edit = Callable[[Any], None]


class Scenario:
    """A valid document, one edit, and what is then found."""

    def __init__(
        self, name: str, scenario: str, expect: str | Iterable[str], *edits: Edit, level: str = "spec"
    ) -> None:
        self.name = name
        self.scenario = scenario
        self.expect = [expect] if isinstance(expect, str) else list(expect)
        self.edits = edits
        self.level = level


def put(pointer: str, value: object) -> Edit:
    """Sets a member or an item; `-` as the last step appends."""

    def edit(document: Any) -> None:
        container, step = _container(document, pointer)
        if isinstance(container, list) and step == "-":
            container.append(copy.deepcopy(value))
        elif isinstance(container, list):
            container[int(step)] = copy.deepcopy(value)
        else:
            container[step] = copy.deepcopy(value)

    return edit


def drop(pointer: str) -> Edit:
    """Takes a member or an item away."""

    def edit(document: Any) -> None:
        container, step = _container(document, pointer)
        del container[int(step) if isinstance(container, list) else step]

    return edit


def _container(document: Any, pointer: str) -> tuple[Any, str]:
    *path, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
    for step in path:
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document, last


def edited(valid: Any, *edits: Edit) -> Any:
    document = copy.deepcopy(valid)
    for edit in edits:
        edit(document)
    return document


def write(document: str, name: str, scenario: str, expect: list[str], body: bytes, level: str = "spec") -> None:
    """One vector file, made anew."""
    folder = os.path.join(DIRECTORY, document)
    os.makedirs(folder, exist_ok=True)
    lines = [f"scenario: {scenario}", f"document: {document}", f"level: {level}"]
    lines += [f"expect: {line}" for line in expect]
    with open(os.path.join(folder, name + ".vector"), "wb") as file:
        file.write("\n".join(lines).encode() + b"\n\n" + body)


def write_scenarios(document: str, valid: Any, scenarios: Iterable[Scenario]) -> None:
    """The valid document and each scenario, as vectors in tests/vectors/<document>/."""
    write(
        document, "valid", "the document that the others differ from in one place", ["valid"], canonical(valid) + b"\n"
    )
    for scenario in scenarios:
        body = canonical(edited(valid, *scenario.edits)) + b"\n"
        write(document, scenario.name, scenario.scenario, scenario.expect, body, scenario.level)

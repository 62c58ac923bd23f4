"""The direction of imports, what nobody may call, and what the package offers (docs/design.md)."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import affidavit
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = os.path.join(ROOT, "src", "affidavit")

#: Each may import those of smaller number and its own package. The doors do not import each other.
LAYERS: dict[str, float] = {
    "values": 0,
    "shown": 0.5,
    "errors": 0,
    "manifest": 0.5,
    "quantities": 0.5,
    "canon": 1,
    "rules": 2,
    "contracts": 3,
    "kernel": 4,
    "sandbox": 5,
    "store": 6,
    "harness": 7,
    "engine": 7,
    "runtime": 7,
    "packs": 7,
    "replay": 8,
    "report": 8,
    "cli": 9,
    "pytest_plugin": 9,
    "__main__": 10,
    "__init__": 10,
}
PURE = ("errors", "values", "shown", "quantities", "manifest", "canon", "rules", "contracts", "kernel")

#: What touches the world: no layer that is pure may import it, with the exceptions that stand beside the reason.
IMPURE = {"os", "io", "subprocess", "socket", "time", "datetime", "random", "secrets", "tempfile", "shutil", "pathlib"}
PURE_ENOUGH = {
    ("contracts/runner.py", "time"),  # gmtime and strftime of a given second: no clock is read
}


def modules() -> Iterator[tuple[str, str, ast.Module]]:
    """Every module: its name below the package, its file below the package, its syntax tree."""
    for folder, _, files in sorted(os.walk(SOURCE)):
        for file in sorted(files):
            if file.endswith(".py"):
                path = os.path.join(folder, file)
                below = os.path.relpath(path, SOURCE)
                with open(path, encoding="utf-8") as source:
                    yield below[:-3].replace(os.sep, "."), below, ast.parse(source.read())


def imported(name: str, tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """What a module imports, with our own names below the package after a dot; and whether for types only."""
    for node, typing_only in _nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, typing_only
        elif isinstance(node, ast.ImportFrom):
            if not node.level:
                yield (node.module or ""), typing_only
                continue
            base = name.split(".")[: -node.level]
            target = [*base, *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                yield "." + ".".join([*target, alias.name] if not node.module else target), typing_only


def _nodes(tree: ast.AST, typing_only: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    for child in ast.iter_child_nodes(tree):
        inner = typing_only or (isinstance(child, ast.If) and getattr(child.test, "id", "") == "TYPE_CHECKING")
        yield child, inner
        yield from _nodes(child, inner)


def test_imports_point_inward() -> None:
    wrong = []
    for name, below, tree in modules():
        own = name.split(".")[0]
        for target, _ in imported(name, tree):
            if not target.startswith("."):
                continue
            other = target[1:].split(".")[0]
            if other == "__version__":
                continue
            if other != own and LAYERS[other] >= LAYERS[own]:
                wrong.append(f"{below} imports {other}")
    assert wrong == []


def test_every_package_has_its_layer() -> None:
    assert {name.split(".")[0] for name, _, _ in modules()} <= set(LAYERS)


def test_no_import_goes_in_a_circle() -> None:
    """Also not for types: a circle means that two modules are one."""
    graph: dict[str, set[str]] = {}
    names = {name for name, _, _ in modules()}
    for name, _, tree in modules():
        targets = {target[1:] for target, _ in imported(name, tree) if target.startswith(".")}
        graph[name] = {target for target in targets if target in names and target != name}
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for target in graph[name]:
                walk(target, (*path, name))
            done.add(name)

    for name in graph:
        walk(name, ())


@pytest.mark.parametrize("forbidden", sorted(IMPURE))
def test_the_pure_layers_import_nothing_that_touches_the_world(forbidden: str) -> None:
    found = [
        below
        for name, below, tree in modules()
        if name.split(".")[0] in PURE
        for target, typing_only in imported(name, tree)
        if target.split(".")[0] == forbidden and not typing_only and (below, forbidden) not in PURE_ENOUGH
    ]
    assert found == []


def test_nobody_outside_canon_writes_json_or_hashes() -> None:
    """json for the JSON of others (a tool's output) is no exception: the strict reader reads it."""
    found = [
        f"{below} imports {target}"
        for name, below, tree in modules()
        if not name.startswith("canon.")
        for target, _ in imported(name, tree)
        if target.split(".")[0] in ("json", "_json", "hashlib", "_sha256", "orjson")
    ]
    assert found == []


def test_nothing_catches_everything() -> None:
    found = [
        f"{below}:{node.lineno}"
        for _, below, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
    ]
    assert found == []


def test_no_module_is_too_long_for_one_sitting() -> None:
    long = []
    for top in ("src", "tests", "bench"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for file in files:
                if file.endswith(".py"):
                    with open(os.path.join(folder, file), encoding="utf-8") as source:
                        if sum(1 for _ in source) > 500:
                            long.append(file)
    assert long == []


#: The library's public names. Adding one is a decision; taking one away breaks a user.
PUBLIC = {
    "AffidavitError",
    "Finding",
    "ParseError",
    "Report",
    "UnsupportedValue",
    "__version__",
    "apply_pack",
    "canonical",
    "check_engine",
    "emit_promotion_packet",
    "export_pack",
    "git_apply",
    "load_bundle",
    "open_bundle_unverified",
    "read",
    "run_plan",
    "reindex_bundle",
    "run_intent",
    "replay_engine",
    "run_engine",
    "seal_output",
    "verify_apply",
    "verify_bundle",
    "verify_engine_bundle",
    "verify_evidence",
    "verify_git_apply",
    "verify_intent",
    "verify_ledger",
    "verify_model_io",
    "verify_patch",
    "verify_pack",
    "verify_policy",
    "verify_promotion",
    "verify_proposal",
    "verify_run",
    "verify_runner",
}


def test_the_public_names_are_pinned_and_there() -> None:
    assert set(affidavit.__all__) == PUBLIC
    assert all(getattr(affidavit, name) is not None for name in PUBLIC)
    with pytest.raises(AttributeError):
        affidavit.no_such_name  # noqa: B018


def test_the_public_names_are_the_same_for_type_checkers() -> None:
    with open(os.path.join(SOURCE, "__init__.py"), encoding="utf-8") as source:
        tree = ast.parse(source.read())
    told = {
        alias.asname: f"{node.module}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert told == affidavit._HOMES
    assert set(told) == PUBLIC - {"__version__"}


def test_importing_the_package_loads_nothing() -> None:
    probe = "import sys; before = set(sys.modules); import affidavit; print(*sorted(set(sys.modules) - before))"
    told = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=True, text=True).stdout.split()
    assert told in (["affidavit"], ["__future__", "affidavit"])


def test_the_package_is_typed() -> None:
    assert os.path.exists(os.path.join(SOURCE, "py.typed"))

"""Registries and plans: the built-in ones, those of a directory, and what is wrong with them (contracts 4.8)."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.contracts.plan import EXAMPLE as PLAN
from affidavit.contracts.policy import built_in as policy
from affidavit.contracts.probe_registry import EXAMPLE as PROBES
from affidavit.contracts.profile_registry import EXAMPLE as PROFILES
from affidavit.contracts.registry_index import EXAMPLE as INDEX
from affidavit.errors import ReadFailed, UsageError
from affidavit.kernel.conformance import PROBES as SUITE
from affidavit.kernel.probes import probe_of
from affidavit.runtime import built_in
from affidavit.runtime.plans import lint, read_plan, require_runnable, resolve
from affidavit.runtime.refused import NoSuchPlan, NoSuchRegistry, ProfileRefused, Unsound
from affidavit.runtime.registry import Directory, load
from affidavit.runtime.registry import lint as lint_registry

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HERE = "sandbox-conformance"
ONE = {**PLAN, "profiles": ["strict"]}
DOCUMENTS: dict[str, Any] = {
    "index.json": INDEX,
    f"{HERE}/probes.json": PROBES,
    f"{HERE}/profiles.json": PROFILES,
    f"{HERE}/profiles/strict.json": policy("strict"),
}


def written(place: Path, **edits: Callable[[Any], None]) -> Directory:
    """A directory of registries; `edits` by the file's last name without its suffix."""
    for name, document in DOCUMENTS.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        changed = copy.deepcopy(document)
        edits.get(path.stem, lambda _: None)(changed)
        path.write_bytes(canonical(changed))
    return Directory(str(place))


def found(reports: Any) -> list[tuple[str, str, str]]:
    return [(os.path.basename(name), each.rule_id, each.path) for name, report in reports for each in report.findings]


@pytest.mark.parametrize("name", built_in.plans())
def test_the_built_in_plans_are_sound(name: str) -> None:
    reports = lint(read_plan(name), built_in.source())
    assert len(reports) > 3
    assert found(reports) == []
    require_runnable(resolve(read_plan(name), built_in.source()))


def test_the_conformance_plan_has_the_probes_of_the_selftest() -> None:
    planned = resolve(read_plan(HERE), built_in.source())
    assert set(planned.resolved.probes) == {probe.probe_id for probe in SUITE}
    for probe in SUITE:
        again = probe_of(planned.resolved.probes[probe.probe_id])
        members = set(type(probe).__slots__) - {"allowed"}  # which the row has as an expectation
        assert {name: getattr(again, name) for name in members} == {name: getattr(probe, name) for name in members}


def test_a_profile_of_the_plan_expects_what_the_selftest_does() -> None:
    from affidavit.kernel.matrix import expected

    planned = resolve(read_plan(HERE), built_in.source())
    by_id = {probe.probe_id: probe for probe in SUITE}
    for profile, row in planned.resolved.pairs():
        told = planned.policies[profile["profile_id"]]
        assert expected(profile, row) == by_id[row["probe_id"]].expected(told)


def test_a_directory_of_registries_is_read(tmp_path: Path) -> None:
    source = written(tmp_path)
    assert found(lint_registry(source)) == []
    registry = load(source, HERE)
    assert registry.policies == {"strict": policy("strict")}
    assert list(resolve(ONE, source).resolved.probes) == ["read_host_file", "mount_tmpfs"]


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({"index": lambda value: value.update(schema_version="x")}, [("index.json", "RX1", "/schema_version")]),
        ({"probes": lambda value: value.update(registry_id="x")}, [("probes.json", "PB2", "/registry_id")]),
        ({"profiles": lambda value: value.update(registry_id="x")}, [("profiles.json", "PF2", "/registry_id")]),
        (
            {"probes": lambda value: value["probes"].pop("mount_tmpfs")},
            [("profiles.json", "PF5", "/profiles/strict/probe_refs/1")],
        ),
        ({"strict": lambda value: value.update(timeout_ms=1)}, [("strict.json", "PL3", "/timeout_ms")]),
    ],
)
def test_what_is_wrong_is_found_and_refused(tmp_path: Path, edits: Any, expected: Any) -> None:
    source = written(tmp_path, **edits)
    assert [each for each in found(lint_registry(source)) if each in expected] == expected
    with pytest.raises(Unsound):
        load(source, HERE)


def test_a_document_that_is_not_there_is_a_finding_of_lint_and_an_error_of_use(tmp_path: Path) -> None:
    source = written(tmp_path)
    os.unlink(tmp_path / HERE / "profiles" / "strict.json")
    assert found(lint_registry(source)) == [("strict.json", "SCHEMA", "")]
    with pytest.raises(ReadFailed):
        load(source, HERE)


def test_a_symlink_is_not_followed(tmp_path: Path) -> None:
    source = written(tmp_path / "registries")
    place = tmp_path / "registries" / HERE / "profiles" / "strict.json"
    os.rename(place, tmp_path / "elsewhere.json")
    os.symlink(tmp_path / "elsewhere.json", place)
    with pytest.raises(ReadFailed):
        load(source, HERE)


def test_names_that_lead_nowhere_refuse_the_plan(tmp_path: Path) -> None:
    source = written(tmp_path)
    assert found(lint({**ONE, "profiles": ["strict", "lax"]}, source)) == [("the plan", "PN3", "/profiles")]
    with pytest.raises(Unsound):
        resolve({**ONE, "profiles": ["strict", "lax"]}, source)
    with pytest.raises(NoSuchRegistry):
        resolve({**ONE, "registry_id": "none"}, source)
    with pytest.raises(NoSuchRegistry):
        lint({**ONE, "registry_id": "none"}, source)


def test_a_control_that_no_probe_supports_refuses_the_plan(tmp_path: Path) -> None:
    source = written(tmp_path)
    assert found(lint({**ONE, "controls": ["read_own_file", "none"]}, source)) == [("the plan", "PN3", "/controls/1")]


def test_rows_that_would_be_joined_by_one_id_refuse_the_plan(tmp_path: Path) -> None:
    def same(value: Any) -> None:
        for probe in value["probes"].values():
            probe["expectation_id"] = "the-one"

    assert ("the plan", "EM2") in [each[:2] for each in found(lint(ONE, written(tmp_path, probes=same)))]


@pytest.mark.parametrize("mode", ["sbpl", "blob"])
def test_a_profile_of_macos_is_refused_with_a_reason(tmp_path: Path, mode: str) -> None:
    planned = resolve(ONE, written(tmp_path, profiles=lambda value: value["profiles"]["strict"].update(mode=mode)))
    with pytest.raises(ProfileRefused, match="macOS"):
        require_runnable(planned)


def test_a_plan_is_named_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_bytes(canonical(ONE))
    assert read_plan(str(path)) == ONE
    with pytest.raises(NoSuchPlan, match="sandbox-conformance"):
        read_plan("sandbox-conformanc")
    with pytest.raises(ReadFailed):
        read_plan(str(tmp_path / "absent.json"))
    assert issubclass(NoSuchPlan, UsageError)

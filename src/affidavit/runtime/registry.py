"""Where probes and profiles come from: an index of registries, in a directory that somebody named or in this package.

A registry is read whole and verified before anything of it is used. Its profiles of mode `bwrap` are policy documents,
at paths below the folder that the profile registry stands in (contracts 4.8).
"""

from __future__ import annotations

import os

from ..canon.reader import read
from ..contracts.policy import verify_policy
from ..contracts.probe_registry import verify_probe_registry
from ..contracts.profile_registry import verify_profile_registry
from ..contracts.registry_index import verify_registry_index
from ..errors import ParseError, ReadFailed
from ..rules.model import Finding, Report
from ..shown import shown
from ..store import fs
from .refused import NoSuchRegistry, Unsound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    class Source(Protocol):
        """Documents by their relative path."""

        def document(self, path: str) -> Any:
            """The value at this path. Raises ReadFailed or ParseError."""


INDEX = "index.json"
_MOST_BYTES = 16 * 1024 * 1024


class Directory:
    """Documents of a directory: read without following a symlink, and no further than their bound."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def document(self, path: str) -> Any:
        directory = fs.open_root(self.path)
        try:
            return read(fs.read_below(directory, path, _MOST_BYTES))
        finally:
            fs.close(directory)


class Documents:
    """Documents that are there already: those of this package."""

    __slots__ = ("documents",)

    def __init__(self, documents: dict[str, Any]) -> None:
        self.documents = documents

    def document(self, path: str) -> Any:
        if path not in self.documents:
            raise ReadFailed(fs.ABSENT, f"{path}: no such document in this package", path=path)
        return self.documents[path]


class Registry:
    """Probes, and the profiles they are run under, with the policy of each profile that is one."""

    __slots__ = ("description", "policies", "probes", "profiles", "registry_id")

    def __init__(
        self,
        registry_id: str,
        description: str,
        probes: dict[str, Any],
        profiles: dict[str, Any],
        policies: dict[str, dict[str, Any]],
    ) -> None:
        self.registry_id = registry_id
        self.description = description
        self.probes = probes
        self.profiles = profiles
        #: By profile; only those of mode `bwrap` have one.
        self.policies = policies


def listed(source: Source) -> list[dict[str, Any]]:
    """The entries of the index, in its order. Raises Unsound."""
    index = source.document(INDEX)
    report = verify_registry_index(index)
    if not report.ok:
        raise Unsound(INDEX, report)
    entries: list[dict[str, Any]] = index["registries"]
    return entries


def load(source: Source, registry_id: str) -> Registry:
    """The registry of this name. Raises NoSuchRegistry, Unsound, ReadFailed, ParseError."""
    entries = {entry["registry_id"]: entry for entry in listed(source)}
    if registry_id not in entries:
        raise NoSuchRegistry(registry_id, list(entries))
    entry = entries[registry_id]
    probes, profiles = source.document(entry["probes"]), source.document(entry["profiles"])
    for place, report in _documents(entry, probes, profiles):
        if not report.ok:
            raise Unsound(place, report)
    policies = {}
    for profile in profiles["profiles"].values():
        if profile["mode"] == "bwrap":
            place = _place(entry, profile)
            policy = source.document(place)
            report = _policy(policy)
            if not report.ok:
                raise Unsound(place, report)
            policies[profile["profile_id"]] = policy
    return Registry(registry_id, entry["description"], probes["probes"], profiles["profiles"], policies)


def lint(source: Source, only: str | None = None) -> list[tuple[str, Report]]:
    """Each document of the registries with all that is wrong with it; `only` those of one registry."""
    index, report = _read(source, INDEX, verify_registry_index)
    found = [(INDEX, report)]
    if not report.ok:
        return found
    entries = [entry for entry in index["registries"] if only in (None, entry["registry_id"])]
    if only is not None and not entries:
        raise NoSuchRegistry(only, [entry["registry_id"] for entry in index["registries"]])
    for entry in entries:
        probes, probes_report = _read(source, entry["probes"], verify_probe_registry)
        profiles, profiles_report = _read(source, entry["profiles"], verify_profile_registry)
        if probes_report.ok and profiles_report.ok:
            found += _documents(entry, probes, profiles)
        else:
            found += [(entry["probes"], probes_report), (entry["profiles"], profiles_report)]
        if profiles_report.ok:
            for profile in profiles["profiles"].values():
                if profile["mode"] == "bwrap":
                    place = _place(entry, profile)
                    found.append((place, _read(source, place, _policy)[1]))
    return found


def _documents(entry: dict[str, Any], probes: Any, profiles: Any) -> list[tuple[str, Report]]:
    """Probes and profiles, each by itself and against the other and the index."""
    probes_report = _named(verify_probe_registry(probes), "PB2", entry, probes)
    context = probes["probes"] if probes_report.ok else None
    profiles_report = _named(verify_profile_registry(profiles, probes=context), "PF2", entry, profiles)
    return [(entry["probes"], probes_report), (entry["profiles"], profiles_report)]


def _named(report: Report, rule_id: str, entry: dict[str, Any], document: Any) -> Report:
    """The report, with a finding where the document is not the one that the index names."""
    wanted = entry["registry_id"]
    if not report.ok or document["registry_id"] == wanted:
        return report
    found = Finding(rule_id, "/registry_id", f"{shown(wanted)}, as the index says", shown(document["registry_id"]))
    return Report(report.document, [found], [*report.checked], [*report.not_checked])


def _place(entry: dict[str, Any], profile: dict[str, Any]) -> str:
    """The path of a profile's policy, from the index."""
    folder: str = os.path.dirname(entry["profiles"])
    return os.path.join(folder, profile["profile_path"])


def _policy(policy: Any) -> Report:
    """A policy of one's own is its own resolution: nobody else has one of that name here."""
    return verify_policy(policy, resolved=policy if type(policy) is dict else None)


def _read(source: Source, path: str, verify: Any) -> tuple[Any, Report]:
    """A document and what is wrong with it; one that cannot be read has that for a finding."""
    try:
        value = source.document(path)
    except (ReadFailed, ParseError) as error:
        return None, Report(path, [Finding("SCHEMA", "", "a JSON document", error.message)], [], [])
    return value, verify(value)

"""`affidavit engine check`: whether an engine's contracts are complete and say the same."""

from __future__ import annotations

import os

from ..contracts.engine_bundle import report_of
from ..contracts.engine_family import CONTRACTS, MANIFEST
from ..rules.model import Finding
from .folder import engine_files, engine_files_sha256, read_contracts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rules.model import Report
    from ..values import Level


def check_engine(path: str | os.PathLike[str], *, level: Level = "spec") -> Report:
    """The contracts of the engine in the folder at `path`: there, sound and consistent. `facts["warnings"]` names
    schemas that refuse nothing."""
    place = os.fspath(path)
    bundle, _ = read_contracts(place, level)
    files = engine_files(place)
    _program_is_there(bundle.findings, bundle.value(MANIFEST) if bundle.is_sound(MANIFEST) else None, files)
    report = report_of(bundle, "engine")
    if report.ok:
        manifest = bundle.value(MANIFEST)
        report.facts["engine"] = f"{manifest['engine_code']} {manifest['engine_version']}"
        report.facts["contracts_hashes"] = {name: bundle.members[name].canonical_digest for name in CONTRACTS}
        report.facts["engine_files_sha256"] = engine_files_sha256(files)
    return report


def _program_is_there(findings: list[Finding], manifest: dict[str, list[str]] | None, files: dict[str, str]) -> None:
    """A command that is a file of the folder is there; any other is found when it is run."""
    entrypoint = manifest.get("entrypoint") if manifest is not None else None
    if entrypoint and "/" in entrypoint[0]:
        name = entrypoint[0].removeprefix("./")
        if name not in files:
            where = f"{MANIFEST}#/entrypoint/0"
            findings.append(Finding("ENTRYPOINT", where, "a file of the engine's folder", entrypoint[0]))

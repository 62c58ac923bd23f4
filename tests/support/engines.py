"""Engines and sealed runs in memory: the vectors' documents as files."""

from __future__ import annotations

import copy
from typing import Any

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import RAW
from affidavit.canon.reader import read
from affidavit.contracts import coupling_rules, engine_manifest, run_input, run_output
from affidavit.contracts.engine_bundle import examine_engine_bundle
from affidavit.contracts.engine_examination import Examination, judge_here
from affidavit.contracts.engine_family import COUPLING, INDEX, INPUT, MANIFEST, META, OUTPUT, SEALING_SPEC, SUMS
from affidavit.contracts.run_artifacts import artifact_index, sums_text
from affidavit.kernel.seal import Origin, put_input, put_output, put_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from affidavit.rules.model import Report
    from affidavit.values import Level

#: {file: its text}
Files = dict[str, str]

_NUMBER = {"type": "number"}
SCHEMAS: dict[str, Any] = {
    "INPUT_SCHEMA.json": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "required": ["inputs", "parameters"],
        "properties": {
            "inputs": {"type": "object", "properties": {"samples": {"type": "array", "items": _NUMBER}}},
            "parameters": {"type": "object", "required": ["n"]},
            "context": {"type": "object", "x_forbidden_fields": ["badge_number"]},
        },
    },
    "OUTPUT_SCHEMA.json": {
        "type": "object",
        "properties": {
            "engine": {"properties": {"engine_code": {"const": "SPECTRA"}, "engine_version": {"const": "1.0.0"}}},
            "outputs": {"type": "object", "required": ["peak"]},
        },
    },
}
SEALING = "# Sealing\n\nOutputs are hashed whole.\n"


def engine_contracts(**changes: Any) -> dict[str, Any]:
    """The contracts of an engine that runs nothing, by file name; `changes` replace members of the manifest."""
    manifest = copy.deepcopy(engine_manifest.EXAMPLE) | changes
    return {MANIFEST: manifest, COUPLING: copy.deepcopy(coupling_rules.EXAMPLE), **copy.deepcopy(SCHEMAS)}


def sealed_files(
    contracts: dict[str, Any] | None = None,
    document: Any = None,
    output: Any = None,
    *,
    sealed_at: str = "2026-01-06T12:00:00.000Z",
    origin: Origin | None = None,
) -> Files:
    """A sealed run as its files."""
    bundle = Examination("spec", judge_here)
    for name, value in (contracts or engine_contracts()).items():
        bundle.put(name, value)
    bundle.take(SEALING_SPEC, SEALING.encode())
    put_input(bundle, copy.deepcopy(document or run_input.EXAMPLE), separate_parameters=True)
    made = copy.deepcopy(output or run_output.EXAMPLE)
    if output is None:
        del made["inputs_hash"], made["outputs_hash"]
    put_output(bundle, made)
    put_records(bundle, [], origin or Origin("0" * 64), sealed_at=sealed_at, version="0.1.0")
    files = {name: member.text.decode() for name, member in bundle.members.items() if member.text is not None}
    files[SEALING_SPEC] = SEALING
    files[SUMS] = sums_text({name: member.digest for name, member in bundle.members.items()}).decode()
    return files


def listed_again(files: Files) -> Files:
    """The same files with an index and sums that agree with them: what one who changes a bundle would do."""
    digests = {name: RAW.digest(text.encode()).hex for name, text in files.items() if name not in (INDEX, SUMS)}
    changed = files | {INDEX: canonical(artifact_index(digests)).decode()}
    digests[INDEX] = RAW.digest(changed[INDEX].encode()).hex
    changed[SUMS] = sums_text(digests).decode()
    return changed


def examined(files: dict[str, str], folder: str | None = "run-0001", level: Level = "spec") -> Report:
    """What the rules say of files in memory."""
    bundle = Examination(level, judge_here, folder=folder)
    for name, text in files.items():
        bundle.take(name, text.encode())
    return examine_engine_bundle(bundle)


def value(files: Files, name: str) -> Any:
    return read(files[name].encode())


def replaced(files: Files, name: str, document: Any) -> Files:
    """One file with another value."""
    return files | {name: canonical(document).decode()}


__all__ = [
    "INPUT",
    "META",
    "OUTPUT",
    "Files",
    "engine_contracts",
    "examined",
    "listed_again",
    "replaced",
    "sealed_files",
    "value",
]

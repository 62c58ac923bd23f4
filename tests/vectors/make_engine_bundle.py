"""Vectors of sealed runs (seed 002; contracts 3): a bundle in one document, its files by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import ENGINE
from affidavit.contracts import run_input, run_output
from affidavit.contracts.engine_family import (
    CONTEXT,
    COUPLING,
    INDEX,
    INPUT,
    INPUT_SCHEMA,
    MANIFEST,
    META,
    OUTPUT,
    OUTPUT_SCHEMA,
    PARAMETERS,
    SEALING_SPEC,
    SUMS,
)
from affidavit.contracts.run_output import outputs_hash
from tests.support.engines import Files, engine_contracts, listed_again, replaced, sealed_files, value
from tests.support.vectors import drop, edited, put, write

if TYPE_CHECKING:
    from tests.support.vectors import Edit

_PAYLOAD = "OUTPUTS_PAYLOAD"


def changed(files: Files, name: str, *edits: Edit) -> Files:
    """A file with edits, listed again under its new hash."""
    return listed_again(replaced(files, name, edited(value(files, name), *edits)))


def with_output(files: Files, *edits: Edit) -> Files:
    """An output with edits that names its hash rightly."""
    document = edited(value(files, OUTPUT), *edits)
    document["outputs_hash"] = outputs_hash(document)
    return listed_again(replaced(files, OUTPUT, document))


def without(files: Files, name: str) -> Files:
    return {kept: text for kept, text in files.items() if kept != name}


def with_contract(name: str, *edits: Edit) -> Files:
    """A run that was sealed under changed contracts."""
    contracts = engine_contracts()
    contracts[name] = edited(contracts[name], *edits)
    return sealed_files(contracts)


def fused(*edits: Edit) -> Files:
    """A run of an engine that takes a sealed result."""
    first = sealed_files()
    contracts = engine_contracts(engine_role="FUSION_ENGINE", engine_code="FUSE")
    contracts[OUTPUT_SCHEMA]["properties"].pop("engine")
    upstream = {
        "engine_code": "SPECTRA",
        "artifact_name": OUTPUT,
        "sha256": ENGINE.digest(value(first, OUTPUT)).hex,
        "document": value(first, OUTPUT),
    }
    document: Any = edited({**run_input.EXAMPLE, "inputs": {"upstream": [upstream]}}, *edits)
    output = {name: member for name, member in run_output.EXAMPLE.items() if not name.endswith("_hash")}
    output |= {"semantics": "CORRELATION_ONLY", "engine": {"engine_code": "FUSE", "engine_version": "1.0.0"}}
    return sealed_files(contracts, document, output)


def scenarios() -> list[tuple[str, str, list[str], Files]]:
    """(name, what is in it, what is found, the files)."""
    files = sealed_files()
    spaced = files | {META: files[META].replace(":", ": ", 1)}
    payload = edited(value(files, OUTPUT), put("/outputs_hash", outputs_hash(value(files, OUTPUT), _PAYLOAD)))
    by_payload = changed(replaced(files, OUTPUT, payload), META, put("/outputs_hash_rule", _PAYLOAD))
    short_sums = "".join(line for line in files[SUMS].splitlines(keepends=True) if COUPLING not in line)
    return [
        ("valid", "a sealed run", [], files),
        ("valid-fused", "a run that took a sealed result", [], fused()),
        ("valid-payload", "an older writer's hash of the outputs alone, recorded", [], by_payload),
        ("R1-absent", "the sealing specification is gone", [f"R1 {SEALING_SPEC}"], without(files, SEALING_SPEC)),
        ("R1-more", "a file stands beside", ["R1 notes.txt"], files | {"notes.txt": "x"}),
        (
            "R1-sums",
            "the sums leave out a file",
            [f"R1 {COUPLING}", f"R1 {COUPLING}"],
            files | {SUMS: short_sums},
        ),
        (
            "R2-input",
            "the input is against its schema",
            [f"INPUTS_HASH {OUTPUT}#/inputs_hash", f"R2 {INPUT}#/inputs/samples/1"],
            changed(files, INPUT, put("/inputs/samples/1", "x")),
        ),
        (
            "R2-json",
            "the input is no JSON",
            [f"R2 {INPUT}", f"R4 {INPUT}", f"R4 {INPUT}"],
            files | {INPUT: files[INPUT][:-1]},
        ),
        (
            "R3-output",
            "the output is against its schema",
            [f"R3 {OUTPUT}#/outputs"],
            with_output(files, drop("/outputs/peak")),
        ),
        (
            "R4-byte",
            "a byte of the sealing specification",
            [f"R4 {SEALING_SPEC}", f"R4 {SEALING_SPEC}", f"R5 {SEALING_SPEC}"],
            files | {SEALING_SPEC: files[SEALING_SPEC].replace("whole", "whale")},
        ),
        (
            "R5-contract",
            "a contract was changed and listed again",
            [f"R5 {INPUT_SCHEMA}"],
            changed(files, INPUT_SCHEMA, put("/title", "other")),
        ),
        (
            "CONTRACT-manifest",
            "the manifest takes the network",
            [f"CONTRACT {MANIFEST}#/invariants/network_access"],
            with_contract(MANIFEST, put("/invariants/network_access", value=True)),
        ),
        (
            "CONTRACT-schema",
            "a schema is none",
            [f"CONTRACT {INPUT_SCHEMA}#/type"],
            with_contract(INPUT_SCHEMA, put("/type", "number or so")),
        ),
        (
            "CONTRACT-reference",
            "a schema refers to somewhere else",
            [f"CONTRACT {OUTPUT_SCHEMA}"],
            with_contract(OUTPUT_SCHEMA, put("/$ref", "http://localhost/schema")),
        ),
        (
            "CONTRACT-dialect",
            "a schema of another draft",
            [f"CONTRACT {INPUT_SCHEMA}#/$schema"],
            with_contract(INPUT_SCHEMA, put("/$schema", "http://json-schema.org/draft-07/schema#")),
        ),
        (
            "CONTRACT_INCONSISTENT-const",
            "the output schema is of another version",
            [
                f"CONTRACT_INCONSISTENT {OUTPUT_SCHEMA}#/properties/engine/properties/engine_version/const",
                f"R3 {OUTPUT}#/engine/engine_version",
            ],
            with_contract(
                OUTPUT_SCHEMA,
                put(
                    "/properties/engine",
                    {"properties": {"engine_version": {"const": "2.0.0"}, "engine_code": {"const": "SPECTRA"}}},
                ),
                put("/properties/outputs", {}),
            ),
        ),
        (
            "CONTRACT_INCONSISTENT-root",
            "the coupling rules are of another engine",
            [f"CONTRACT_INCONSISTENT {COUPLING}#/engine_code"],
            with_contract(COUPLING, put("/engine_code", "OTHER")),
        ),
        ("NON_CANONICAL_BYTES-space", "a blank in the meta", [f"NON_CANONICAL_BYTES {META}"], spaced),
        (
            "FORBIDDEN_KEY-input",
            "a user in the input",
            [f"FORBIDDEN_KEY {INPUT}#/inputs/userID"],
            sealed_files(None, edited(run_input.EXAMPLE, put("/inputs/userID", 1))),
        ),
        (
            "FORBIDDEN_KEY-own",
            "a key that the schema forbids in the context",
            [f"FORBIDDEN_KEY {CONTEXT}#/Badge-Number", f"FORBIDDEN_KEY {INPUT}#/context/Badge-Number"],
            sealed_files(None, edited(run_input.EXAMPLE, put("/context/Badge-Number", 1))),
        ),
        (
            "FORBIDDEN_KEY-output",
            "a role in the output",
            [f"FORBIDDEN_KEY {OUTPUT}#/metrics/by/0/Role"],
            with_output(files, put("/metrics/by", [{"Role": 1}])),
        ),
        (
            "PARAMETERS-other",
            "other parameters",
            [f"PARAMETERS {PARAMETERS}"],
            changed(files, PARAMETERS, put("/n", 5)),
        ),
        ("CONTEXT-other", "another context", [f"CONTEXT {CONTEXT}"], changed(files, CONTEXT, put("/note", "no"))),
        (
            "ENGINE-other",
            "an output of another engine",
            [f"ENGINE {OUTPUT}#/engine/engine_code", f"R3 {OUTPUT}#/engine/engine_code"],
            with_output(files, put("/engine/engine_code", "OTHER")),
        ),
        (
            "SEMANTICS-role",
            "a transform that claims truth",
            [f"SEMANTICS {OUTPUT}#/semantics"],
            with_output(files, put("/semantics", "RAW_TRUTH")),
        ),
        (
            "INPUTS_HASH-other",
            "another input",
            [f"INPUTS_HASH {OUTPUT}#/inputs_hash"],
            changed(files, INPUT, put("/inputs/samples/0", 1)),
        ),
        (
            "OUTPUTS_HASH-other",
            "another output",
            [f"OUTPUTS_HASH {OUTPUT}#/outputs_hash"],
            changed(files, OUTPUT, put("/metrics/iterations", 4)),
        ),
        (
            "COUPLING-engine",
            "a result of an engine that is not allowed",
            [
                f"COUPLING {INPUT}#/inputs/upstream/0/document/engine/engine_code",
                f"COUPLING {INPUT}#/inputs/upstream/0/engine_code",
            ],
            fused(put("/inputs/upstream/0/engine_code", "OTHER")),
        ),
        (
            "COUPLING-changed",
            "a result that was changed on its way",
            [f"COUPLING {INPUT}#/inputs/upstream/0/sha256"],
            fused(put("/inputs/upstream/0/document/metrics", {})),
        ),
        (
            "COUPLING-none",
            "an engine that fuses nothing",
            [f"COUPLING {INPUT}#/inputs/upstream"],
            fused(drop("/inputs/upstream")),
        ),
        (
            "COUPLING-unnamed",
            "the output does not name what it was given",
            [f"COUPLING {OUTPUT}#/input_artifact_index"],
            with_output(fused(), drop("/input_artifact_index")),
        ),
        (
            "RUN_ID-output",
            "the output is of another run",
            [f"RUN_ID {OUTPUT}#/run_id"],
            with_output(files, put("/run_id", "run-0002")),
        ),
        (
            "META-version",
            "the meta tells another version",
            [f"META {META}#/engine_version"],
            changed(files, META, put("/engine_version", "1.0.1")),
        ),
        (
            "META-form",
            "the meta tells no time",
            [f"META {META}#/sealed_at"],
            changed(files, META, put("/sealed_at", "today")),
        ),
        (
            "INDEX-role",
            "the index takes the output for an input",
            [f"INDEX {INDEX}#/7/role", f"R4 {INDEX}"],
            replaced(files, INDEX, edited(value(files, INDEX), put("/7/role", "INPUT"))),
        ),
        ("SUMS-line", "a line of the sums is none", [f"SUMS {SUMS}"], files | {SUMS: files[SUMS] + "\n"}),
    ]


def main() -> None:
    for name, scenario, expect, files in scenarios():
        write(
            "engine_bundle",
            name,
            scenario,
            expect or ["valid"],
            canonical({"folder": "run-0001", "files": files}) + b"\n",
        )

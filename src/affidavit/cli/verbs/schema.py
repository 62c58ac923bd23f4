"""`affidavit schema NAME`: a document's members as JSON Schema."""

from __future__ import annotations

from ...errors import UsageError
from ...rules.schema import DIALECT, json_schema
from ...shown import plain
from ..args import Argument, Verb, suggestion
from ..single import LEVEL, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...rules.model import Contract
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "schema",
    "Writes the JSON Schema (draft 2020-12) of a document. A schema tells members and their types; the rules, which "
    "affidavit explain tells, ask for more.",
    options=(LEVEL,),
    arguments=(Argument("NAME", "a document's name; none lists them", optional=True),),
    examples=(
        ("affidavit schema runner > runner.schema.json", "for an editor or a validator"),
        ("affidavit schema", "which there are"),
    ),
    statuses=((0, "written"), (1, "no such document, wrong usage")),
    exits={"io": 1, "parse": 1, "usage": 1, "refused": 1, "internal": 1},
    answer=("the JSON Schema, or without a name `documents`."),
)

#: Every document that is one JSON value, and those of which each line is one. A pack is none: it is several files.
DOCUMENTS = (
    "apply",
    "apply_preflight",
    "artifact_index",
    "baseline_results",
    "bundle",
    "coupling_rules",
    "engine_manifest",
    "evidence",
    "expected_matrix",
    "git_apply",
    "intent",
    "ledger",
    "mismatch_packets",
    "mismatch_summary",
    "model_io",
    "oracle_results",
    "patch",
    "path_witnesses",
    "plan",
    "policy",
    "probe_registry",
    "profile_registry",
    "promotion_packet",
    "proposal",
    "registry_index",
    "repair_log",
    "run",
    "run_artifacts",
    "run_input",
    "run_manifest",
    "run_meta",
    "run_output",
    "run_status",
    "runner",
    "runtime_events",
    "runtime_results",
    "summary",
)


def run(args: Args, out: Output) -> int:
    name = args.argument("NAME")
    if name is None:
        if out.json:
            out.result({"documents": list(DOCUMENTS)})
        else:
            out.lines([("", document) for document in DOCUMENTS])
        return 0
    document = name.replace("-", "_")
    if document not in DOCUMENTS:
        near = suggestion(document, DOCUMENTS) or "; affidavit schema lists them"
        raise UsageError("USAGE", f"no document {plain(name)!r}{near}")
    contract = _contract(document)
    schema: dict[str, Any] = {
        "$schema": DIALECT,
        "title": contract.document,
        "$comment": f"affidavit explain {document} tells what is asked for besides",
        **json_schema(contract.shape(level_of(args))),
    }
    if out.for_program:
        out.result(schema)
    else:
        from ...canon.indented import indented

        out.lines([("", indented(schema))])
    return 0


def _contract(document: str) -> Contract:
    from importlib import import_module

    contract: Contract = getattr(import_module(f"affidavit.contracts.{document}"), document.upper())
    return contract

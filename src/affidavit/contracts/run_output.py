"""RUN_OUTPUT.json: what an engine made, bound to what it was given (seed 002; contracts 3)."""

from __future__ import annotations

from ..canon.profiles import ENGINE
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Report, Rule, Unchecked, finding
from ..rules.shape import SCHEMA, Anything, Arr, Obj, OneOf
from ..shown import shown
from .engine_family import (
    OUTPUTS_PAYLOAD,
    SEMANTICS,
    WITHOUT_OUTPUTS_HASH,
    artifact_reference,
    bare_digest,
    engine_identity,
    run_id,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

_HASH = "outputs_hash"


def _shape(_level: Level) -> Shape:
    return Obj(
        {
            "run_id": run_id("RO1"),
            "engine": engine_identity("RO1"),
            "outputs": Anything(),
            "metrics": Anything(),
            "inputs_hash": bare_digest("RO2"),
            "outputs_hash": bare_digest("RO3"),
            "semantics": OneOf(*SEMANTICS.values(), rule="RO4"),
        },
        {"input_artifact_index": Arr(Obj(artifact_reference("RO5")))},
    )


RUN_OUTPUT = Contract(
    "run output",
    "run-output",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("RO1", "run and engine are named"),
        Rule("RO2", "the input's hash is there"),
        Rule("RO3", "the output's own hash is there, and right"),
        Rule("RO4", "the semantics are known"),
        Rule("RO5", "results of other engines are named with their hashes"),
    ),
)


def verify_run_output(value: object, *, level: Level = "spec", rule: str = WITHOUT_OUTPUTS_HASH) -> Report:
    """RO1-RO5, without the engine's own schema and without its input. `rule` is how `outputs_hash` was made, as
    RUN_META tells it."""
    report = survives_writing(examine(RUN_OUTPUT, value, level), value, SCHEMA)
    if report.ok:
        return with_hash_compared(report, value, rule)  # type: ignore[arg-type]
    left = Unchecked("RO3", "the hash of a document that is unsound otherwise")
    return Report(report.document, [*report.findings], [*report.checked], [*report.not_checked, left])


def with_hash_compared(report: Report, document: dict[str, Any], rule: str) -> Report:
    """The report, and a finding where the document's hash is not the one that it tells."""
    computed = outputs_hash(document, rule)
    if document[_HASH] == computed:
        return report
    wrong = finding("RO3", (_HASH,), f'"{computed}", the hash of this output by {rule}', shown(document[_HASH]))
    return Report(report.document, [wrong], [*report.checked], [*report.not_checked])


def outputs_hash(document: dict[str, Any], rule: str = WITHOUT_OUTPUTS_HASH) -> str:
    """The ENGINE hash of the output without its own `outputs_hash`, or by the older rule of `outputs` alone."""
    return HASH_RULES[rule](document)


HASH_RULES: dict[str, Callable[[dict[str, Any]], str]] = {
    WITHOUT_OUTPUTS_HASH: lambda document: (
        ENGINE.digest({name: member for name, member in document.items() if name != _HASH}).hex
    ),
    OUTPUTS_PAYLOAD: lambda document: ENGINE.digest(document["outputs"]).hex,
}


EXAMPLE: dict[str, Any] = {
    "run_id": "run-0001",
    "engine": {"engine_code": "SPECTRA", "engine_version": "1.0.0"},
    "outputs": {"peak": {"value": 12.5, "unit": "Hz"}},
    "metrics": {"iterations": 3},
    "inputs_hash": "1b412bf748730e63ef63915c70358bd188744cebc70d334d2a9f7f7031af7d78",
    "outputs_hash": "c4b472ea1044ab870c8ef0a3d8b4c3eb5b6f3f75ace421071877ba1723283abc",
    "semantics": "DETERMINISTIC_TRANSFORM",
}

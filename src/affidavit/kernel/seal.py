"""What sealing an engine's run writes, as data: the input stripped and completed, the output completed with its hashes,
the record, the index and the sums (seed 002, Sealing Rules; contracts 3). Nothing is judged here but what two sources
say of one member: the rules of a bundle judge the rest, before it exists."""

from __future__ import annotations

from ..canon.jcs import canonical
from ..canon.order import in_order
from ..canon.profiles import RAW
from ..contracts.engine_examination import Member, member_of_value, outputs_hash_of
from ..contracts.engine_family import (
    CANONICALIZATION,
    CONTEXT,
    CONTRACTS,
    HASH_ALGO,
    INDEX,
    INPUT,
    MANIFEST,
    META,
    OUTPUT,
    PARAMETERS,
    SUMS,
    WITHOUT_OUTPUTS_HASH,
)
from ..contracts.run_artifacts import artifact_index, sums_text
from ..rules.model import Finding
from ..shown import shown
from ..values import pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..contracts.engine_examination import Examination
    from ..contracts.forbidden_keys import ForbiddenKeys
    from ..values import Json

#: Two sources state one member, and differ.
MEMBER_DIFFERS = "MEMBER_DIFFERS"

_UNKNOWN = "0" * 64


class Given:
    """What was said beside the input file: members that it may lack."""

    __slots__ = ("context", "parameters", "project_id", "run_id", "upstream")

    def __init__(
        self,
        *,
        run_id: str | None = None,
        project_id: str | None = None,
        parameters: tuple[Json, ...] = (),
        context: tuple[Json, ...] = (),
        upstream: Sequence[dict[str, Any]] = (),
    ) -> None:
        self.run_id = run_id
        self.project_id = project_id
        self.parameters = parameters
        self.context = context
        self.upstream = upstream


def complete_input(document: dict[str, Any], given: Given, default_run_id: str) -> list[Finding]:
    """Fills the members that the input lacks; the findings are those that were there and are others."""
    findings: list[Finding] = []
    stated: list[tuple[str, tuple[Json, ...]]] = [
        ("run_id", () if given.run_id is None else (given.run_id,)),
        ("project_id", () if given.project_id is None else (given.project_id,)),
        ("parameters", given.parameters),
        ("context", given.context),
    ]
    for name, values in stated:
        for value in values:
            findings += _fill(document, (name,), value)
    document.setdefault("run_id", default_run_id)
    inputs = document.get("inputs")
    if given.upstream and type(inputs) is dict:
        findings += _fill(inputs, ("inputs", "upstream"), list(given.upstream))
    elif type(inputs) is dict and inputs.get("upstream"):
        told = "no results but those that were given as sealed runs"
        findings.append(Finding("COUPLING", f"{INPUT}#/inputs/upstream", told, shown(inputs["upstream"])))
    return findings


def _fill(document: dict[str, Any], steps: tuple[str, ...], value: Json) -> list[Finding]:
    name = steps[-1]
    if name not in document:
        document[name] = value
    elif canonical(document[name]) != canonical(value):
        told = f"{shown(value)}, as was given beside the input"
        return [Finding(MEMBER_DIFFERS, f"{INPUT}#{pointer(*steps)}", told, shown(document[name]))]
    return []


def strip_context(document: dict[str, Any], keys: ForbiddenKeys) -> list[str]:
    """Takes the forbidden keys out of the context; where they stood, sorted."""
    if "context" not in document:
        return []
    document["context"], removed = keys.strip(document["context"])
    return in_order(removed)


def upstream_item(engine_code: str, output: Member) -> dict[str, Any]:
    """A sealed result as it is handed to another engine: whole, so that the input explains itself."""
    return {
        "engine_code": engine_code,
        "artifact_name": OUTPUT,
        "sha256": output.canonical_digest,
        "document": output.value,
    }


def put_input(bundle: Examination, document: Json, *, separate_parameters: bool) -> None:
    """The input and the files that repeat a part of it."""
    bundle.put(INPUT, document)
    if type(document) is dict:
        if "context" in document:
            bundle.put(CONTEXT, document["context"])
        if separate_parameters and "parameters" in document:
            bundle.put(PARAMETERS, document["parameters"])


def put_output(bundle: Examination, document: Json) -> None:
    """The output with what CORE knows better than the engine: what it was given. A hash that the engine stated stays;
    whether it is right is a rule's question."""
    if type(document) is not dict:
        bundle.put(OUTPUT, document)
        return
    document.setdefault("inputs_hash", bundle.members[INPUT].digest)
    upstream = _upstream(bundle)
    if upstream:
        references: list[Json] = [
            {name: item[name] for name in ("engine_code", "artifact_name", "sha256")} for item in upstream
        ]
        document.setdefault("input_artifact_index", references)
    if "outputs_hash" in document:
        bundle.put(OUTPUT, document)
        return
    document["outputs_hash"] = _UNKNOWN
    draft = member_of_value(document)
    computed = document["outputs_hash"] = outputs_hash_of(draft) or _UNKNOWN
    assert draft.text is not None
    # written once: the unknown hash is as long as the known one
    unknown, known = (canonical({"outputs_hash": digits})[1:-1] for digits in (_UNKNOWN, computed))
    if draft.text.count(unknown) == 1:
        text = draft.text.replace(unknown, known)
        bundle.members[OUTPUT] = Member(RAW.digest(text).hex, document, text)
    else:
        bundle.put(OUTPUT, document)


def _upstream(bundle: Examination) -> list[dict[str, Any]]:
    document = bundle.value(INPUT)
    inputs = document.get("inputs") if type(document) is dict else None
    upstream = inputs.get("upstream") if type(inputs) is dict else None
    return upstream if type(upstream) is list else []


class Origin:
    """Where an output came from: what RUN_META says of it. Without entrypoint it was made elsewhere."""

    __slots__ = ("degraded", "engine_files_sha256", "entrypoint", "environment", "interpreter")

    def __init__(
        self,
        engine_files_sha256: str,
        *,
        entrypoint: list[str] | None = None,
        interpreter: dict[str, str] | None = None,
        environment: dict[str, str] | None = None,
        degraded: Sequence[str] = (),
    ) -> None:
        self.engine_files_sha256 = engine_files_sha256
        self.entrypoint = entrypoint
        self.interpreter = interpreter
        self.environment = environment
        #: What the sandbox did not enforce, as the caller agreed.
        self.degraded = degraded


def put_records(bundle: Examination, stripped: list[str], origin: Origin, *, sealed_at: str, version: str) -> None:
    """RUN_META, the index and the sums, in this order: each speaks of all that stands before it."""
    manifest = bundle.value(MANIFEST)
    meta: dict[str, Any] = {
        "run_id": bundle.value(INPUT)["run_id"],
        "engine_code": manifest["engine_code"],
        "engine_version": manifest["engine_version"],
        "sealed_at": sealed_at,
        "canonicalization": CANONICALIZATION,
        "hash_algo": HASH_ALGO,
        "core_orchestrator_version": version,
        "contracts_hashes": {name: bundle.members[name].digest for name in CONTRACTS},
        "outputs_hash_rule": WITHOUT_OUTPUTS_HASH,
        "stripped_context_paths": stripped,
        "entrypoint": origin.entrypoint,
        "engine_files_sha256": origin.engine_files_sha256,
    }
    if origin.entrypoint is not None:
        meta["interpreter"] = origin.interpreter
        meta["environment"] = origin.environment or {}
    if origin.degraded:
        meta["degraded"] = in_order(origin.degraded)
    bundle.put(META, meta)
    digests = {name: member.digest for name, member in bundle.members.items()}
    index: list[Json] = [*artifact_index(digests)]
    bundle.put(INDEX, index)
    digests[INDEX] = bundle.members[INDEX].digest
    bundle.take(SUMS, sums_text(digests))

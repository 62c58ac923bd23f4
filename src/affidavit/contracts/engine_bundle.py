"""The rules of a sealed run (seed 002; contracts 3): in groups, in the order in which sealing needs them."""

from __future__ import annotations

from ..canon.order import in_order
from ..canon.profiles import ENGINE
from ..rules.engine import examine
from ..rules.model import Contract, Fault, Finding, Report, Rule
from ..rules.shape import Anything
from ..shown import kind_of, shown
from ..values import pointer
from . import json_schema
from .coupling_rules import verify_coupling_rules
from .engine_examination import Examination, finding, outputs_hash_of
from .engine_family import (
    CONTEXT,
    COUPLING,
    FUSION,
    INDEX,
    INPUT,
    INPUT_SCHEMA,
    MANIFEST,
    META,
    OUTPUT,
    OUTPUT_SCHEMA,
    OUTPUTS_PAYLOAD,
    PARAMETERS,
    REQUIRED,
    SEMANTICS,
    SUMS,
    WITHOUT_OUTPUTS_HASH,
)
from .engine_manifest import verify_engine_manifest
from .run_artifacts import verify_run_artifacts
from .run_input import RUN_INPUT
from .run_meta import verify_run_meta
from .run_output import RUN_OUTPUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..values import Json

SCHEMA_VACUOUS = "SCHEMA_VACUOUS"

#: The one name under which a result is handed to another engine.
RESULT = OUTPUT


# Contracts.


def _sound_contracts(bundle: Examination) -> Iterator[Fault]:
    for name, verify in ((MANIFEST, verify_engine_manifest), (COUPLING, verify_coupling_rules)):
        if bundle.is_sound(name):
            bundle.embed("CONTRACT", name, verify(bundle.value(name), level=bundle.level))
    for name in (INPUT_SCHEMA, OUTPUT_SCHEMA):
        if bundle.is_sound(name):
            fault = bundle.judged(name)
            if isinstance(fault, json_schema.SchemaFault):
                bundle.unsound.add(name)
                yield Fault(fault.expected, fault.found, name, *fault.steps)
            elif json_schema.constrains_nothing(bundle.value(name)):
                told = Fault("a schema that refuses something", "one that every value passes", name)
                bundle.warnings.append(finding(SCHEMA_VACUOUS, told))


def _consistent(bundle: Examination) -> Iterator[Fault]:
    """Wherever the other contracts state the engine's code or version, they state the manifest's."""
    if not bundle.is_sound(MANIFEST):
        bundle.leave("CONTRACT_INCONSISTENT", f"needs {MANIFEST}")
        return
    manifest = bundle.value(MANIFEST)
    for name in (INPUT_SCHEMA, OUTPUT_SCHEMA, COUPLING):
        contract = bundle.value(name)
        if type(contract) is not dict:
            continue
        for member in ("engine_code", "engine_version"):
            stated: list[tuple[tuple[str, ...], object]] = []
            if member in contract:
                stated.append(((member,), contract[member]))
            if name == OUTPUT_SCHEMA:
                steps: tuple[str, ...] = ("properties", "engine", "properties", member, "const")
                const = _look(contract, steps)
                if const is not None:
                    stated.append((steps, const))
            for steps, value in stated:
                if value != manifest[member]:
                    yield Fault(f"{shown(manifest[member])}, as the manifest says", shown(value), name, *steps)


def _look(value: Any, steps: tuple[str, ...]) -> object:
    for step in steps:
        value = value.get(step) if type(value) is dict else None
    return value


CONTRACT_RULES = (
    Rule("CONTRACT", "each contract is sound", _sound_contracts),
    Rule("CONTRACT_INCONSISTENT", "the contracts speak of one engine", _consistent),
)


# The input.


def _sound_input(bundle: Examination) -> Iterator[Fault]:
    if bundle.is_sound(INPUT):
        bundle.embed("R2", INPUT, examine(RUN_INPUT, bundle.value(INPUT), bundle.level))
    yield from _fits(bundle, "R2", INPUT, INPUT_SCHEMA)


def _fits(bundle: Examination, rule_id: str, name: str, schema: str) -> Iterator[Fault]:
    """Against the engine's schema. What is unsound in itself is judged too: a schema may say more exactly why."""
    if name not in bundle.members or not bundle.is_sound(schema) or bundle.members[name].text is None:
        bundle.leave(rule_id, f"needs {name} and {schema}")
        return
    errors = bundle.judged(schema, bundle.members[name].value)
    if isinstance(errors, json_schema.SchemaFault):
        yield Fault(errors.expected, errors.found, schema, *errors.steps)
        return
    for steps, expected, found in errors:
        yield Fault(expected, found, name, *steps)


def _no_forbidden_input(bundle: Examination) -> Iterator[Fault]:
    """By now the context is stripped, so it may hold them as little as the rest."""
    yield from _forbidden(bundle, INPUT)
    yield from _forbidden(bundle, PARAMETERS)
    yield from _forbidden(bundle, CONTEXT)


def _forbidden(bundle: Examination, name: str) -> Iterator[Fault]:
    if name in bundle.members:
        for steps in bundle.keys.places(bundle.members[name].value):
            yield Fault("no forbidden key", f"the key {shown(steps[-1])}", name, *steps)


def _upstream_is_allowed(bundle: Examination) -> Iterator[Fault]:
    """Results of other engines: of those that the rules allow, whole, under their hash."""
    if not bundle.is_sound(INPUT):
        bundle.leave("COUPLING", f"needs {INPUT}")
        return
    upstream = bundle.value(INPUT)["inputs"].get("upstream")
    if upstream is None:
        if bundle.role == FUSION:
            yield Fault("a result of another engine, as this one fuses them", "none", INPUT, "inputs", "upstream")
        return
    if type(upstream) is not list:
        yield Fault("an array of results", kind_of(upstream), INPUT, "inputs", "upstream")
        return
    if not upstream and bundle.role == FUSION:
        yield Fault("a result of another engine, as this one fuses them", "none", INPUT, "inputs", "upstream")
    for index, item in enumerate(upstream):
        for fault in _result(item, bundle):
            yield Fault(fault.expected, fault.found, INPUT, "inputs", "upstream", index, *fault.steps)


def _result(item: Json, bundle: Examination) -> Iterator[Fault]:
    members = ("engine_code", "artifact_name", "sha256", "document")
    if type(item) is not dict or set(item) != set(members):
        yield Fault(f"an object of {', '.join(members)}", shown(item))
        return
    if type(item["engine_code"]) is not str:
        yield Fault("the code of an engine", shown(item["engine_code"]), "engine_code")
    elif bundle.is_sound(COUPLING) and item["engine_code"] not in bundle.allowed_sources:
        allowed = ", ".join(map(shown, in_order(bundle.allowed_sources))) or "no engine at all"
        yield Fault(f"an engine that {COUPLING} allows: {allowed}", shown(item["engine_code"]), "engine_code")
    if item["artifact_name"] != RESULT:
        yield Fault(f'"{RESULT}"', shown(item["artifact_name"]), "artifact_name")
    computed = ENGINE.digest(item["document"]).hex
    if item["sha256"] != computed:
        yield Fault(f'"{computed}", the hash of the document', shown(item["sha256"]), "sha256")
    made_by = _look(item["document"], ("engine", "engine_code"))
    if made_by != item["engine_code"]:
        yield Fault(f"a document of {shown(item['engine_code'])}", shown(made_by), "document", "engine", "engine_code")


def _copies_agree(name: str, member: str) -> Callable[[Examination], Iterator[Fault]]:
    """A part of the input that stands in a file of its own is the input's."""

    def check(bundle: Examination) -> Iterator[Fault]:
        if name not in bundle.members or not bundle.is_sound(INPUT, name):
            return
        if member not in bundle.value(INPUT):
            yield Fault(f"no such file, as {INPUT} has no {member}", "one", name)
        elif ENGINE.digest(bundle.value(INPUT)[member]).hex != bundle.members[name].canonical_digest:
            yield Fault(f"the {member} of {INPUT}", "another value", name)

    return check


INPUT_RULES = (
    Rule("R2", "the input validates against its schema", _sound_input),
    Rule("FORBIDDEN_KEY", "no forbidden key in the input", _no_forbidden_input),
    Rule("COUPLING", "results of other engines are allowed and whole", _upstream_is_allowed),
    Rule("PARAMETERS", "separate parameters are the input's", _copies_agree(PARAMETERS, "parameters")),
    Rule("CONTEXT", "the separate context is the input's", _copies_agree(CONTEXT, "context")),
)


# The output.


def _sound_output(bundle: Examination) -> Iterator[Fault]:
    if bundle.is_sound(OUTPUT):
        bundle.embed("R3", OUTPUT, examine(RUN_OUTPUT, bundle.value(OUTPUT), bundle.level))
    yield from _fits(bundle, "R3", OUTPUT, OUTPUT_SCHEMA)


def _no_forbidden_output(bundle: Examination) -> Iterator[Fault]:
    yield from _forbidden(bundle, OUTPUT)


def _of_this_engine(bundle: Examination) -> Iterator[Fault]:
    if not bundle.is_sound(OUTPUT, MANIFEST):
        bundle.leave("ENGINE", f"needs {OUTPUT} and {MANIFEST}")
        return
    engine, manifest = bundle.value(OUTPUT)["engine"], bundle.value(MANIFEST)
    for member in ("engine_code", "engine_version"):
        if engine[member] != manifest[member]:
            told = f"{shown(manifest[member])}, as the manifest says"
            yield Fault(told, shown(engine[member]), OUTPUT, "engine", member)


def _semantics_fit(bundle: Examination) -> Iterator[Fault]:
    if not bundle.is_sound(OUTPUT, MANIFEST):
        bundle.leave("SEMANTICS", f"needs {OUTPUT} and {MANIFEST}")
        return
    wanted, told = SEMANTICS[bundle.value(MANIFEST)["engine_role"]], bundle.value(OUTPUT)["semantics"]
    if told != wanted:
        yield Fault(f'"{wanted}", as the engine is a {bundle.role}', shown(told), OUTPUT, "semantics")


def _inputs_hash(bundle: Examination) -> Iterator[Fault]:
    if not bundle.is_sound(OUTPUT) or INPUT not in bundle.members or bundle.members[INPUT].text is None:
        bundle.leave("INPUTS_HASH", f"needs {INPUT} and {OUTPUT}")
        return
    told, computed = bundle.value(OUTPUT)["inputs_hash"], bundle.members[INPUT].canonical_digest
    if told != computed:
        yield Fault(f'"{computed}", the hash of {INPUT}', shown(told), OUTPUT, "inputs_hash")


def _outputs_hash(bundle: Examination) -> Iterator[Fault]:
    if not bundle.is_sound(OUTPUT):
        bundle.leave("OUTPUTS_HASH", f"needs {OUTPUT}")
        return
    rule = WITHOUT_OUTPUTS_HASH
    meta = bundle.value(META)
    if type(meta) is dict and meta.get("outputs_hash_rule") == OUTPUTS_PAYLOAD:
        rule = OUTPUTS_PAYLOAD
    document = bundle.value(OUTPUT)
    if rule == WITHOUT_OUTPUTS_HASH:
        computed = outputs_hash_of(bundle.members[OUTPUT])
    else:
        computed = ENGINE.digest(document["outputs"]).hex
    if document["outputs_hash"] != computed:
        yield Fault(f'"{computed}", by {rule}', shown(document["outputs_hash"]), OUTPUT, "outputs_hash")


def _same_run(bundle: Examination) -> Iterator[Fault]:
    """Every document and the folder name one run."""
    named = [(name, bundle.value(name)["run_id"]) for name in (INPUT, OUTPUT, META) if bundle.is_sound(name)]
    if not named:
        bundle.leave("RUN_ID", f"needs {INPUT}, {OUTPUT} or {META}")
        return
    source, run_id = named[0]
    if bundle.folder is not None and bundle.folder != run_id:
        yield Fault(f"{shown(bundle.folder)}, the folder's name", shown(run_id), source, "run_id")
    for name, told in named[1:]:
        if told != run_id:
            yield Fault(f"{shown(run_id)}, as {source} says", shown(told), name, "run_id")


def _upstream_is_named(bundle: Examination) -> Iterator[Fault]:
    """`input_artifact_index` names exactly the results that were handed over."""
    if not bundle.is_sound(INPUT, OUTPUT):
        bundle.leave("COUPLING", f"needs {INPUT} and {OUTPUT}")
        return
    upstream = bundle.value(INPUT)["inputs"].get("upstream")
    given = [_reference(item) for item in upstream if type(item) is dict] if type(upstream) is list else []
    named = bundle.value(OUTPUT).get("input_artifact_index")
    if named is None:
        if given:
            told = f"the {len(given)} results of {INPUT}"
            yield Fault(told, "no such member", OUTPUT, "input_artifact_index")
        return
    wanted = {pointer(*map(str, reference.values())) for reference in given}
    found = [pointer(*map(str, _reference(item).values())) for item in named]
    for index, reference in enumerate(found):
        if reference not in wanted or reference in found[:index]:
            told = f"each result of {INPUT}, once"
            yield Fault(told, shown(named[index]["engine_code"]), OUTPUT, "input_artifact_index", index)
    if wanted - set(found):
        yield Fault(f"the {len(wanted)} results of {INPUT}", f"{len(found)}", OUTPUT, "input_artifact_index")


def _reference(item: dict[str, Any]) -> dict[str, Any]:
    return {name: item.get(name) for name in ("engine_code", "artifact_name", "sha256")}


OUTPUT_RULES = (
    Rule("R3", "the output validates against its schema", _sound_output),
    Rule("FORBIDDEN_KEY", "no forbidden key in the output", _no_forbidden_output),
    Rule("ENGINE", "the output is this engine's", _of_this_engine),
    Rule("SEMANTICS", "what the output claims fits the engine's role", _semantics_fit),
    Rule("INPUTS_HASH", "the output names the input's hash", _inputs_hash),
    Rule("OUTPUTS_HASH", "the output names its own hash", _outputs_hash),
    Rule("COUPLING", "the output names the results it was given", _upstream_is_named),
)


# What is recorded of them.


def _sound_records(bundle: Examination) -> Iterator[Fault]:
    if bundle.is_sound(META):
        bundle.embed("META", META, verify_run_meta(bundle.value(META), level=bundle.level))
    if not bundle.is_sound(META, MANIFEST):
        bundle.leave("META", f"needs {META} and {MANIFEST}")
        return
    meta, manifest = bundle.value(META), bundle.value(MANIFEST)
    for member in ("engine_code", "engine_version"):
        if meta[member] != manifest[member]:
            yield Fault(f"{shown(manifest[member])}, as the manifest says", shown(meta[member]), META, member)
    if meta.get("entrypoint") is not None and meta["entrypoint"] != manifest.get("entrypoint"):
        yield Fault("the manifest's entrypoint", "another", META, "entrypoint")


def _contracts_are_those(bundle: Examination) -> Iterator[Fault]:
    if not bundle.is_sound(META):
        bundle.leave("R5", f"needs {META}")
        return
    for name, told in bundle.value(META)["contracts_hashes"].items():
        member = bundle.members.get(name)
        if member is not None and member.canonical_digest != told:
            yield Fault(f'"{told}", as {META} says', f'"{member.canonical_digest}"', name)


def _sound_index(bundle: Examination) -> Iterator[Fault]:
    if bundle.is_sound(INDEX):
        bundle.embed("INDEX", INDEX, verify_run_artifacts(bundle.value(INDEX), level=bundle.level))
    yield from ()


def _sound_sums(bundle: Examination) -> Iterator[Fault]:
    for line, expected, found in bundle.sums.faults if bundle.sums is not None else ():
        yield Fault(expected, f"{found} in line {line + 1}", SUMS)


def _complete(bundle: Examination) -> Iterator[Fault]:
    irregular = dict(bundle.irregular)
    for name in REQUIRED:
        if name not in bundle.members and name not in irregular:
            yield Fault("a file", "none", name)
    for name, kind in bundle.irregular:
        yield Fault("a regular file", kind, name)


def _closed_world(bundle: Examination) -> Iterator[Fault]:
    """Index, sums and disk name the same files."""
    if bundle.sums is None:
        bundle.leave("R1", f"the closed world: needs {SUMS}")
        return
    summed = set(bundle.sums.digests)
    on_disk = set(bundle.members)
    for name in in_order(on_disk - summed - {SUMS}):
        yield Fault(f"no file but those of {SUMS}", "one more", name)
    for name in in_order(summed - on_disk - set(REQUIRED)):
        yield Fault(f"the file that {SUMS} names", "none", name)
    if not bundle.is_sound(INDEX):
        bundle.leave("R1", f"the closed world: needs {INDEX}")
        return
    indexed = {item["relative_path"] for item in bundle.value(INDEX)}
    for name in in_order(summed - indexed - {INDEX}):
        yield Fault(f"a file that {INDEX} lists", f"one that only {SUMS} does", name)
    for name in in_order(indexed - summed):
        yield Fault(f"a file that {SUMS} lists", f"one that only {INDEX} does", name)


def _hashes_match(bundle: Examination) -> Iterator[Fault]:
    sums = bundle.sums.digests if bundle.sums is not None else {}
    index = {item["relative_path"]: item["sha256"] for item in bundle.value(INDEX)} if bundle.is_sound(INDEX) else {}
    if bundle.sums is None:
        bundle.leave("R4", f"needs {SUMS}")
    for name in in_order(bundle.members):
        member = bundle.members[name]
        for source, told in ((SUMS, sums.get(name)), (INDEX, index.get(name))):
            # another spelling of the same JSON has the same hash (seed 002), and a finding of its own
            if told is not None and told not in (member.digest, member.canonical_digest):
                yield Fault(f"{told}, as {source} says", member.digest, name)


def _canonical_bytes(bundle: Examination) -> Iterator[Fault]:
    for name in in_order(bundle.members):
        if not bundle.members[name].is_canonical:
            fault = Fault("canonical JSON (JCS) and nothing after it", "another spelling of the same value", name)
            if bundle.level == "compat":
                bundle.warnings.append(finding("NON_CANONICAL_BYTES", fault))
            else:
                yield fault


RECORD_RULES = (
    Rule("META", "the record of the run is sound and of this engine", _sound_records),
    Rule("RUN_ID", "every document and the folder name one run", _same_run),
    Rule("INDEX", "the index is sound", _sound_index),
    Rule("SUMS", "the sums are sound", _sound_sums),
    Rule("R1", "all required artifacts exist, and are regular files", _complete),
    Rule("R1", "index, sums and disk name the same files", _closed_world),
    Rule("R4", "every file has the hash that is listed", _hashes_match),
    Rule("R5", "the contracts are those of the run", _contracts_are_those),
    Rule("NON_CANONICAL_BYTES", "JSON is stored as its canonical bytes", _canonical_bytes),
)

#: What no finished bundle can show: how it is sealed and replayed.
BEHAVIOUR = (
    Rule("R6", "the engine is the one that ran", behaviour=True),
    Rule(SCHEMA_VACUOUS, "a schema that refuses nothing is a warning", behaviour=True),
    Rule("MEMBER_DIFFERS", "what is given twice is given alike", behaviour=True),
    Rule("UPSTREAM", "results of others come out of sealed runs that verify", behaviour=True),
    Rule("ENTRYPOINT", "an engine that is run says how", behaviour=True),
    Rule("ENGINE_FAILED", "what failed is not sealed", behaviour=True),
    Rule("ENGINE_CHANGED", "what was hashed is what ran", behaviour=True),
    Rule("NOT_DETERMINISTIC", "two runs that differ are not sealed", behaviour=True),
    Rule("RUN_EXISTS", "a run id is sealed once", behaviour=True),
)

ENGINE_BUNDLE = Contract(
    "engine bundle",
    "engine-bundle",
    lambda _level: Anything(),
    (*CONTRACT_RULES, *INPUT_RULES, *OUTPUT_RULES, *RECORD_RULES, *BEHAVIOUR),
)


def report_of(bundle: Examination, document: str = ENGINE_BUNDLE.document) -> Report:
    """What came of the rules that were run so far."""
    facts: dict[str, Any] = {}
    if bundle.warnings:
        facts["warnings"] = [warning_json(told) for told in bundle.warnings]
    return Report(document, bundle.findings, bundle.checked, bundle.not_checked, facts)


def warning_json(told: Finding) -> dict[str, str]:
    return {"code": told.rule_id, "path": told.path, "message": told.message}


def examine_engine_bundle(bundle: Examination) -> Report:
    """Every rule, over what was read of a bundle."""
    bundle.run(ENGINE_BUNDLE.rules)
    report = report_of(bundle)
    if report.ok:
        report.facts.update(facts_of(bundle))
    return report


def facts_of(bundle: Examination) -> dict[str, Any]:
    meta, output = bundle.value(META), bundle.value(OUTPUT)
    return {
        "run_id": meta["run_id"],
        "engine": f"{meta['engine_code']} {meta['engine_version']}",
        "inputs_hash": output["inputs_hash"],
        "outputs_hash": output["outputs_hash"],
        "files": len(bundle.members),
    }

"""RUN_META.json: which engine ran, under which contracts, and how to run it again (seed 002; contracts 3)."""

from __future__ import annotations

from ..rules.checks import INSTANT, sorted_texts
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Map, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import parse_timestamp
from .engine_family import (
    CANONICALIZATION,
    CONTRACTS,
    HASH_ALGO,
    OUTPUTS_PAYLOAD,
    WITHOUT_OUTPUTS_HASH,
    bare_digest,
    run_id,
)
from .runner import FORBIDDEN_PREFIXES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level


def _sealed_at(level: Level) -> Shape:
    """Older writers have other spellings of UTC and no bound on the fraction; none of them is without date and zone."""
    if level != "compat":
        return Text(lambda text: parse_timestamp(text) is not None, INSTANT.expected, rule="ER3")
    return Text(
        lambda text: parse_timestamp(text[:19] + "Z") is not None and text.endswith(("Z", "+00:00")),
        "a UTC instant",
        rule="ER3",
    )


def _shape(level: Level) -> Shape:
    return Obj(
        {
            "run_id": run_id("ER1"),
            "engine_code": non_empty("ER2"),
            "engine_version": non_empty("ER2"),
            "sealed_at": _sealed_at(level),
            "canonicalization": OneOf(CANONICALIZATION, rule="ER4"),
            "hash_algo": OneOf(HASH_ALGO, rule="ER4"),
            "core_orchestrator_version": non_empty("ER5"),
            "contracts_hashes": Obj({name: bare_digest("ER6") for name in CONTRACTS}, closed="ER6"),
        },
        {
            "outputs_hash_rule": OneOf(WITHOUT_OUTPUTS_HASH, OUTPUTS_PAYLOAD, rule="ER7"),
            "stripped_context_paths": Arr(
                Text(_is_below_context, "a JSON Pointer below /context", rule="ER8"), rule="ER8"
            ),
            "entrypoint": Nullable(Arr(non_empty("ER9"), rule="ER9"), rule="ER9"),
            "engine_files_sha256": bare_digest("ER10"),
            "interpreter": Nullable(Obj({"command": non_empty("ER11"), "version": Text(rule="ER11")}), rule="ER11"),
            "environment": Map(Text(rule="ER12")),
            "degraded": Arr(OneOf("memory", "noexec", "pids", "seccomp", rule="ER13"), rule="ER13"),
        },
    )


def _is_below_context(text: str) -> bool:
    return text.startswith("/context/")


def _names_of_variables(environment: dict[str, str]) -> Iterator[Fault]:
    """What a sandbox would take: a replay gives the engine these again."""
    for name, value in environment.items():
        if not name or "=" in name or "\0" in name + value or name.startswith(FORBIDDEN_PREFIXES):
            yield Fault("the name of a variable that a sandbox takes, and no NUL", shown(name), name)


def _each_once_in_order(paths: list[str]) -> Iterator[Fault]:
    yield from sorted_texts(paths)
    for index in range(1, len(paths)):
        if paths[index] == paths[index - 1]:
            yield Fault("each place once", shown(paths[index]), index)
            return


RUN_META = Contract(
    "run meta",
    "run-meta",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("ER1", "the run is named"),
        Rule("ER2", "the engine is named"),
        Rule("ER3", "the time of sealing is a UTC instant"),
        Rule("ER4", "artifacts are hashed as this family hashes"),
        Rule("ER5", "who sealed is named"),
        Rule("ER6", "each contract has its hash"),
        Rule("ER7", "the way to the output's hash is known"),
        Rule(
            "ER8",
            "what was stripped is told by its place",
            _each_once_in_order,
            needs=("stripped_context_paths",),
        ),
        Rule("ER9", "the command is told, or that there was none"),
        Rule("ER10", "the engine's files have a hash"),
        Rule("ER11", "the interpreter is told with its version"),
        Rule("ER12", "the environment is told"),
        Rule("ER13", "what was not enforced is told", sorted_texts, needs=("degraded",)),
        Rule("ER12", "a sandbox takes its variables", _names_of_variables, needs=("environment",)),
    ),
)


def verify_run_meta(value: object, *, level: Level = "spec") -> Report:
    """ER1-ER13."""
    return survives_writing(examine(RUN_META, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "run_id": "run-0001",
    "engine_code": "SPECTRA",
    "engine_version": "1.0.0",
    "sealed_at": "2026-01-06T12:00:00.000Z",
    "canonicalization": "JCS_RFC8785",
    "hash_algo": "sha256",
    "core_orchestrator_version": "0.1.0",
    "contracts_hashes": {
        "COUPLING_RULES.json": "7cb1b2cd0e0b3be55f85a0a2ff0e7fcb1f0f8a2a3a7ffbc2d27a5a1ac6a3cf56",
        "ENGINE_MANIFEST.json": "d2c0b1c64b6a3f9d1c0a0ff2b29f6ab1fd41b20d4dcf4c9a7ab3e52ab1a7d7f0",
        "INPUT_SCHEMA.json": "0f8ef3377b30fc47f96b48247f463a726a802f62f3faa03d56403751d2f66c67",
        "OUTPUT_SCHEMA.json": "9c56cc51b374c3ba189210d5b6d4bf57790d351c96c47c02190ecf1e430635ab",
        "SEALING_SPEC.md": "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
    },
    "outputs_hash_rule": "WITHOUT_OUTPUTS_HASH",
    "stripped_context_paths": ["/context/session/userId"],
    "entrypoint": ["python3", "spectra.py"],
    "engine_files_sha256": "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9",
    "interpreter": {"command": "python3", "version": "Python 3.12.3"},
    "environment": {"LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "TZ": "UTC"},
}

"""ENGINE_MANIFEST.json: what an engine is and where its contracts lie (contracts 3)."""

from __future__ import annotations

from ..rules.checks import stays_below
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Anything, Arr, Bool, Nullable, Obj, OneOf, Shape, Text, non_empty
from ..shown import kind_of
from .engine_family import CANONICALIZATION, HASH_ALGO, SEMANTICS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..values import Level

#: The members of `io` and `sealing` that name a file, in the order of the contracts they name.
FILES = (
    ("io", "input_schema_file"),
    ("io", "output_schema_file"),
    ("io", "coupling_rules_file"),
    ("sealing", "sealing_spec_file"),
)

_DETAIL = Obj({"domain_class": non_empty("EM2"), "domain_detail": Text(rule="EM2")})


class _Domain(Shape):
    """A string, or an object with its class and detail."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(
            "a string, or an object with domain_class and domain_detail",
            lambda value: (type(value) is str and value != "") or _DETAIL.fits(value),
            "EM2",
        )

    def seen(self, value: object) -> str:
        return kind_of(value)


def _file() -> Shape:
    return Text(_is_plain_path, "a relative path of plain names", rule="EM5")


def _is_plain_path(text: str) -> bool:
    return (
        stays_below(text)
        and "\\" not in text
        and text.isprintable()
        and all(name not in ("", ".") for name in text.split("/"))
    )


def _shape(_level: Level) -> Shape:
    return Obj(
        {
            "manifest_version": non_empty("EM1"),
            "engine_code": non_empty("EM2"),
            "engine_name": non_empty("EM2"),
            "engine_role": OneOf(*SEMANTICS, rule="EM3"),
            "domain": _Domain(),
            "engine_version": non_empty("EM2"),
            "invariants": Obj(
                {
                    "deterministic": OneOf(True, rule="EM4"),
                    "headless": Bool(rule="EM4"),
                    "network_access": OneOf(False, rule="EM4"),
                    "user_aware": Bool(rule="EM4"),
                    "governance_aware": Bool(rule="EM4"),
                    "side_effect_free": Bool(rule="EM4"),
                }
            ),
            "io": Obj({"input_schema_file": _file(), "output_schema_file": _file(), "coupling_rules_file": _file()}),
            "sealing": Obj(
                {
                    "sealing_spec_file": _file(),
                    "canonical_json": Bool(rule="EM6"),
                    "hash_algo": OneOf(HASH_ALGO, rule="EM6"),
                    "hash_canonicalization": OneOf(CANONICALIZATION, rule="EM6"),
                }
            ),
        },
        {
            "artifact_bundle": Anything(),
            "compatibility": Anything(),
            "outputs_are_interpretation": Nullable(Bool(), rule="EM2"),
            "notes": Anything(),
            "entrypoint": Arr(Text(lambda word: "\0" not in word, "a word without NUL", rule="EM7"), rule="EM7"),
        },
    )


def _is_canonical(canonical_json: bool) -> Iterator[Fault]:
    if not canonical_json:
        yield Fault("true: artifacts are sealed as canonical JSON", "false")


def _starts_something(entrypoint: list[str]) -> Iterator[Fault]:
    if not entrypoint:
        yield Fault("a command and its arguments", "none")
    elif entrypoint[0] == "":
        yield Fault("a command", "an empty word", 0)


ENGINE_MANIFEST = Contract(
    "engine manifest",
    "engine-manifest",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("EM1", "the manifest has a version"),
        Rule("EM2", "the engine is named"),
        Rule("EM3", "the role is known"),
        Rule("EM4", "the engine is deterministic and takes no network"),
        Rule("EM5", "contracts lie inside the engine's folder"),
        Rule("EM6", "artifacts are hashed as this family hashes"),
        Rule("EM6", "artifacts are canonical JSON", _is_canonical, needs=("sealing.canonical_json",)),
        Rule("EM7", "the entrypoint is a command", _starts_something, needs=("entrypoint",)),
    ),
)


def verify_engine_manifest(value: object, *, level: Level = "spec") -> Report:
    """EM1-EM7."""
    return survives_writing(examine(ENGINE_MANIFEST, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "manifest_version": "1.0.0",
    "engine_code": "SPECTRA",
    "engine_name": "Spectrum estimator",
    "engine_role": "TRUTH_ADJACENT_COMPUTE",
    "domain": "signal-processing",
    "engine_version": "1.0.0",
    "invariants": {
        "deterministic": True,
        "headless": True,
        "network_access": False,
        "user_aware": False,
        "governance_aware": False,
        "side_effect_free": True,
    },
    "io": {
        "input_schema_file": "INPUT_SCHEMA.json",
        "output_schema_file": "OUTPUT_SCHEMA.json",
        "coupling_rules_file": "COUPLING_RULES.json",
    },
    "sealing": {
        "sealing_spec_file": "SEALING_SPEC.md",
        "canonical_json": True,
        "hash_algo": "sha256",
        "hash_canonicalization": "JCS_RFC8785",
    },
    "entrypoint": ["python3", "spectra.py"],
}

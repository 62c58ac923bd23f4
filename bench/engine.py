"""Sealing and verifying a run of 10 MB in and 10 MB out, as ratios to what has to be done with those bytes at least."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from typing import Any

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import RAW
from affidavit.canon.reader import read_document
from affidavit.contracts import coupling_rules, engine_manifest
from affidavit.contracts.forbidden_keys import ForbiddenKeys
from affidavit.contracts.json_schema import Schema, compiled
from affidavit.engine.bundle import verify_engine_bundle
from affidavit.engine.sealing import Sealed, seal_output

from .frame import Row, medians

_MEGABYTES = 10
_EARLIER = 2000

_ITEM = {
    "type": "object",
    "required": ["at", "label", "power", "valid"],
    "properties": {
        "at": {"type": "integer", "minimum": 0},
        "label": {"type": "string"},
        "power": {"type": "number"},
        "valid": {"type": "boolean"},
    },
}
_ITEMS = {"type": "object", "properties": {"items": {"type": "array", "items": _ITEM}}}
_INPUT_SCHEMA: Any = {"type": "object", "required": ["inputs"], "properties": {"inputs": _ITEMS}}
_OUTPUT_SCHEMA: Any = {"type": "object", "required": ["outputs"], "properties": {"outputs": _ITEMS}}


def items(scale: float) -> list[Any]:
    """About so many megabytes of them."""
    count = _MEGABYTES * 1_000_000 // 70
    return [{"at": n, "label": f"sample {n}", "power": n * scale, "valid": n % 7 != 0} for n in range(count)]


def engine(place: str) -> str:
    folder = os.path.join(place, "engine")
    os.mkdir(folder)
    manifest = {name: value for name, value in engine_manifest.EXAMPLE.items() if name != "entrypoint"}
    contracts: dict[str, Any] = {
        "ENGINE_MANIFEST.json": manifest,
        "COUPLING_RULES.json": coupling_rules.EXAMPLE,
        "INPUT_SCHEMA.json": _INPUT_SCHEMA,
        "OUTPUT_SCHEMA.json": _OUTPUT_SCHEMA,
    }
    for name, value in contracts.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(canonical(value))
    with open(os.path.join(folder, "SEALING_SPEC.md"), "wb") as file:
        file.write(b"whole outputs\n")
    return folder


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as place:
        folder = engine(place)
        given = canonical(
            {"run_id": "run-0", "project_id": "bench", "inputs": {"items": items(0.37)}, "parameters": {}}
        )
        made = canonical(
            {
                "run_id": "run-0",
                "engine": {"engine_code": "SPECTRA", "engine_version": "1.0.0"},
                "outputs": {"items": items(1.93)},
                "metrics": {},
                "semantics": "DETERMINISTIC_TRANSFORM",
            }
        )
        least_schemas = [compiled(_INPUT_SCHEMA), compiled(_OUTPUT_SCHEMA)]

        def least() -> None:
            """Strict parsing, canonical bytes, a hash, the schema, one walk over the keys; of both documents."""
            for data, schema in zip((given, made), least_schemas, strict=True):
                value = read_document(data).value
                RAW.digest(canonical(value))
                assert isinstance(schema, Schema)
                assert not list(schema.errors(value))
                assert not list(ForbiddenKeys().places(value))

        numbers = itertools.count()

        def seal(out: str = "RUN_BUNDLE") -> str:
            # as many digits each time: another id in place of the first, the same work
            name = b"r%05d" % next(numbers)
            outcome = seal_output(
                folder,
                given.replace(b"run-0", name, 1),
                made.replace(b'"run-0"', b'"%s"' % name, 1),
                out=os.path.join(place, out),
            )
            assert isinstance(outcome, Sealed), outcome
            return outcome.path

        def seal_and_remove(out: str = "RUN_BUNDLE") -> None:
            shutil.rmtree(seal(out))

        kept = seal("kept")

        def verify() -> None:
            assert verify_engine_bundle(kept).ok

        small = seal_small(folder, place, numbers)
        os.mkdir(os.path.join(place, "many"))
        for _ in range(_EARLIER):
            os.mkdir(os.path.join(place, "many", f"earlier-{next(numbers)}"))
        took = medians(
            {
                "least": least,
                "seal": seal_and_remove,
                "verify": verify,
                "seal small, first": lambda: small("few"),
                "seal small, after many": lambda: small("many"),
            },
            rounds=7,
        )
    control = f"parse, canonicalize, hash, schema, walk {took['least'] * 1e3:.0f} ms"
    return [
        Row("seal 10 MB in, 10 MB out", took["seal"] / took["least"], "x", at_most=1.5, control=control),
        Row("verify 10 MB in, 10 MB out", took["verify"] / took["least"], "x", at_most=1.5, control=control),
        Row(
            f"seal a small run beside {_EARLIER} others",
            took["seal small, after many"] / took["seal small, first"],
            "x",
            at_most=1.5,
            control=f"beside none {took['seal small, first'] * 1e3:.1f} ms",
        ),
    ]


def seal_small(folder: str, place: str, numbers: itertools.count[int]) -> Any:
    """Seals and removes a run of a hundred bytes."""

    def seal(out: str) -> None:
        name = f"s{next(numbers)}"
        given = canonical({"run_id": name, "project_id": "bench", "inputs": {"items": []}, "parameters": {}})
        made = canonical(
            {
                "run_id": name,
                "engine": {"engine_code": "SPECTRA", "engine_version": "1.0.0"},
                "outputs": {"items": []},
                "metrics": {},
                "semantics": "DETERMINISTIC_TRANSFORM",
            }
        )
        outcome = seal_output(folder, given, made, out=os.path.join(place, out))
        assert isinstance(outcome, Sealed), outcome
        shutil.rmtree(outcome.path)

    return seal

"""Engines in folders, and runs of them."""

from __future__ import annotations

import copy
import os
from typing import Any

from affidavit.canon.jcs import canonical
from affidavit.contracts import run_input, run_output
from affidavit.engine.sealing import Sealed, seal_output
from affidavit.kernel.seal import Given
from tests.support.engines import SEALING, engine_contracts

#: What an engine of these contracts answers, without the hashes.
OUTPUT: dict[str, Any] = {name: value for name, value in run_output.EXAMPLE.items() if not name.endswith("_hash")}
INPUT = run_input.EXAMPLE


def engine_folder(place: str, contracts: dict[str, Any] | None = None, program: str = "", **manifest: Any) -> str:
    """A folder with an engine's contracts; with a `program`, also its entrypoint `engine.py`."""
    os.makedirs(place, exist_ok=True)
    found = contracts or engine_contracts(**manifest)
    if program:
        found["ENGINE_MANIFEST.json"]["entrypoint"] = ["python3", "engine.py"]
        write(place, "engine.py", program.encode())
    elif contracts is None and "entrypoint" not in manifest:
        del found["ENGINE_MANIFEST.json"]["entrypoint"]
    for name, value in found.items():
        write(place, name, canonical(value) + b"\n")
    write(place, "SEALING_SPEC.md", SEALING.encode())
    return place


def write(folder: str, name: str, data: bytes) -> str:
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def seal(place: str, *, run_input: Any = None, run_output: Any = None, engine: str = "", **given: Any) -> Any:
    """Seals the examples, or what is given, below `place`."""
    engine = engine or engine_folder(os.path.join(place, "engine"))
    return seal_output(
        engine,
        canonical(copy.deepcopy(run_input or INPUT)),
        canonical(copy.deepcopy(run_output or OUTPUT)),
        out=os.path.join(place, "RUN_BUNDLE"),
        given=Given(**given),
    )


def sealed(place: str, **given: Any) -> Sealed:
    outcome = seal(place, **given)
    assert isinstance(outcome, Sealed), outcome
    return outcome

"""`affidavit engine run`: the input checked, the entrypoint run in the sandbox, the output checked, then sealed."""

from __future__ import annotations

import os

from ..canon.reader import read
from ..contracts.engine_family import MANIFEST, OUTPUT
from ..errors import ParseError
from ..kernel.difference import first_difference
from ..kernel.seal import Given
from ..rules.model import Finding
from ..values import pointer
from .execute import execute, interpreter_of
from .sealing import Refusal, Sealed, Sealing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..sandbox.abilities import AbilityName

ENTRYPOINT = "ENTRYPOINT"
ENGINE_FAILED = "ENGINE_FAILED"
NOT_DETERMINISTIC = "NOT_DETERMINISTIC"


def run_engine(
    engine: str | os.PathLike[str],
    run_input: bytes,
    *,
    out: str | os.PathLike[str] = "RUN_BUNDLE",
    given: Given | None = None,
    separate_parameters: bool = False,
    verify_determinism: bool = False,
    degraded: Sequence[AbilityName] = (),
    progress: Callable[[str], None] = lambda _told: None,
) -> Sealed | Refusal:
    """Runs the engine in the folder at `engine` with `run_input` and seals what came of it below `out`. What may not be
    sealed is a Refusal, and nothing is written then. With `verify_determinism` it runs twice, and what differs is not
    sealed. Raises SandboxUnavailable for what this host cannot enforce."""
    sealing = Sealing(os.fspath(engine), os.fspath(out))
    if refusal := sealing.take_input(run_input, given or Given(), separate_parameters=separate_parameters):
        return refusal
    entrypoint = sealing.manifest.get("entrypoint")
    if entrypoint is None:
        told = Finding(
            ENTRYPOINT, MANIFEST, "an entrypoint, to run the engine by", "none: engine seal takes its output"
        )
        return Refusal([told], [])
    stdin = sealing.input_bytes()
    interpreter = interpreter_of(sealing.engine, entrypoint, degraded=degraded)
    progress(f"running {sealing.manifest['engine_code']} {sealing.manifest['engine_version']} in the sandbox")
    ran = execute(sealing.engine, entrypoint, stdin, degraded=degraded)
    if not ran.worked:
        return Refusal([Finding(ENGINE_FAILED, OUTPUT, "an entrypoint that ends with status 0", ran.why())], [])
    if verify_determinism:
        progress("running it once more")
        again = execute(sealing.engine, entrypoint, stdin, degraded=degraded)
        if differing := _differing(ran.stdout, again.stdout if again.worked else None):
            return Refusal([differing], [])
    if refusal := sealing.take_output(ran.stdout):
        return refusal
    progress("sealing")
    origin = sealing.origin(
        entrypoint=entrypoint, interpreter=interpreter, environment=ran.environment, degraded=ran.degraded
    )
    return sealing.seal(origin)


def _differing(first: bytes, second: bytes | None) -> Finding | None:
    """Two outputs for one input: where they differ first."""
    if first == second:
        return None
    told = "the same output from the same input, twice"
    if second is None:
        return Finding(NOT_DETERMINISTIC, OUTPUT, told, "a second run that failed")
    try:
        difference = first_difference(read(first), read(second))
    except ParseError:
        return Finding(NOT_DETERMINISTIC, OUTPUT, told, "two texts that differ, one of them no JSON")
    if difference is None:
        return None  # another spelling of one value, which is sealed in one spelling
    found = f"{difference.wanted}, then {difference.found}"
    return Finding(NOT_DETERMINISTIC, f"{OUTPUT}#{pointer(*difference.steps)}", told, found)

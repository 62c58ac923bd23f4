"""The words that the documents of an engine's run share (contracts 3): names, roles, hashes."""

from __future__ import annotations

from ..rules.shape import Obj, Text, non_empty
from ..values import LOWER_ALNUM, is_hex, made_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rules.shape import Shape

CANONICALIZATION = "JCS_RFC8785"
HASH_ALGO = "sha256"

MANIFEST = "ENGINE_MANIFEST.json"
INPUT_SCHEMA = "INPUT_SCHEMA.json"
OUTPUT_SCHEMA = "OUTPUT_SCHEMA.json"
COUPLING = "COUPLING_RULES.json"
SEALING_SPEC = "SEALING_SPEC.md"
INPUT = "RUN_INPUT.json"
CONTEXT = "RUN_CONTEXT_STRIPPED.json"
PARAMETERS = "RUN_PARAMETERS.json"
OUTPUT = "RUN_OUTPUT.json"
META = "RUN_META.json"
INDEX = "ARTIFACT_INDEX.json"
SUMS = "SHA256SUMS.txt"

#: Copied from the engine at the time of the run; `contracts_hashes` has exactly these.
CONTRACTS = (MANIFEST, INPUT_SCHEMA, OUTPUT_SCHEMA, COUPLING, SEALING_SPEC)
REQUIRED = (*CONTRACTS, INPUT, OUTPUT, META, INDEX, SUMS)

#: What an engine of each role may say of its results, and nothing else.
SEMANTICS = {
    "TRUTH_ENGINE": "RAW_TRUTH",
    "TRUTH_ADJACENT_COMPUTE": "DETERMINISTIC_TRANSFORM",
    "FUSION_ENGINE": "CORRELATION_ONLY",
}
FUSION = "FUSION_ENGINE"

#: How `outputs_hash` is made: of the output without that member, or, by older writers, of `outputs` alone.
WITHOUT_OUTPUTS_HASH = "WITHOUT_OUTPUTS_HASH"
OUTPUTS_PAYLOAD = "OUTPUTS_PAYLOAD"

_LONGEST_ID = 128


def is_run_id(text: str) -> bool:
    """One safe path segment: letters, digits, `.`, `_` and `-`, not beginning with a point or a dash."""
    plain = text.isascii() and made_of(text.lower(), LOWER_ALNUM + "._-")
    return plain and len(text) <= _LONGEST_ID and text[0] not in ".-"


def run_id(rule: str = "") -> Shape:
    return Text(
        is_run_id,
        "one path segment of letters, digits, '.', '_' and '-', at most 128",
        rule=rule,
    )


def bare_digest(rule: str = "") -> Shape:
    return Text(lambda text: is_hex(text, 64), "64 lowercase hex digits", rule=rule)


def engine_identity(rule: str = "") -> Shape:
    """`engine` of an output: who made it."""
    return Obj({"engine_code": non_empty(rule), "engine_version": non_empty(rule)})


def artifact_reference(rule: str = "") -> dict[str, Shape]:
    """One result of another engine, by its hash."""
    return {"engine_code": non_empty(rule), "artifact_name": non_empty(rule), "sha256": bare_digest(rule)}

"""model_io.json: what a model was asked and what it answered, for recording and replaying (MI1-MI12; contracts 2.7)."""

from __future__ import annotations

from ..canon import profiles
from ..canon.profiles import RAW
from ..errors import UnsupportedValue
from ..rules.checks import content_hash, version_of
from ..rules.engine import examine
from ..rules.model import Contract, Fault, Finding, Report, Rule
from ..rules.shape import Arr, Int, Obj, OneOf, Text, non_empty
from ..shown import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

MOST_INTERACTIONS = 10_000
MOST_RESPONSE_BYTES = 1_000_000
MOST_SESSION_BYTES = 100_000_000

#: The members that say what was asked and answered; when and at what cost is none of them (MI12).
CORE = ("adapter_id", "mode", "model_id", "model_io_schema_version")
INTERACTION_CORE = ("i", "prompt_hash", "response_content", "response_hash")


def _shape(_level: Level) -> Shape:
    interaction = Obj(
        {
            "i": Int(0, rule="MI5"),
            "prompt_hash": content_hash("MI6"),
            "response_hash": content_hash("MI7"),
            "response_content": Text(rule="SCHEMA"),
        },
        rule="SCHEMA",
    )
    return Obj(
        {
            "model_io_schema_version": version_of(1, "MI1"),
            "adapter_id": non_empty("MI2"),
            "model_id": non_empty("MI2"),
            "mode": OneOf("record", "replay", rule="MI3"),
            "interactions": Arr(interaction, rule="MI4", most=MOST_INTERACTIONS),
        },
        rule="SCHEMA",
    )


def _stand_at_their_place(interactions: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, interaction in enumerate(interactions):
        if interaction["i"] != index:
            yield Fault(f"{index}, its place", shown(interaction["i"]), index, "i")


def _are_unique(interactions: list[dict[str, Any]]) -> Iterator[Fault]:
    seen: set[tuple[str, int]] = set()
    for index, interaction in enumerate(interactions):
        key = (interaction["prompt_hash"], interaction["i"])
        if key in seen:
            yield Fault("each pair of prompt_hash and i once", "the pair again", index)
        seen.add(key)


def _increase(interactions: list[dict[str, Any]]) -> Iterator[Fault]:
    for index in range(1, len(interactions)):
        before, this = interactions[index - 1]["i"], interactions[index]["i"]
        if this <= before:
            yield Fault(f"a number above {shown(before)}", shown(this), index, "i")


def _hashes_agree(response_content: str, response_hash: str) -> Iterator[Fault]:
    try:
        real = RAW.digest(response_content.encode()).content_hash
    except UnicodeEncodeError:
        yield Fault("text that UTF-8 can carry", "a lone surrogate")
        return
    if real != response_hash:
        yield Fault(f"{real}, the content's", response_hash, field=1)


def _are_not_too_long(interactions: list[dict[str, Any]]) -> Iterator[Fault]:
    session = 0
    for index, interaction in enumerate(interactions):
        text = interaction["response_content"]
        # the exact length of what is certainly short enough matters to the sum only
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        session += size
        if size > MOST_RESPONSE_BYTES:
            yield Fault(f"at most {MOST_RESPONSE_BYTES} bytes", f"{size}", index, "response_content")
    if session > MOST_SESSION_BYTES:
        yield Fault(f"at most {MOST_SESSION_BYTES} bytes in all responses", f"{session}")


MODEL_IO = Contract(
    "model session",
    "model-io",
    _shape,
    (
        Rule("SCHEMA", "all members are there, interactions are objects in an array"),
        Rule("MI1", "the schema version is 1.x.y"),
        Rule("MI2", "adapter and model are named"),
        Rule("MI3", "the mode is record or replay"),
        Rule("MI4", "there are at most 10000 interactions"),
        Rule("MI5", "i is the interaction's place", _stand_at_their_place, needs=("interactions",)),
        Rule("MI6", "prompt_hash has the form of a hash"),
        Rule(
            "MI7",
            "response_hash is the hash of the response",
            _hashes_agree,
            each="interactions",
            needs=("response_content", "response_hash"),
        ),
        Rule("MI8", "no pair of prompt_hash and i stands twice", _are_unique, needs=("interactions",)),
        Rule("MI9", "i increases", _increase, needs=("interactions",)),
        Rule("MI10", "violations are sorted", behaviour=True),
        Rule("MI11", "responses are not too long", _are_not_too_long, needs=("interactions",)),
        Rule("MI12", "the hash leaves times, tokens and latencies out", behaviour=True),
    ),
)


def verify_model_io(value: object, *, level: Level = "spec") -> Report:
    """MI1-MI12. `facts["model_io_hash"]` is there only when the session is valid."""
    report = examine(MODEL_IO, value, level)
    if report.ok:
        try:
            report.facts["model_io_hash"] = model_io_hash(value)  # type: ignore[arg-type]
        except UnsupportedValue as error:
            lost = Finding("SCHEMA", error.place, error.expected, error.found)
            return Report(report.document, [lost], [*report.checked], [*report.not_checked])
    return report


def model_io_hash(session: dict[str, Any]) -> str:
    """The MODEL_IO hash of the core: what was asked and answered (MI12)."""
    core: dict[str, Any] = {name: session[name] for name in CORE}
    core["interactions"] = [
        {name: interaction[name] for name in INTERACTION_CORE} for interaction in session["interactions"]
    ]
    return profiles.MODEL_IO.digest(core).content_hash


EXAMPLE: dict[str, Any] = {
    "model_io_schema_version": "1.0.0",
    "adapter_id": "local-http",
    "model_id": "example-1",
    "mode": "record",
    "interactions": [
        {
            "i": 0,
            "prompt_hash": "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "response_hash": "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            "response_content": "hello\n",
            "tokens_input": 12,
            "tokens_output": 2,
            "latency_ms": 140,
        },
        {
            "i": 1,
            "prompt_hash": "sha256:60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
            "response_hash": "sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed",
            "response_content": "one",
        },
    ],
    "created_at_utc": "2026-01-06T12:00:00Z",
    "ended_at_utc": "2026-01-06T12:00:05Z",
    "stats": {"interactions": 2},
}

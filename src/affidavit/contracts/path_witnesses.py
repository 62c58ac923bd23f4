"""path_witnesses.json: what a probe asked for and what the kernel says it got (seed 003, 1.5; contracts 4.8)."""

from __future__ import annotations

from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from .probing import DECISIONS, LANES, errno_or_null, flag_or_null, frame, schema, text_or_null

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    from ..rules.shape import Shape
    from ..values import Level

    PathSource = Literal["observed_path", "requested_path", "missing"]

SCHEMA_VERSION = "runtime-tools.path_witnesses.v0.1"
RECORD_VERSION = "runtime-tools.path_witness.v0.1"


def _shape(level: Level) -> Shape:
    record = Obj(
        {
            "lane": OneOf(*LANES),
            "profile_id": text_or_null(),
            "scenario_id": text_or_null(),
            "operation": non_empty(),
            "requested_path": text_or_null(),
            "observed_path": text_or_null(),
            "observed_path_source": Text(),
            "observed_path_errno": errno_or_null(),
            "observed_path_nofirmlink": text_or_null(),
            "observed_path_nofirmlink_source": Text(),
            "observed_path_nofirmlink_errno": errno_or_null(),
            "normalized_path": text_or_null(),
            "normalized_path_source": OneOf("observed_path", "requested_path", "missing", rule="PW2"),
            "canonicalization": Obj({"alias_pair": flag_or_null(), "nofirmlink_differs": flag_or_null()}),
            "decision": Nullable(OneOf(*DECISIONS)),
        },
        {"schema_version": schema("path_witness.v0.1", "PW1")},
    )
    return Obj({"schema_version": schema("path_witnesses.v0.1", "PW1"), **frame(level), "records": Arr(record)})


def normalized_path(requested: str | None, observed: str | None) -> tuple[str | None, PathSource]:
    """The key that witnesses and events are joined by: what the kernel says, else what was asked for, else nothing.
    The one place where it is made."""
    if observed is not None:
        return observed, "observed_path"
    if requested is not None:
        return requested, "requested_path"
    return None, "missing"


def _is_normalized(requested: str | None, observed: str | None, normalized: str | None, source: str) -> Iterator[Fault]:
    wanted, wanted_source = normalized_path(requested, observed)
    if normalized != wanted:
        yield Fault(f"{shown(wanted)}, the {wanted_source}", shown(normalized), field=2)
    if source != wanted_source:
        yield Fault(shown(wanted_source), shown(source), field=3)


def differs(one: str | None, other: str | None) -> bool | None:
    """Whether two spellings are not the same; nothing where one of them is not known."""
    return None if one is None or other is None else one != other


def _canonicalization_fits(
    requested: str | None, observed: str | None, nofirmlink: str | None, told: dict[str, Any]
) -> Iterator[Fault]:
    alias, firmlink = differs(requested, observed), differs(observed, nofirmlink)
    for name, wanted in (("alias_pair", alias), ("nofirmlink_differs", firmlink)):
        if told[name] is not wanted:
            yield Fault(f"{shown(wanted)}, as the paths say", shown(told[name]), name, field=3)


PATH_WITNESSES = Contract(
    "path witnesses",
    "path-witnesses",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("PW1", "the schema is this document's, and each record's where it has one"),
        Rule(
            "PW2",
            "the normalized path is the observed one, else the requested one",
            _is_normalized,
            each="records",
            needs=("requested_path", "observed_path", "normalized_path", "normalized_path_source"),
        ),
        Rule(
            "PW3",
            "canonicalization follows from the paths",
            _canonicalization_fits,
            each="records",
            levels=("spec", "strict"),
            needs=("requested_path", "observed_path", "observed_path_nofirmlink", "canonicalization"),
        ),
    ),
)


def verify_path_witnesses(value: object, *, level: Level = "spec") -> Report:
    """PW1-PW3."""
    return survives_writing(examine(PATH_WITNESSES, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "schema_version": SCHEMA_VERSION,
    "world_id": "linux-x86_64-9f86d081884c7d65",
    "run_id": "pr_mjz4k1s0_9f86d081",
    "records": [
        {
            "schema_version": RECORD_VERSION,
            "lane": "scenario",
            "profile_id": "strict",
            "scenario_id": "strict:through_link",
            "operation": "file-read-data",
            "requested_path": "/workspace/link/a.txt",
            "observed_path": "/workspace/real/a.txt",
            "observed_path_source": "proc_fd_readlink",
            "observed_path_errno": None,
            "observed_path_nofirmlink": None,
            "observed_path_nofirmlink_source": "unavailable",
            "observed_path_nofirmlink_errno": None,
            "normalized_path": "/workspace/real/a.txt",
            "normalized_path_source": "observed_path",
            "canonicalization": {"alias_pair": True, "nofirmlink_differs": None},
            "decision": "allow",
        }
    ],
}

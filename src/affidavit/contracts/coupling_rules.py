"""COUPLING_RULES.json: from which engines an engine takes results, and that only CORE hands them over (contracts 3)."""

from __future__ import annotations

from ..rules.checks import each_once
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Report, Rule
from ..rules.shape import SCHEMA, Arr, Obj, OneOf, non_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

CORE_ONLY = "CORE_ONLY"


def _shape(_level: Level) -> Shape:
    source = Obj({"engine_code": non_empty("CR3"), "via": OneOf(CORE_ONLY, rule="CR3")})
    return Obj(
        {
            "delivery_model": OneOf(CORE_ONLY, rule="CR1"),
            "core_mediated_coupling": OneOf(True, rule="CR2"),
            "direct_engine_to_engine_calls": OneOf(False, rule="CR2"),
            "allowed_inputs_from_other_engines": Arr(source),
        }
    )


COUPLING_RULES = Contract(
    "coupling rules",
    "coupling-rules",
    _shape,
    (
        Rule(SCHEMA, "the members are there and of their types"),
        Rule("CR1", "results are delivered by CORE alone"),
        Rule("CR2", "engines do not call each other"),
        Rule("CR3", "each source is an engine, by way of CORE"),
        Rule("CR3", "each source once", each_once("engine_code"), needs=("allowed_inputs_from_other_engines",)),
    ),
)


def verify_coupling_rules(value: object, *, level: Level = "spec") -> Report:
    """CR1-CR3."""
    return survives_writing(examine(COUPLING_RULES, value, level), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "delivery_model": "CORE_ONLY",
    "core_mediated_coupling": True,
    "direct_engine_to_engine_calls": False,
    "allowed_inputs_from_other_engines": [{"engine_code": "SPECTRA", "via": "CORE_ONLY"}],
}

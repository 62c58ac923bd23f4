"""A shape as JSON Schema (draft 2020-12), for other tools.

A schema says what a document's members are; the rules say more. So it never refuses what a verifier accepts (a test
holds every vector and every example to that), and text forms stand in it as words where no pattern is given.
"""

from __future__ import annotations

from .shape import Anything, Arr, Bool, Int, Map, Nullable, Obj, OneOf, Shape, Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(shape: Shape) -> dict[str, Any]:
    """The schema of one node and all below it."""
    if isinstance(shape, Obj):
        return _object(shape)
    if isinstance(shape, Arr):
        most = {} if shape.most is None else {"maxItems": shape.most}
        return {"type": "array", "items": json_schema(shape.items), **most}
    if isinstance(shape, Map):
        return {"type": "object", "additionalProperties": json_schema(shape.values)}
    if isinstance(shape, Nullable):
        return {"anyOf": [{"type": "null"}, json_schema(shape.shape)]}
    if isinstance(shape, OneOf):
        return {"enum": list(shape.constants)}
    if isinstance(shape, Int):
        return {"type": "integer", "minimum": shape.low, "maximum": shape.high}
    if isinstance(shape, Bool):
        return {"type": "boolean"}
    if isinstance(shape, Text):
        return {"type": "string"} | ({} if shape.expected == "a string" else {"description": shape.expected})
    if isinstance(shape, Anything):
        return {}
    return {"description": shape.expected}


def _object(shape: Obj) -> dict[str, Any]:
    members = {**shape.members, **shape.optional}
    found: dict[str, Any] = {
        "type": "object",
        "properties": {name: json_schema(member) for name, member in members.items()},
        "required": list(shape.members),
    }
    if shape.closed:
        found["additionalProperties"] = False
    return found

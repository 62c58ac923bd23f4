"""JSON Schema, draft 2020-12, for the schemas that engines bring: their own, so whatever they hold is judged, never
trusted. No reference leads outside the schema, patterns may not backtrack for long, unknown keywords are ignored.
"""

from __future__ import annotations

from ..shown import kind_of, plain, shown
from ..values import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..values import Json, Step

    #: Where in a value, what was expected there, what was found.
    Error = tuple[tuple[Step, ...], str, str]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: A wrong document of megabytes is wrong in as many places.
MOST_ERRORS = 100
_BACKTRACKS = 100_000
_LONGEST = 200

#: Keywords that say something about a value, not only about a schema. One that has none of them constrains nothing.
_CONSTRAINING = frozenset(
    {
        *("type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum"),
        *("maxLength", "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains"),
        *("maxProperties", "minProperties", "required", "dependentRequired", "contains", "not"),
        *("$ref", "$dynamicRef"),
    }
)
#: Keywords whose values are schemas: one, an array of them, an object of them.
_ONE = ("items", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "if")
_SOME = ("allOf", "anyOf", "oneOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "dependentSchemas")


class SchemaFault:
    """Why a schema is none that we can use."""

    __slots__ = ("expected", "found", "steps")

    def __init__(self, expected: str, found: str, *steps: Step) -> None:
        self.expected = expected
        self.found = found
        self.steps = steps


class Schema:
    """A schema that was found sound."""

    __slots__ = ("_validator",)

    def __init__(self, validator: Any) -> None:
        self._validator = validator

    def accepts(self, value: Json) -> bool:
        """Whether nothing is wrong with a value. Takes no more memory than the value."""
        accepted: bool = self._validator.is_valid(value)
        return accepted

    def errors(self, value: Json) -> Iterator[Error]:
        """What is wrong with a value. Each error holds a copy of what it is about: megabytes that are wrong in a
        thousand ways may take all memory there is."""
        if self.accepts(value):
            return
        for count, error in enumerate(self._validator.iter_errors(value)):
            if count == MOST_ERRORS:
                return
            keywords = _short("/".join(str(step) for step in error.schema_path))
            yield tuple(error.instance_path), f"what the schema's {keywords} asks for", shown(_at(value, error))


def _at(value: Any, error: Any) -> object:
    """What stands where the error is; the library's own copy of it may be megabytes."""
    for step in error.instance_path:
        value = value[step]
    return value


def compiled(schema: Json) -> Schema | SchemaFault:
    """The schema, ready to judge values."""
    if type(schema) is not dict and type(schema) is not bool:
        return SchemaFault("a schema: an object or a boolean", kind_of(schema))
    if type(schema) is dict and schema.get("$schema", DIALECT) not in (DIALECT, DIALECT + "#"):
        return SchemaFault(f'"{DIALECT}", or no $schema', shown(schema["$schema"]), "$schema")
    import jsonschema_rs

    try:
        validator = jsonschema_rs.Draft202012Validator(
            schema,
            offline=True,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS),
        )
    except jsonschema_rs.ValidationError as error:
        return SchemaFault("a draft 2020-12 schema whose references stay inside", _told(error), *error.instance_path)
    except jsonschema_rs.ReferencingError as error:
        return SchemaFault("a draft 2020-12 schema whose references stay inside", _told(error))
    return Schema(validator)


def _told(error: Exception) -> str:
    return _short(" ".join(str(getattr(error, "message", error)).split()))


def _short(text: str) -> str:
    """Words that hold what somebody else wrote: nothing of it commands a terminal, nor is it longer than a message."""
    return plain(text if len(text) <= _LONGEST else text[:_LONGEST] + "...")


def constrains_nothing(schema: Json) -> bool:
    """True when every value passes as far as can be told without solving the schema: no keyword in it, at any depth,
    says anything about a value."""
    if type(schema) is not dict:
        return schema is not False
    waiting: list[Any] = [schema]
    seen = 0
    while waiting:
        at = waiting.pop()
        seen += 1
        if at is False:
            return False
        if type(at) is not dict:
            continue
        if seen > MAX_DEPTH * MAX_DEPTH or not _CONSTRAINING.isdisjoint(at):
            return False
        waiting += [at[name] for name in _ONE if name in at]
        for name in _SOME:
            waiting += at[name] if type(at.get(name)) is list else ()
        for name in _NAMED:
            waiting += at[name].values() if type(at.get(name)) is dict else ()
    return True


#: A schema of more nodes is none that somebody wrote.
_MANY = 20_000

#: What may make judging a value take far longer than the value and the schema are large.
_MAY_MULTIPLY = frozenset({"$ref", "$dynamicRef", "pattern", "patternProperties"})


def may_take_long(schema: Json) -> bool:
    """False when the cost is bounded by the sizes of schema and value: no reference, no pattern anywhere in it."""
    waiting: list[Json] = [schema]
    seen = 0
    while waiting:
        at = waiting.pop()
        seen += 1
        if seen > _MANY:
            return True
        if type(at) is dict:
            if not _MAY_MULTIPLY.isdisjoint(at):
                return True
            waiting += at.values()
        elif type(at) is list:
            waiting += at
    return False

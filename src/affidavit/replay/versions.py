"""Which other versions an operator lets stand for the recorded ones: exact versions, by default none (contracts 3)."""

from __future__ import annotations

from ..canon.reader import read
from ..errors import UsageError
from ..rules.engine import examine
from ..rules.model import Contract, Rule
from ..rules.shape import SCHEMA, Arr, Obj, Text, non_empty

_ENGINE = Obj({"engine_code": non_empty(), "recorded": non_empty(), "replay": non_empty()}, closed=SCHEMA)
_INTERPRETER = Obj({"interpreter": non_empty(), "recorded": Text(), "replay": non_empty()}, closed=SCHEMA)

_LIST = Contract(
    "list of allowed versions",
    "allowed-versions",
    lambda _level: Obj({}, {"engines": Arr(_ENGINE), "interpreters": Arr(_INTERPRETER)}, closed=SCHEMA),
    (Rule(SCHEMA, "the members are there and of their types"),),
)


class Allowed:
    """{"engines": [{engine_code, recorded, replay}], "interpreters": [{interpreter, recorded, replay}]}"""

    __slots__ = ("_engines", "_interpreters")

    def __init__(self, data: bytes = b"{}") -> None:
        value: object = read(data)
        report = examine(_LIST, value)
        if not report.ok:
            found = report.findings[0]
            raise UsageError("ALLOWED_VERSIONS", f"{found.path or 'the list'}: {found.message}")
        assert type(value) is dict
        self._engines = {(one["engine_code"], one["recorded"], one["replay"]) for one in value.get("engines", [])}
        self._interpreters = {
            (one["interpreter"], one["recorded"], one["replay"]) for one in value.get("interpreters", [])
        }

    def engine(self, code: str, recorded: str, present: str) -> bool:
        return (code, recorded, present) in self._engines

    def interpreter(self, command: str, recorded: str, present: str) -> bool:
        return (command, recorded, present) in self._interpreters

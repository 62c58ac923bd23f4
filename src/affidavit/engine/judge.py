"""Judges values by schemas that somebody else wrote, without ever hanging or falling over.

References and patterns can make a schema of a kilobyte take years, or more stack than there is. Such schemas are judged
in a child that has so many seconds of the processor and no more; what it did not live to say is a fault of the schema.
"""

from __future__ import annotations

import os
import resource
import threading
from signal import SIGKILL

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.engine_examination import judge_here
from ..contracts.json_schema import SchemaFault, may_take_long
from ..errors import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..contracts.json_schema import Error
    from ..values import Json

SECONDS = 30
_CHUNK = 1 << 20
_TOO_COSTLY = f"a schema by which a value can be judged within {SECONDS} seconds"


def judge(schema: Json, values: tuple[Json, ...], *, seconds: int = SECONDS) -> list[Error] | SchemaFault:
    """As `judge_here`, within bounds."""
    if not may_take_long(schema):
        return judge_here(schema, values)
    import jsonschema_rs  # noqa: F401 -- before the fork, so that no child has to load it

    # a fork copies one thread: a lock that another one holds would stay locked in the child
    if threading.active_count() > 1:
        return judge_here(schema, values)
    told = _in_a_child(lambda: _as_json(judge_here(schema, values)), seconds)
    try:
        answer: Any = read(told, max_bytes=max(len(told), 1))
    except ParseError:
        return SchemaFault(_TOO_COSTLY, "one that takes longer, or more memory than there is")
    return _from_json(answer)


def _in_a_child(work: Callable[[], bytes], seconds: int) -> bytes:
    """What `work` returns in a forked child; as much of it as the child lived to say."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            rest = memoryview(work())
            while rest:
                rest = rest[os.write(writing, rest) :]
        finally:
            os._exit(0)  # also after an error: without an answer, which the parent takes for what it is
    os.close(writing)
    pieces: list[bytes] = []
    try:
        while piece := os.read(reading, _CHUNK):
            pieces.append(piece)
    finally:
        os.close(reading)
        os.kill(pid, SIGKILL)
        os.waitpid(pid, 0)
    return b"".join(pieces)


def _as_json(answer: list[Error] | SchemaFault) -> bytes:
    if isinstance(answer, SchemaFault):
        return canonical({"fault": [answer.expected, answer.found, *answer.steps]})
    return canonical({"errors": [[list(steps), expected, found] for steps, expected, found in answer]})


def _from_json(answer: dict[str, Any]) -> list[Error] | SchemaFault:
    if "fault" in answer:
        return SchemaFault(*answer["fault"])
    return [(tuple(steps), expected, found) for steps, expected, found in answer["errors"]]

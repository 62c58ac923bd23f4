"""Judges values by schemas that somebody else wrote, without ever hanging or falling over.

References and patterns can make a schema of a kilobyte take years, or more stack than there is; and telling all that
is wrong with a large document can take more memory than there is. Such judging is done in a child that has so many
seconds of the processor and so much memory and no more. A schema whose child did not live to answer is at fault; a
document that was refused stays refused, whether or not it could be told why.
"""

from __future__ import annotations

import os
import resource
import threading
from signal import SIGKILL

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.engine_examination import judge_here
from ..contracts.json_schema import SchemaFault, compiled, may_take_long
from ..errors import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..contracts.json_schema import Error
    from ..values import Json

SECONDS = 15
#: What a child may take beyond what its parent has.
MORE_BYTES = 1 << 30
_CHUNK = 1 << 20
_TOO_COSTLY = f"a schema by which a value can be judged within {SECONDS} seconds"


def judge(schema: Json, values: tuple[Json, ...], *, seconds: int = SECONDS) -> list[Error] | SchemaFault:
    """As `judge_here`, within bounds."""
    is_costly = may_take_long(schema)
    # a fork copies one thread: a lock that another one holds would stay locked in the child
    if threading.active_count() > 1:
        return judge_here(schema, values)
    if not is_costly:
        found = compiled(schema)
        if isinstance(found, SchemaFault):
            return found
        if all(found.accepts(value) for value in values):
            return []
    import jsonschema_rs  # noqa: F401 -- before the fork, so that no child has to load it

    told = _answer(lambda: _as_json(judge_here(schema, values)), seconds)
    if told is not None:
        return _from_json(told)
    if is_costly:
        accepted = _answer(lambda: _acceptance(schema, values), seconds)
        if accepted is None:
            return SchemaFault(_TOO_COSTLY, "one that takes longer, or more memory than that")
        if accepted["accepted"]:
            return []
    return [((), "what the schema asks for", "a value that it refuses in more ways than can be told")]


def _acceptance(schema: Json, values: tuple[Json, ...]) -> bytes:
    """Whether all values pass, without saying why not."""
    found = compiled(schema)
    accepted = not isinstance(found, SchemaFault) and all(found.accepts(value) for value in values)
    return canonical({"accepted": accepted})


def _answer(work: Callable[[], bytes], seconds: int) -> Any:
    """What a child says; None when it did not live to say it."""
    told = _in_a_child(work, seconds)
    try:
        return read(told, max_bytes=max(len(told), 1))
    except ParseError:
        return None


def _in_a_child(work: Callable[[], bytes], seconds: int) -> bytes:
    """What `work` returns in a forked child; as much of it as the child lived to say."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (_memory_now() + MORE_BYTES,) * 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # a panic would say there what the answer's absence says
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


def _memory_now() -> int:
    """How much memory this process may touch already."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


def _as_json(answer: list[Error] | SchemaFault) -> bytes:
    if isinstance(answer, SchemaFault):
        return canonical({"fault": [answer.expected, answer.found, *answer.steps]})
    return canonical({"errors": [[list(steps), expected, found] for steps, expected, found in answer]})


def _from_json(answer: dict[str, Any]) -> list[Error] | SchemaFault:
    if "fault" in answer:
        return SchemaFault(*answer["fault"])
    return [(tuple(steps), expected, found) for steps, expected, found in answer["errors"]]

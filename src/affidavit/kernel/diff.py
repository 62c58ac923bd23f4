"""Two runs side by side, as values: where their documents differ, which of that says that something else happened, and
which files are not the same. Pure.

A difference is *canonical* unless it stands where a run is named, timed or numbered: the ephemeral members of each
document's contract, ids that are drawn, and digests of documents that are compared member by member anyway (ADR 0505).
"""

from __future__ import annotations

from ..canon.order import in_order
from ..contracts.engine_family import INPUT, META, OUTPUT
from ..contracts.evidence import CORE as EVIDENCE_CORE
from ..contracts.model_io import CORE as SESSION_CORE
from ..contracts.model_io import INTERACTION_CORE
from ..contracts.pack import EVIDENCE, LEDGER, MODEL_IO, RUN, RUNNER
from ..contracts.pack import META as PACK_META
from ..contracts.run import EPHEMERAL as EPHEMERAL_OF_RUN
from ..contracts.run_manifest import NAME as RUN_MANIFEST
from ..contracts.runner import CORE as RUNNER_CORE
from ..values import pointer
from .difference import Absent, differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..values import Json, Step

    Steps = tuple[Step, ...]

#: Differences that are told; who needs more has two different things.
MOST = 10_000


class Side:
    """One of the two: its documents by name, its files by path as (RAW hex digest, size), and the id of its run where
    documents of its kind repeat it."""

    __slots__ = ("documents", "files", "kind", "place", "repeated_id")

    def __init__(
        self,
        kind: str,
        place: str,
        documents: dict[str, Json],
        files: dict[str, tuple[str, int]],
        *,
        repeated_id: str = "",
    ) -> None:
        self.kind = kind
        self.place = place
        self.documents = documents
        self.files = files
        self.repeated_id = repeated_id


class Difference:
    """One place of one document, and what each side has there."""

    __slots__ = ("is_ephemeral", "left", "member", "pointer", "right")

    def __init__(
        self, member: str, place: str, left: Json | Absent, right: Json | Absent, *, is_ephemeral: bool
    ) -> None:
        self.member = member
        self.pointer = place
        self.left = left
        self.right = right
        self.is_ephemeral = is_ephemeral

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"member": self.member, "pointer": self.pointer}
        if not isinstance(self.left, Absent):
            told["a"] = self.left
        if not isinstance(self.right, Absent):
            told["b"] = self.right
        return told


class Comparison:
    """What comes of comparing two sides."""

    __slots__ = ("added", "canonical", "changed", "ephemeral", "is_cut", "only_a", "only_b", "removed")

    def __init__(self, left: Side, right: Side) -> None:
        names = left.documents.keys() & right.documents.keys()
        self.only_a = in_order(left.documents.keys() - names)
        self.only_b = in_order(right.documents.keys() - names)
        self.canonical: list[Difference] = []
        self.ephemeral: list[Difference] = []
        self.is_cut = False
        for name in in_order(names):
            self._compare(name, _named(left, name), _named(right, name))
        self.added = in_order(right.files.keys() - left.files.keys())
        self.removed = in_order(left.files.keys() - right.files.keys())
        both = left.files.keys() & right.files.keys()
        self.changed = in_order(path for path in both if left.files[path] != right.files[path])

    def _compare(self, name: str, left: Json, right: Json) -> None:
        is_ephemeral = _EPHEMERAL.get(name, _nothing)
        for steps, one, other in differences(left, right):
            if name == RUN and steps[:2] == ("execution", "outputs"):
                continue  # told as files
            found = self.ephemeral if is_ephemeral(steps) else self.canonical
            if len(found) == MOST:
                self.is_cut = True
                continue
            found.append(Difference(name, pointer(*steps), one, other, is_ephemeral=found is self.ephemeral))

    @property
    def is_same(self) -> bool:
        return not (self.canonical or self.only_a or self.only_b or self.added or self.removed or self.changed)


def _named(side: Side, name: str) -> Json:
    """A document, its run's id replaced where that is all over it."""
    value = side.documents[name]
    return _replaced(value, side.repeated_id) if side.repeated_id else value


def _replaced(value: Json, run_id: str) -> Json:
    if type(value) is str:
        return value.replace(run_id, "<run>")
    if type(value) is list:
        return [_replaced(item, run_id) for item in value]
    if type(value) is dict:
        return {_replaced(key, run_id): _replaced(member, run_id) for key, member in value.items()}  # type: ignore[misc]
    return value


# What of each document is ephemeral.


def _nothing(_steps: Steps) -> bool:
    return False


def _all(_steps: Steps) -> bool:
    return True


def _of_run(steps: Steps) -> bool:
    return steps[:1] in [(name,) for name in EPHEMERAL_OF_RUN] or steps == ("intent", "path")


def _of_session(steps: Steps) -> bool:
    if steps[:1] != ("interactions",):
        return bool(steps) and steps[0] not in SESSION_CORE
    return len(steps) > 2 and steps[2] not in INTERACTION_CORE


def _not_in(core: tuple[str, ...], *also: str) -> Callable[[Steps], bool]:
    return lambda steps: bool(steps) and (steps[0] not in core or steps[0] in also)


def _one_of(*names: str) -> Callable[[Steps], bool]:
    return lambda steps: bool(steps) and steps[-1] in names


_EPHEMERAL: dict[str, Callable[[Steps], bool]] = {
    RUN: _of_run,
    EVIDENCE: _not_in(EVIDENCE_CORE),
    RUNNER: _not_in(RUNNER_CORE, "runner_id"),
    LEDGER: _one_of("run_id", "timestamp", "prev_sha256"),
    MODEL_IO: _of_session,
    PACK_META: _all,
    INPUT: _one_of("run_id"),
    OUTPUT: _one_of("run_id", "inputs_hash", "outputs_hash"),
    META: _one_of("run_id", "sealed_at"),
    RUN_MANIFEST: _one_of("run_id", "pid", "parent_pid", "manager_pid", "invocation_id", "cgroup", "unit"),
}

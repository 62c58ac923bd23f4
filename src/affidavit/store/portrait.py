"""One run as a person wants to see it: read once for what it says, and verified for whether that can be believed."""

from __future__ import annotations

from ..contracts.run_members import RUN, SUMMARY, member
from ..contracts.run_status import NAME as RUN_STATUS
from .listing import Listed, document, sizes
from .locate import locate
from .reader import validate_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..values import Level
    from .survey import Progress


class Portrait:
    """What a run says of itself, and what its verification says of it."""

    __slots__ = ("facts", "files", "listed", "path", "reasons", "report")

    def __init__(self, path: str, level: Level, progress: Progress | None = None) -> None:
        with locate(path) as place:
            self.path = place.path
            self.listed = Listed(place.directory, place.name)
            run, status = document(place.directory, RUN), document(place.directory, RUN_STATUS)
            self.reasons = _texts(member(member(run, "decision"), "reasons")) + _texts([member(status, "error")])
            self.facts = list(_facts(run, status, document(place.directory, SUMMARY)))
            self.files = sorted(sizes(place.directory))
            self.report = validate_place(place, level, progress)

    def as_json(self) -> dict[str, Any]:
        from ..rules.report import as_json

        return {
            **self.listed.as_json(),
            "path": self.path,
            "reasons": self.reasons,
            "facts": dict(self.facts),
            "artifacts": [{"path": path, "bytes": count} for path, count in self.files],
            "integrity": as_json(self.report),
        }


def _facts(run: object, status: object, summary: object) -> Iterator[tuple[str, str]]:
    """What is worth telling, where it is there and what it should be."""
    execution = member(run, "execution")
    told = {
        "plan": member(status, "plan_id"),
        "channel": member(status, "channel"),
        "world": member(status, "world_id"),
        "policy": member(member(run, "policy"), "name"),
        "intent": member(member(run, "intent"), "path"),
        "command": " ".join(_texts(member(execution, "cmd"))),
        "exit code": member(execution, "exit_code"),
        "mismatches": _count(member(summary, "mismatch_counts")),
    }
    for name, value in told.items():
        if value not in (None, "") and type(value) in (str, int):
            yield name, str(value)


def _count(counts: object) -> int | None:
    if type(counts) is not dict:
        return None
    return sum(count for count in counts.values() if type(count) is int)


def _texts(value: object) -> list[str]:
    return [text for text in value if type(text) is str] if type(value) is list else []

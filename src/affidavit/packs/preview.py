"""What a patch would change, as a unified diff against what stands in the target: for whoever reviews it before it is
applied. Nothing is written."""

from __future__ import annotations

import os

from ..canon.order import utf16
from ..contracts.pack import PATCH
from ..errors import ReadFailed, UsageError
from ..kernel.apply import ABSENT, conflicts
from ..rules.model import Finding
from ..store import fs
from .apply import why_not
from .loading import load_pack
from .target import look, open_target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..values import Level

_MOST_BYTES = 4 << 20
#: Comparing takes time with the square of the lines, in the worst case; a file of more is told and not compared.
_MOST_LINES = 5_000
_NOWHERE = "/dev/null"
_NO_END = "\\ No newline at end of file"


def preview(pack: str | os.PathLike[str], target: str | os.PathLike[str], *, level: Level = "spec") -> list[str]:
    """The lines of the diff, without their ends. Raises UsageError where nothing can be applied to the target at all;
    what does not fit a file is told in its place."""
    loaded = load_pack(os.fspath(pack), level)
    refused = why_not(loaded)
    if refused is not None:
        raise UsageError("PACK", refused[0])
    patch: Any = loaded.value(PATCH)
    root = open_target(os.fspath(target))
    if isinstance(root, Finding):
        raise UsageError("AS5", f"the target: {root.message}")
    try:
        lines: list[str] = []
        for operation in sorted(patch["operations"], key=lambda operation: utf16(operation["path"])):
            lines += _of(root, operation)
        return lines
    finally:
        os.close(root)


def _of(root: int, operation: dict[str, Any]) -> Iterator[str]:
    path = operation["path"]
    here = look(root, path).standing
    unfit = conflicts({"operations": [operation]}, {path: here})
    if unfit:
        yield f"{operation['op']} {path}: {unfit[path]}"
        return
    try:
        before = "" if here is ABSENT else fs.read_below(root, path, _MOST_BYTES).decode()
    except (ReadFailed, UnicodeDecodeError):
        yield f"{operation['op']} {path}: what stands there is no text, or too long to compare"
        return
    yield from unified(path, before, operation.get("content", ""), operation["op"])


def unified(path: str, before: str, after: str, op: str) -> Iterator[str]:
    """The unified diff of one file, below a line that says what is done to it."""
    from difflib import unified_diff

    old, new = _lines(before), _lines(after)
    yield f"{op} {path}"
    if max(len(old), len(new)) > _MOST_LINES:
        yield f"{len(old)} lines become {len(new)}, too many to compare"
        return
    names = (_NOWHERE if op == "create" else f"a/{path}", _NOWHERE if op == "delete" else f"b/{path}")
    for line in unified_diff(old, new, *names, lineterm=""):
        yield from line.split("\n")


def _lines(text: str) -> list[str]:
    """By line feeds alone: what else ends a line for Python is a character like any other here."""
    *whole, rest = text.split("\n")
    return [*whole, f"{rest}\n{_NO_END}"] if rest else whole

"""`affidavit diff A B`: two runs, packs or sealed runs of engines side by side."""

from __future__ import annotations

from ...canon.jcs import canonical
from ...kernel.diff import Comparison
from ...kernel.difference import Absent
from ...shown import plain
from ..args import Argument, Option, Verb
from ..named_run import FROM, find_run, out_of
from ..progress import Progress
from ..sides import alike, side_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ...kernel.diff import Difference, Side
    from ...values import Json
    from ..args import Args
    from ..output import Output

    Lines = Iterator[tuple[str, str]]

VERB = Verb(
    "diff",
    "Compares two runs, packs or sealed runs of engines, which are verified first. A difference in what happened is "
    "told with its place and both values; one in names, times and numbers of runs alone (ephemeral) is none.",
    options=(Option("--ephemeral", "show also what only names, times and numbers a run"), FROM),
    arguments=(
        Argument("A", "a run, by its path, by its id, or LATEST; a pack; or a sealed run"),
        Argument("B", "another"),
    ),
    examples=(
        ("affidavit diff hr_mk2h8w00_1f2e3d4c LATEST", "a run and the latest one"),
        ("affidavit diff --json theirs.zip ours.zip", "two packs, for a program"),
    ),
    statuses=((0, "the same"), (1, "different"), (2, "error"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=(
        "`same`, `a` and `b` (`kind`, `path`), `canonical` and `ephemeral` [`member`, `pointer`, `a`, `b`], "
        "`members` (`only_a`, `only_b`), `outputs` (`added`, `removed`, `changed`), `cut`."
    ),
)
_LONGEST = 160


def run(args: Args, out: Output) -> int:
    with Progress("verifying", quiet=out.quiet) as progress:
        left, right = alike(
            *(side_of(find_run(args.argument(name) or "", out_of(args)), progress) for name in ("A", "B"))
        )
    found = Comparison(left, right)
    if out.for_program:
        out.result(_as_json(found, left, right))
    elif not (out.quiet and found.is_same):
        out.lines(_lines(found, left, right, all_of_it=args.has("--ephemeral") or out.verbose))
    return 0 if found.is_same else 1


def _as_json(found: Comparison, left: Side, right: Side) -> dict[str, Any]:
    return {
        "same": found.is_same,
        "a": {"kind": left.kind, "path": left.place},
        "b": {"kind": right.kind, "path": right.place},
        "canonical": [difference.as_json() for difference in found.canonical],
        "ephemeral": [difference.as_json() for difference in found.ephemeral],
        "members": {"only_a": found.only_a, "only_b": found.only_b},
        "outputs": {
            "added": [_file(path, right) for path in found.added],
            "removed": [_file(path, left) for path in found.removed],
            "changed": [{"path": path, "a": _facts(path, left), "b": _facts(path, right)} for path in found.changed],
        },
        "cut": found.is_cut,
    }


def _file(path: str, side: Side) -> dict[str, Any]:
    return {"path": path, **_facts(path, side)}


def _facts(path: str, side: Side) -> dict[str, Any]:
    digest, size = side.files[path]
    return {"sha256": digest, "size_bytes": size}


def _lines(found: Comparison, left: Side, right: Side, *, all_of_it: bool) -> Lines:
    yield "bad", f"--- {plain(left.place)}"
    yield "good", f"+++ {plain(right.place)}"
    for name in found.only_a:
        yield "bad", f"- {plain(name)}"
    for name in found.only_b:
        yield "good", f"+ {plain(name)}"
    for difference in found.canonical:
        yield from _difference(difference)
    for path in found.removed:
        yield "bad", f"- output {plain(path)}  {left.files[path][1]} bytes"
    for path in found.added:
        yield "good", f"+ output {plain(path)}  {right.files[path][1]} bytes"
    for path in found.changed:
        yield "head", f"output {plain(path)}"
        for style, mark, side in (("bad", "-", left), ("good", "+", right)):
            digest, size = side.files[path]
            yield style, f"  {mark} sha256:{digest}  {size} bytes"
    if all_of_it:
        for difference in found.ephemeral:
            yield from _difference(difference)
    if found.is_cut:
        yield "quiet", "and more"
    yield _summary(found)


def _difference(difference: Difference) -> Lines:
    yield "quiet" if difference.is_ephemeral else "head", plain(f"{difference.member} {difference.pointer}")
    for style, mark, value in (("bad", "-", difference.left), ("good", "+", difference.right)):
        if not isinstance(value, Absent):
            yield style, f"  {mark} {_shortened(value)}"


def _shortened(value: Json) -> str:
    text = plain(canonical(value).decode())
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."


def _summary(found: Comparison) -> tuple[str, str]:
    ephemeral = f"{len(found.ephemeral)} ephemeral difference{'s' * (len(found.ephemeral) != 1)}"
    if found.is_same:
        return "good", f"the same, with {ephemeral}" if found.ephemeral else "the same"
    files = len(found.added) + len(found.removed) + len(found.changed)
    members = len(found.canonical) + len(found.only_a) + len(found.only_b)
    return "bad", f"different: {members} in documents, {files} in outputs; {ephemeral}"

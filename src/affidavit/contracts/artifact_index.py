"""artifact_index.json: what a run directory holds, written last (seed 003, section 1.3; contracts 4.2, 4.3)."""

from __future__ import annotations

from ..canon.order import in_order
from ..canon.reader import read
from ..errors import ParseError
from ..rules.checks import sorted_texts, stays_below
from ..rules.engine import examine
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import Arr, Int, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

NAME = "artifact_index.json"
SCHEMA_VERSION = "runtime-tools.artifact_index.v0.1"
#: What an older writer calls the same document.
OLD_SCHEMA_VERSION = "hardened-runtime.artifact_index.v0.1"
STATUSES = ("ok", "partial", "failed")
RUN_STATUS = "run_status.json"

_SPEC: tuple[Level, ...] = ("spec", "strict")
_STRICT: tuple[Level, ...] = ("strict",)


def _shape(level: Level) -> Shape:
    schema_version: dict[str, Shape] = {"schema_version": Nullable(non_empty())}
    entry: dict[str, Shape] = {
        "path": Text(),
        "file_size": Int(0),
        "sha256": Text(lambda text: is_hex(text, 64), _DIGEST),
    }
    if level == "strict":
        entries = Obj({**entry, **schema_version}, closed="IX3")
    else:
        entries = Obj(entry, schema_version, closed="" if level == "compat" else "IX3")
    return Obj(
        {
            "schema_version": OneOf(SCHEMA_VERSION, OLD_SCHEMA_VERSION, rule="IX1"),
            "run_id": non_empty(),
            "world_id": non_empty(),
            "artifacts": Arr(entries, rule="IX3"),
            "missing": Arr(Text()),
            "status": OneOf(*STATUSES, rule="IX6"),
        },
        rule="IX2",
    )


_DIGEST = "64 lowercase hex digits"


def is_safe(path: str) -> bool:
    """Names joined by slashes: none empty, `.` or `..`, no NUL, relative by anybody's reading."""
    if not stays_below(path) or "\0" in path:
        return False
    return all(name not in ("", ".") for name in path.split("/"))


#: No path that is safe has one of these, each path standing between NULs.
_UNSAFE = ("//", "\0/", "/\0", "\0\0", "\0./", "/./", "/.\0", "\0.\0", "\0../", "/../", "/..\0", "\0..\0", "\\", ":")


def _are_plainly_safe(paths: list[str]) -> bool:
    """Whether all are safe, seen at one glance; False where each has to be looked at. An index may have a hundred
    thousand entries, and nearly always nothing is wrong with any."""
    text = "\0".join(("", *paths, ""))
    return text.count("\0") == len(paths) + 1 and not any(mark in text for mark in _UNSAFE)


def _has_entries(artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    if not artifacts:
        yield Fault("at least one entry", "none")


def _paths_are_safe(artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    paths = [entry["path"] for entry in artifacts]
    if len(set(paths)) == len(paths) and _are_plainly_safe(paths):
        return
    seen: set[str] = set()
    for index, path in enumerate(paths):
        if not is_safe(path):
            yield Fault("a relative path of plain names", shown(path), index, "path")
        elif path in seen:
            yield Fault("each path once", shown(path), index, "path")
        seen.add(path)


def _missing_is_safe(missing: list[str]) -> Iterator[Fault]:
    for index, path in enumerate(missing):
        if not is_safe(path):
            yield Fault("a relative path of plain names", shown(path), index)


def _missing_is_sorted(missing: list[str]) -> Iterator[Fault]:
    yield from sorted_texts(missing)
    for index in range(1, len(missing)):
        if missing[index] == missing[index - 1]:
            yield Fault("each path once", shown(missing[index]), index)


def _missing_is_not_there(missing: list[str], artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    there = {entry["path"] for entry in artifacts} if missing else set()
    for index, path in enumerate(missing):
        if path in there:
            yield Fault("a path that no entry has", shown(path), index)


def _status_fits(status: str, missing: list[str]) -> Iterator[Fault]:
    if status == "ok" and missing:
        yield Fault('"partial", as something is missing', '"ok"')
    elif status == "partial" and not missing:
        yield Fault('"ok", as nothing is missing', '"partial"')


def prefix_of(paths: Iterable[str]) -> str:
    """The directory that all paths of an index start with, with its slash; empty where there is none (contracts 4.3).
    That of the run_status.json entry; without one the longest that is common to all."""
    every = list(paths)
    own = [path for path in every if path.endswith(RUN_STATUS) and path.rpartition("/")[2] == RUN_STATUS]
    if own:
        return min(own, key=lambda path: path.count("/"))[: -len(RUN_STATUS)]
    common: list[str] | None = None
    for path in every:
        folders = path.split("/")[:-1]
        if common is None:
            common = folders
        else:
            same = 0
            while same < min(len(common), len(folders)) and common[same] == folders[same]:
                same += 1
            common = common[:same]
    return "".join(name + "/" for name in common or ())


def _have_a_prefix(artifacts: list[dict[str, Any]], missing: list[str]) -> Iterator[Fault]:
    prefix = prefix_of(entry["path"] for entry in artifacts)
    for index, entry in enumerate(artifacts):
        if not entry["path"].startswith(prefix):
            yield Fault(f"a path below {shown(prefix)}", shown(entry["path"]), index, "path")
            return
    for index, path in enumerate(missing):
        if not path.startswith(prefix):
            yield Fault(f"a path below {shown(prefix)}", shown(path), index, field=1)
            return


def _prefix_names_the_run(artifacts: list[dict[str, Any]], run_id: str) -> Iterator[Fault]:
    prefix = prefix_of(entry["path"] for entry in artifacts)
    if artifacts and prefix.rstrip("/").rpartition("/")[2] != run_id:
        yield Fault(f"paths below a directory {shown(run_id)}", f"paths below {shown(prefix)}")


def _does_not_list_itself(artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    own = prefix_of(entry["path"] for entry in artifacts) + NAME
    for index, entry in enumerate(artifacts):
        if entry["path"] == own:
            yield Fault("any file but the index itself", shown(own), index, "path")


def _only_json_has_a_schema(artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    for index, entry in enumerate(artifacts):
        if entry.get("schema_version") is not None and not entry["path"].endswith((".json", ".jsonl")):
            yield Fault("null, as the file is no JSON", shown(entry["schema_version"]), index, "schema_version")


def _are_in_order(artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    for fault in sorted_texts([entry["path"] for entry in artifacts]):
        yield Fault(fault.expected, fault.found, *fault.steps, "path")


def _differ_by_more_than_case(artifacts: list[dict[str, Any]]) -> Iterator[Fault]:
    seen: dict[str, str] = {}
    for index, entry in enumerate(artifacts):
        path = entry["path"]
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            yield Fault(f"a path that is not {shown(other)} in another case", shown(path), index, "path")


ARTIFACT_INDEX = Contract(
    "artifact index",
    "artifact-index",
    _shape,
    (
        Rule("SCHEMA", "artifacts and missing are arrays"),
        Rule("IX1", "the schema version is known"),
        Rule("IX2", "run and world are named"),
        Rule("IX3", "each entry has a path, a size and a digest"),
        Rule("IX3", "something is indexed", _has_entries, needs=("artifacts",)),
        Rule("IX3", "only JSON has a schema", _only_json_has_a_schema, needs=("artifacts",), levels=_STRICT),
        Rule("IX4", "paths are safe, each once", _paths_are_safe, needs=("artifacts",)),
        Rule("IX4", "entries are sorted by path", _are_in_order, needs=("artifacts",), levels=_STRICT),
        Rule("IX4", "paths differ by more than case", _differ_by_more_than_case, needs=("artifacts",), levels=_STRICT),
        Rule("IX4", "the index does not list itself", _does_not_list_itself, needs=("artifacts",)),
        Rule("IX5", "missing paths are safe", _missing_is_safe, needs=("missing",)),
        Rule("IX5", "missing is sorted, each path once", _missing_is_sorted, needs=("missing",), levels=_SPEC),
        Rule("IX5", "what is missing is not listed", _missing_is_not_there, needs=("missing", "artifacts")),
        Rule("IX6", "the status fits what is missing", _status_fits, needs=("status", "missing"), levels=_SPEC),
        Rule("IX7", "all paths have one prefix", _have_a_prefix, needs=("artifacts", "missing")),
        Rule("IX7", "the prefix names the run", _prefix_names_the_run, needs=("artifacts", "run_id"), levels=_SPEC),
    ),
)


def verify_artifact_index(value: object, *, level: Level = "spec") -> Report:
    return examine(ARTIFACT_INDEX, value, level)


def artifact_index(
    run_id: str, world_id: str, artifacts: Iterable[dict[str, Any]], missing: Iterable[str], *, failed: bool
) -> dict[str, Any]:
    """The document; entries and missing paths are put in order."""
    absent = in_order(set(missing))
    entries = {entry["path"]: entry for entry in artifacts}
    return {
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "world_id": world_id,
        "artifacts": [entries[path] for path in in_order(entries)],
        "missing": absent,
        "status": "failed" if failed else "partial" if absent else "ok",
    }


def entry_of(path: str, file_size: int, sha256: str, schema_version: str | None) -> dict[str, Any]:
    return {"path": path, "file_size": file_size, "sha256": sha256, "schema_version": schema_version}


def has_schema_version(path: str) -> bool:
    """Whether a file of a run directory may tell its schema: JSON beside the index. What a command wrote stands in
    directories below, and is its own."""
    return "/" not in path and path.endswith((".json", ".jsonl"))


def schema_version_in(path: str, data: bytes) -> str | None:
    """The schema that the bytes of such a file tell, a `.jsonl` in its first line; None where they tell none."""
    if path.endswith(".jsonl"):
        data = data.partition(b"\n")[0]
    try:
        return schema_version_of(read(data))
    except ParseError:
        return None


def schema_version_of(value: object) -> str | None:
    """The schema that a document tells."""
    told = value.get("schema_version") if type(value) is dict else None
    return told if type(told) is str and told else None


EXAMPLE: dict[str, Any] = artifact_index(
    "hr_mk2h8w00_1f2e3d4c",
    "linux-x64-5c18878a0016ae19",
    [
        entry_of(
            "project/out/hr_mk2h8w00_1f2e3d4c/run_status.json",
            412,
            "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
            "runtime-tools.run_status.v0.1",
        ),
        entry_of(
            "project/out/hr_mk2h8w00_1f2e3d4c/stdout.txt",
            6,
            "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            None,
        ),
    ],
    [],
    failed=False,
)

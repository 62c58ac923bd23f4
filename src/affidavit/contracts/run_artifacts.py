"""ARTIFACT_INDEX.json and SHA256SUMS.txt: what a sealed run consists of (seed 002; contracts 3, Listing order).

The index is a JSON array; the sums are lines that `sha256sum -c` reads too.
"""

from __future__ import annotations

from ..canon.order import in_order, utf16
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Obj, OneOf, Text
from ..shown import shown
from ..values import is_hex
from .engine_family import CONTEXT, CONTRACTS, INDEX, INPUT, META, OUTPUT, PARAMETERS, SUMS, bare_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

CONTENT_TYPES = {".json": "application/json", ".md": "text/markdown", ".txt": "text/plain"}
OTHER_CONTENT = "application/octet-stream"

#: What each of the bundle's own files is; any other is an ARTIFACT.
ROLES = {
    **dict.fromkeys(CONTRACTS, "CONTRACT"),
    INPUT: "INPUT",
    CONTEXT: "INPUT",
    PARAMETERS: "INPUT",
    OUTPUT: "OUTPUT",
    META: "META",
}
OTHER_ROLE = "ARTIFACT"

#: A million files is no run; what is more would only cost time.
MOST_FILES = 100_000


def is_member_path(text: str) -> bool:
    """A relative path of plain names that stands on one line of the sums as it is: `sha256sum` escapes a backslash and
    a line end."""
    return (
        text.isprintable()
        and "\\" not in text
        and not text.startswith("-")
        and all(name not in ("", ".", "..") for name in text.split("/"))
    )


def content_type(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return CONTENT_TYPES.get(name[name.rfind(".") :] if "." in name else "", OTHER_CONTENT)


def role(path: str) -> str:
    return ROLES.get(path, OTHER_ROLE)


def artifact_index(digests: Mapping[str, str]) -> list[dict[str, Any]]:
    """The index of files by their digests: every file but itself and the sums."""
    return [
        {
            "artifact_name": path.rsplit("/", 1)[-1],
            "relative_path": path,
            "sha256": digests[path],
            "content_type": content_type(path),
            "role": role(path),
        }
        for path in in_order(digests)
        if path not in (INDEX, SUMS)
    ]


def sums_text(digests: Mapping[str, str]) -> bytes:
    """The sums of files by their digests: every file but itself."""
    return "".join(f"{digests[path]}  {path}\n" for path in in_order(digests) if path != SUMS).encode()


class Sums:
    """What SHA256SUMS.txt says, and the lines that say nothing: (line from 0, expected, found)."""

    __slots__ = ("digests", "faults")

    def __init__(self) -> None:
        self.digests: dict[str, str] = {}
        self.faults: list[tuple[int, str, str]] = []


def read_sums(data: bytes) -> Sums:
    """Total: what is no line of a sum is told, and the rest is read."""
    sums = Sums()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        sums.faults.append((data.count(b"\n", 0, error.start), "UTF-8", f"a byte that is none at {error.start}"))
        text = data.decode("utf-8", "replace")
    lines = text.split("\n")
    if lines.pop() != "":
        sums.faults.append((len(lines), "a line end after each line", "none"))
    if len(lines) > MOST_FILES:
        sums.faults.append((MOST_FILES, f"at most {MOST_FILES} lines", f"{len(lines)}"))
        lines = lines[:MOST_FILES]
    last = b""
    for number, line in enumerate(lines):
        digest, path = line[:64], line[66:]
        if not is_hex(digest, 64) or line[64:66] != "  " or not is_member_path(path) or path == SUMS:
            sums.faults.append((number, "64 hex digits, two blanks and the path of a file but this", shown(line)))
            continue
        if utf16(path) <= last:
            sums.faults.append((number, "each path once, in UTF-16 order", shown(path)))
        last = utf16(path)
        sums.digests.setdefault(path, digest)
    return sums


def _shape(level: Level) -> Shape:
    known_types = OneOf(*CONTENT_TYPES.values(), OTHER_CONTENT, rule="AI3") if level != "compat" else Text(rule="AI3")
    return Arr(
        Obj(
            {
                "artifact_name": Text(rule="AI2"),
                "relative_path": Text(_is_listed, "a relative path of plain names, not of this index or the sums"),
                "sha256": bare_digest("AI4"),
                "content_type": known_types,
                "role": OneOf(*dict.fromkeys(ROLES.values()), OTHER_ROLE, "INDEX", rule="AI3"),
            },
            rule="AI1",
        ),
        most=MOST_FILES,
        rule="AI1",
    )


def _is_listed(text: str) -> bool:
    return is_member_path(text) and text not in (INDEX, SUMS)


def _in_order(index: list[dict[str, Any]]) -> Iterator[Fault]:
    keys = [utf16(item["relative_path"]) for item in index]
    for number in range(1, len(keys)):
        if keys[number] <= keys[number - 1]:
            yield Fault("each path once, in UTF-16 order", shown(index[number]["relative_path"]), number)
            return


def _named_by_path(index: list[dict[str, Any]]) -> Iterator[Fault]:
    for number, item in enumerate(index):
        name = item["relative_path"].rsplit("/", 1)[-1]
        if item["artifact_name"] != name:
            yield Fault(f"{shown(name)}, the file's name", shown(item["artifact_name"]), number, "artifact_name")


def _of_their_kind(index: list[dict[str, Any]]) -> Iterator[Fault]:
    for number, item in enumerate(index):
        path = item["relative_path"]
        for member, wanted in (("content_type", content_type(path)), ("role", role(path))):
            if item[member] != wanted:
                yield Fault(f'"{wanted}", as {shown(path)} is', shown(item[member]), number, member)


_TODAY: tuple[Level, ...] = ("spec", "strict")

RUN_ARTIFACTS = Contract(
    "artifact index of a sealed run",
    "run-artifacts",
    _shape,
    (
        Rule(SCHEMA, "it is an array of objects"),
        Rule("AI1", "each file once, in order", _in_order, needs=("",), levels=_TODAY),
        Rule("AI2", "a file is named as its path ends", _named_by_path, needs=("",), levels=_TODAY),
        Rule("AI3", "what a file is follows from its path", _of_their_kind, needs=("",), levels=_TODAY),
        Rule("AI4", "each file has its digest"),
    ),
)


def verify_run_artifacts(value: object, *, level: Level = "spec") -> Report:
    """AI1-AI4."""
    return survives_writing(examine(RUN_ARTIFACTS, value, level), value, SCHEMA)


EXAMPLE: list[dict[str, Any]] = artifact_index(
    {
        name: f"{number:02d}" * 32
        for number, name in enumerate((*CONTRACTS, INPUT, OUTPUT, META, "ENGINE/spectra.py"), start=10)
    }
)

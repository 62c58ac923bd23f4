"""patch.json: the declared file operations of a proposal, ready to be applied elsewhere (PS1-PS10; contracts 2.4)."""

from __future__ import annotations

from ..canon.order import utf16
from ..canon.profiles import RAW
from ..rules.checks import content_hash, is_relative, version_of
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Int, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_content_hash, is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..rules.shape import Shape, Tell
    from ..values import Level, Step

#: PS7: how much a patch may write where no policy is at hand that says otherwise.
MOST_BYTES = 52_428_800

#: What a rule is told apart from the document: how many bytes the policy allows.
_LIMIT = "the policy's limit"

_LINKS = ("symlink", "link", "hardlink")


class _Operation(OneOf):
    """One of the three operations. An operation that would make a link breaks PS9 besides."""

    __slots__ = ()

    def explain(self, value: object, place: tuple[Step, ...], rule: str, tell: Tell) -> None:
        super().explain(value, place, rule, tell)
        if value in _LINKS:
            tell("PS9", place, "no operation that makes a link", shown(value))


def _shape(level: Level) -> Shape:
    bare = level == "compat"
    operation = Obj(
        {"op": _Operation("create", "modify", "delete", rule="PS2"), "path": Text(rule="PS4")},
        {
            "content": Text(rule="PS6"),
            "expected_hash": content_hash("PS6", bare=bare),
            "size_bytes": Int(0, rule="PS7"),
            "order": Int(rule="PS8"),
        },
        rule=SCHEMA,
    )
    return Obj(
        {
            "patch_schema_version": version_of(1, "PS1"),
            "source_proposal_id": _is_proposal if level == "strict" else non_empty(),
            "source_proposal_hash": content_hash(bare=bare),
            "operations": Arr(operation),
            "total_bytes": Int(0, rule="PS7"),
        },
        rule=SCHEMA,
    )


_is_proposal = Text(lambda text: is_id(text, "prop"), "prop_ and 16 lowercase hex digits")


def _has_no_root(path: str) -> Iterator[Fault]:
    if path and not is_relative(path.replace("\\", "x")):
        yield Fault("a path without leading / or drive letter", shown(path))


def unsafe_path(path: str) -> str | None:
    """Why `path` is no safe place below a root, or None: one spelling for each file, nothing that climbs, hides or
    steers a repository (PS4). Absolute paths are PS3's."""
    if path == "":
        return "a path that is not empty"
    if "\\" in path:
        return "a path without backslash"
    if path != path.strip():
        return "a path without leading or trailing blank"
    if any(character < " " or "\x7f" <= character <= "\x9f" for character in path):
        return "a path without control characters"
    if any("\ud800" <= character <= "\udfff" for character in path):
        return "a path that UTF-8 can carry"
    segments = path.removeprefix("/").split("/")
    if "" in segments or "." in segments or ".." in segments:
        return 'a path without empty, "." or ".." segments'
    # systems that fold case take .GIT for .git, and git obeys one at any depth
    if any(segment.lower() == ".git" for segment in segments):
        return "a path outside .git"
    return None


def _is_safe(path: str) -> Iterator[Fault]:
    expected = unsafe_path(path)
    if expected is not None:
        yield Fault(expected, shown(path))


def files_above(paths: Iterable[str]) -> dict[str, str]:
    """The paths that lie below another of them, each with the uppermost such: a file where a directory is needed.
    By sorting, so that neither a million paths nor one with a million slashes takes long. A NUL, which is no part of
    any path, counts as a slash."""
    found: dict[str, str] = {}
    top = ""
    # with the slash as the lowest character, what lies below a path stands directly behind it
    for key in sorted(path.replace("/", "\0") for path in set(paths)):
        if top and key.startswith(top + "\0"):
            found[key.replace("\0", "/")] = top.replace("\0", "/")
        else:
            top = key
    return found


def _paths_are_apart(operations: list[dict[str, Any]]) -> Iterator[Fault]:
    """Each file once, and no file where another needs a directory."""
    seen: set[str] = set()
    above = files_above(operation["path"] for operation in operations)
    for index, operation in enumerate(operations):
        path = operation["path"]
        if path in seen:
            yield Fault("each path once", f"{shown(path)} again", index, "path")
        seen.add(path)
        if path in above:
            yield Fault(f"no path below {shown(above[path])}, which is a file here", shown(path), index, "path")


def _content_fits(op: str, content: str | None) -> Iterator[Fault]:
    if op == "delete":
        if content is not None:
            yield Fault("no content for delete", "content", field=1)
    elif content is None:
        yield Fault(f"content for {op}", "no such member", field=1)
    elif "\0" in content:
        yield Fault("text without NUL", f"NUL at character {content.index(chr(0))}", field=1)
    elif _utf8(content) is None:
        yield Fault("text that UTF-8 can carry", "a lone surrogate", field=1)


def _hash_is_of_content(op: str, expected_hash: str, content: str | None) -> Iterator[Fault]:
    """For delete it speaks of the file to be removed, which is not here; older writers put other values without
    prefix there."""
    data = _utf8(content or "")
    if op != "delete" and data is not None and is_content_hash(expected_hash):
        real = RAW.digest(data).content_hash
        if real != expected_hash:
            yield Fault(f"{real}, the content's", expected_hash, field=1)


def _size_is_of_content(op: str, size_bytes: int, content: str | None) -> Iterator[Fault]:
    data = _utf8(content or "")
    if op != "delete" and data is not None and len(data) != size_bytes:
        yield Fault(f"{len(data)}, the content's", shown(size_bytes), field=1)


def _total_is_real(operations: list[dict[str, Any]], total_bytes: int, limit: int) -> Iterator[Fault]:
    real = sum(len(_utf8(operation["content"]) or b"") for operation in operations if "content" in operation)
    if total_bytes != real:
        yield Fault(f"{real}, the sum of the contents", shown(total_bytes), field=1)
    if real > limit:
        yield Fault(f"contents of at most {limit} bytes", f"{real}", field=0)


def _utf8(text: str) -> bytes | None:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def _in_order(operations: list[dict[str, Any]]) -> Iterator[Fault]:
    keys = [(operation.get("order", 0), utf16(operation["path"])) for operation in operations]
    for index in range(1, len(keys)):
        if keys[index] < keys[index - 1]:
            yield Fault("operations by order and path", f"{shown(operations[index]['path'])} here", index)
            return


PATCH = Contract(
    "patch",
    "patch",
    _shape,
    (
        Rule(SCHEMA, "all five members are there, operations are objects in an array"),
        Rule("PS1", "the schema version is 1.x.y"),
        Rule("PS2", "an operation is create, modify or delete"),
        Rule("PS3", "paths are not absolute", _has_no_root, each="operations", needs=("path",)),
        Rule("PS4", "paths have one spelling and do not climb", _is_safe, each="operations", needs=("path",)),
        Rule("PS5", "no path stands twice or below another", _paths_are_apart, needs=("operations",)),
        Rule("PS6", "contents are text, where they belong", _content_fits, each="operations", needs=("op", "?content")),
        Rule(
            "PS6",
            "expected_hash is the content's",
            _hash_is_of_content,
            each="operations",
            needs=("op", "expected_hash", "?content"),
            levels=("strict",),
        ),
        Rule(
            "PS7",
            "total_bytes is the real sum and within the limit",
            _total_is_real,
            needs=("operations", "total_bytes"),
            context=_LIMIT,
        ),
        Rule(
            "PS7",
            "size_bytes is the content's",
            _size_is_of_content,
            each="operations",
            needs=("op", "size_bytes", "?content"),
            levels=("strict",),
        ),
        Rule("PS8", "operations stand in their order", _in_order, needs=("operations",)),
        Rule("PS9", "no operation makes a link"),
        Rule("PS10", "violations are sorted", behaviour=True),
    ),
)


def verify_patch(value: object, *, level: Level = "spec", limit: int = MOST_BYTES) -> Report:
    """PS1-PS10. `limit` is the policy's max_total_output_bytes, where a policy is at hand."""
    return survives_writing(examine(PATCH, value, level, {_LIMIT: limit}), value, SCHEMA)


EXAMPLE: dict[str, Any] = {
    "patch_schema_version": "1.0.0",
    "source_proposal_id": "prop_70e9b23ce9e31900",
    "source_proposal_hash": "sha256:5c18878a0016ae1919927f55810bdfd65e7a560be77578751029c6f499172947",
    "operations": [
        {"op": "delete", "path": "out/old.html", "order": 0},
        {
            "op": "create",
            "path": "out/page.md",
            "content": "# Hello\n",
            "expected_hash": "sha256:90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be",
            "size_bytes": 8,
            "order": 0,
        },
    ],
    "total_bytes": 8,
}

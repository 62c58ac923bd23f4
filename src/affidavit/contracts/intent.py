"""The intent file: what somebody wants done (contracts 2.9)."""

from __future__ import annotations

from ..canon.order import in_order
from ..canon.profiles import KERNEL
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Bool, Obj, OneOf, Text
from ..shown import shown
from ..values import DIGITS, LOWER_ALNUM, is_content_hash, made_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

#: White space as ECMAScript trims it: TAB, LF, VT, FF, CR, the space separators of Unicode, BOM, LS and PS.
_WHITE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"

#: Constraints are compared with each other, pair by pair.
MOST_CONSTRAINTS = 1000

FILE_OPS = ("create", "modify", "delete")
TEST_TYPES = ("command_success", "file_exists", "hash_match", "content_match")


def is_work_id(text: str) -> bool:
    """`[a-z0-9][a-z0-9_-]{0,63}`."""
    return len(text) <= 64 and text[:1] not in "_-" and made_of(text, LOWER_ALNUM + "_-")


def is_variable(name: str) -> bool:
    """`[A-Za-z_][A-Za-z0-9_]*`."""
    return made_of(name, LOWER_ALNUM + LOWER_ALNUM[:26].upper() + "_") and name[0] not in DIGITS


def _has_no_nul(text: str) -> bool:
    return "\0" not in text


def _is_not_blank(text: str) -> bool:
    return bool(normalised_text(text))


def _shape(_level: Level) -> Shape:
    return Obj(
        {"goal": Text(_is_not_blank, "a string that is not blank", rule=SCHEMA)},
        {"constraints": Arr(Text(), most=MOST_CONSTRAINTS), "context": Obj({}, {"work": _work_shape()})},
        closed=SCHEMA,
    )


def _work_shape() -> Shape:
    work_id = Text(is_work_id, "an id, [a-z0-9][a-z0-9_-]{0,63}")
    word = Text(_has_no_nul, "a string without NUL")
    closed = SCHEMA
    return Obj(
        {},
        {
            "files": Arr(Obj({"path": Text(), "op": OneOf(*FILE_OPS)}, {"content": word}, closed=closed)),
            "commands": Arr(
                Obj(
                    {"id": work_id, "argv": Arr(word)},
                    {"stdin": Text(), "env": Obj({}), "required": Bool()},
                    closed=closed,
                )
            ),
            "tests": Arr(
                Obj(
                    {"id": work_id, "type": OneOf(*TEST_TYPES), "target": Text()},
                    {"expected": Text(), "required": Bool()},
                    closed=closed,
                )
            ),
        },
        closed=closed,
    )


def _argv_names_a_program(argv: list[str]) -> Iterator[Fault]:
    if not argv or not argv[0]:
        yield Fault("a program and its arguments", "nothing to run")


def _env_is_text(env: dict[str, Any]) -> Iterator[Fault]:
    for name, value in env.items():
        if not is_variable(name):
            yield Fault("a variable's name, [A-Za-z_][A-Za-z0-9_]*", shown(name), name)
        elif type(value) is not str or not _has_no_nul(value):
            yield Fault("a string without NUL", shown(value), name)


def _delete_has_no_content(op: str, _content: str) -> Iterator[Fault]:
    if op == "delete":
        yield Fault("no such member for a delete", "one", field=1)


def _expectation_is_told(kind: str, expected: str | None) -> Iterator[Fault]:
    if kind == "hash_match" and (expected is None or not is_content_hash(expected)):
        found = "no such member" if expected is None else shown(expected)
        yield Fault("sha256: and 64 hex digits, the hash of the file", found, field=1)
    if kind == "content_match" and expected is None:
        yield Fault("the text that the file is to contain", "no such member", field=1)


def _ids_are_unique(commands: list[dict[str, Any]] | None, tests: list[dict[str, Any]] | None) -> Iterator[Fault]:
    """Commands and tests share one id space: each is one test result of the evidence."""
    seen: set[str] = set()
    for field, items in enumerate((commands or [], tests or [])):
        for index, item in enumerate(items):
            if item["id"] in seen:
                yield Fault("an id that no other command or test has", shown(item["id"]), index, "id", field=field)
            seen.add(item["id"])


_WORK = "context.work."

INTENT = Contract(
    "intent",
    "intent",
    _shape,
    (
        Rule(SCHEMA, "a goal that is not blank, and no member that nobody reads"),
        Rule(SCHEMA, "a command has a program", _argv_names_a_program, each=_WORK + "commands", needs=("argv",)),
        Rule(SCHEMA, "variables are text", _env_is_text, each=_WORK + "commands", needs=("env",)),
        Rule(SCHEMA, "a delete has no content", _delete_has_no_content, each=_WORK + "files", needs=("op", "content")),
        Rule(
            SCHEMA,
            "a comparison has something to compare with",
            _expectation_is_told,
            each=_WORK + "tests",
            needs=("type", "?expected"),
        ),
        Rule(SCHEMA, "ids are unique", _ids_are_unique, needs=("?" + _WORK + "commands", "?" + _WORK + "tests")),
    ),
)


def verify_intent(value: object, *, level: Level = "spec") -> Report:
    """The members. `facts["source_intent_hash"]` is there only when the intent is valid."""
    report = survives_writing(examine(INTENT, value, level), value, SCHEMA)
    if report.ok:
        report.facts["source_intent_hash"] = source_intent_hash(normalised(value))  # type: ignore[arg-type]
    return report


def normalised(intent: dict[str, Any]) -> dict[str, Any]:
    """The intent as the kernel reads it: what does not change its meaning is gone, what was left out is there."""
    constraints = {normalised_constraint(text) for text in intent.get("constraints", [])} - {""}
    return {
        "goal": normalised_text(intent["goal"]),
        "constraints": in_order(constraints),
        "context": intent.get("context", {}),
    }


def normalised_text(text: str) -> str:
    """One BOM stripped, line ends LF, NFC, trimmed as ECMAScript trims."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        from unicodedata import normalize

        text = normalize("NFC", text)
    return text.strip(_WHITE)


def normalised_constraint(text: str) -> str:
    """Also runs of blanks to one, three and more line ends to two."""
    text = normalised_text(text).replace("\t", " ")
    for run, kept in (("  ", " "), ("\n\n\n", "\n\n")):
        while run in text:
            text = text.replace(run, kept)
    return text


def source_intent_hash(intent: dict[str, Any]) -> str:
    """The KERNEL hash of a normalised intent, written bare."""
    return KERNEL.digest(intent).hex


EXAMPLE: dict[str, Any] = {
    "goal": "Build the greeting page.",
    "constraints": ["English only", "No scripts"],
    "context": {
        "work": {
            "files": [
                {"path": "out/page.md", "op": "create", "content": "# Hello\n"},
                {"path": "out/old.html", "op": "delete"},
            ],
            "commands": [
                {
                    "id": "build",
                    "argv": ["node", "build.js"],
                    "env": {"NODE_ENV": "production"},
                    "stdin": "go\n",
                    "required": True,
                }
            ],
            "tests": [
                {
                    "id": "page",
                    "type": "content_match",
                    "target": "out/page.html",
                    "expected": "Hello",
                    "required": True,
                }
            ],
        }
    },
}

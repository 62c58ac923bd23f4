"""The proposal: the actions that would turn a bundle into files and results (contracts 2.9, PR1-PR12).

It is internal: it never leaves a run. Evidence names its hash, and whoever has the bundle can derive it again.
"""

from __future__ import annotations

from .. import __version__
from ..canon.order import utf16
from ..canon.profiles import KERNEL, RAW, derive_id
from ..canon.reader import read
from ..errors import ParseError
from ..rules.checks import content_hash, each_once, ordered, version_of
from ..rules.engine import examine, survives_writing
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Bool, Int, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

SCHEMA_VERSION = "1.0.0"
ACTION_TYPES = ("create_file", "modify_file", "delete_file", "execute_command", "validate", "test")
TEST_TYPES = ("command_success", "file_exists", "hash_match", "content_match")

_STRICT: tuple[Level, ...] = ("strict",)


def _is_not_blank(text: str) -> bool:
    return not text.isspace() and text != ""


def _id(prefix: str, level: Level) -> Shape:
    if level == "compat":
        return non_empty("PR6")
    return Text(lambda text: is_id(text, prefix), f"{prefix}_ and 16 hex digits", rule="PR6")


def _shape(level: Level) -> Shape:
    action = Obj(
        {
            "id": _id("act", level),
            "type": OneOf(*ACTION_TYPES, rule="PR5"),
            "target": Text(),
            "required": Bool(),
            "description": Text(),
            "order": Int(),
        },
        {"content": Text(rule="PR12"), "expected_hash": content_hash()},
        rule="PR3",
    )
    test = Obj(
        {
            "id": non_empty(),
            "name": Text(),
            "type": OneOf(*TEST_TYPES, rule="PR8"),
            "target": Text(),
            "expected": Nullable(Text()),
            "required": Bool(),
        }
    )
    return Obj(
        {
            "id": _id("prop", level),
            "schema_version": version_of(1, "PR1"),
            "source_bundle_id": non_empty("PR2"),
            "source_bundle_hash": content_hash("PR2", bare=level == "compat"),
            "actions": Arr(action, rule="PR3", container_rule="PR3"),
            "acceptance_tests": Arr(test),
            "summary": Text(_is_not_blank, "a string that is not blank", rule="PR10"),
            "requires_approval": Bool(),
            "confidence": Int(0, 100, rule="PR9"),
        }
    )


def _action_order(action: dict[str, Any]) -> tuple[float, bytes]:
    return action["order"], utf16(action["id"])


def _test_order(test: dict[str, Any]) -> bytes:
    return utf16(test["id"])


def _actions_in_order(actions: list[dict[str, Any]]) -> Iterator[Fault]:
    return ordered(actions, _action_order, "order and id")


def _tests_in_order(tests: list[dict[str, Any]]) -> Iterator[Fault]:
    return ordered(tests, _test_order, "id")


def _content_fits(kind: str, content: str | None) -> Iterator[Fault]:
    if kind in ("create_file", "modify_file") and content is None:
        yield Fault(f"a string, as the action is {kind}", "no such member", field=1)
    if kind == "delete_file" and content is not None:
        yield Fault("no such member, as the action is delete_file", "one", field=1)


def _is_derived(found: str, proposal: dict[str, Any]) -> Iterator[Fault]:
    derived = proposal_id(proposal)
    if found != derived:
        yield Fault(f'"{derived}", as derived from the content', shown(found))


def _action_is_derived(found: str, action: dict[str, Any]) -> Iterator[Fault]:
    derived = action_id(action)
    if found != derived:
        yield Fault(f'"{derived}", as derived from the content', shown(found))


PROPOSAL = Contract(
    "proposal",
    "proposal",
    _shape,
    (
        Rule(SCHEMA, "every member is there and has its type"),
        Rule("PR1", "schema_version is one this verifier reads"),
        Rule("PR2", "the bundle is named, its hash is a content hash"),
        Rule("PR3", "actions are a list"),
        Rule("PR4", "action ids are unique", each_once("id"), needs=("actions",)),
        Rule("PR5", "action types are known"),
        Rule("PR6", "ids have their form"),
        Rule("PR6", "the id is derived", _is_derived, needs=("id", ""), levels=_STRICT),
        Rule("PR6", "action ids are derived", _action_is_derived, each="actions", needs=("id", ""), levels=_STRICT),
        Rule("PR7", "test ids are unique", each_once("id"), needs=("acceptance_tests",)),
        Rule("PR8", "test types are known"),
        Rule("PR9", "confidence is an integer from 0 to 100"),
        Rule("PR10", "the summary is not blank"),
        Rule("PR11", "actions by order and id", _actions_in_order, needs=("actions",)),
        Rule("PR11", "tests by id", _tests_in_order, needs=("acceptance_tests",)),
        Rule("PR12", "content where there is one to write", _content_fits, each="actions", needs=("type", "?content")),
    ),
)


def verify_proposal(value: object, *, level: Level = "spec") -> Report:
    """PR1-PR12. `facts["proposal_hash"]` is there only when the proposal is valid."""
    report = survives_writing(examine(PROPOSAL, value, level), value, SCHEMA)
    if report.ok:
        report.facts["proposal_hash"] = proposal_hash(value)  # type: ignore[arg-type]
    return report


def proposal_hash(proposal: dict[str, Any]) -> str:
    """The KERNEL hash of the whole proposal, as evidence and patch name it."""
    return KERNEL.digest(proposal).content_hash


def proposal_id(proposal: dict[str, Any]) -> str:
    return derive_id("prop", {name: member for name, member in proposal.items() if name != "id"})


def action_id(action: dict[str, Any]) -> str:
    return derive_id("act", {name: action[name] for name in ("type", "target", "content") if name in action})


class _NotOurs(Exception):
    """An output that this version's kernel would not have made."""


def reference_of(bundle: dict[str, Any]) -> dict[str, str] | None:
    """Id and hash of the proposal that a sound bundle comes to, as evidence refers to it; None where another version's
    kernel made the bundle (contracts 2.5)."""
    if bundle["kernel_version"] != __version__:
        return None
    proposal = derive_proposal(bundle)
    return None if proposal is None else {"id": proposal["id"], "hash": proposal_hash(proposal)}


def derive_proposal(bundle: dict[str, Any]) -> dict[str, Any] | None:
    """The one proposal of a valid bundle that this version's kernel made: file operations first, then the commands as
    they were declared, and the tests that judge the outcome. None when its outputs are not as the kernel makes them."""
    actions: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    try:
        for output in bundle["outputs"]:
            if output["type"] == "file":
                actions.append(_file_action(output))
            elif output["type"] == "command":
                actions.append(_command_action(output))
            elif output["type"] == "config" and output["path"].startswith("work/deletes/"):
                actions.append(_delete_action(output))
            elif output["type"] == "config":
                tests.append(_test(output))
    except _NotOurs:
        return None
    commands = sum(action["type"] == "execute_command" for action in actions)
    files = len(actions) - commands
    proposal: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "source_bundle_id": bundle["id"],
        "source_bundle_hash": KERNEL.digest(bundle).content_hash,
        "actions": sorted(actions, key=_action_order),
        "acceptance_tests": sorted(tests, key=_test_order),
        "summary": f"File operations: {files}; commands: {commands}; tests: {len(tests)}",
        "requires_approval": False,
        "confidence": min([100, *(output["confidence"] for output in bundle["outputs"])]),
    }
    return {"id": proposal_id(proposal), **proposal}


_FILE = Obj({"op": OneOf("create", "modify")})
_ORDERED = Obj({"order": Int(0)})
_DELETE = Obj({"path": Text()})
_COMMAND = Obj({"id": Text(), "argv": Arr(Text())}, {"required": Bool()})
_TEST = Obj({"id": Text(), "type": OneOf(*TEST_TYPES), "target": Text()}, {"expected": Text(), "required": Bool()})


def _as(shape: Shape, value: object) -> dict[str, Any]:
    if not shape.fits(value):
        raise _NotOurs
    fitting: dict[str, Any] = value  # type: ignore[assignment]
    return fitting


def _declared(content: str, shape: Shape) -> dict[str, Any]:
    """The declared object whose JCS text an output or an action carries."""
    try:
        return _as(shape, read(content.encode()))
    except ParseError:
        raise _NotOurs from None


def command_of(action: dict[str, Any]) -> dict[str, Any]:
    """The declared command of an execute_command action."""
    return _declared(action["content"], _COMMAND)


def _file_action(output: dict[str, Any]) -> dict[str, Any]:
    op: str = _as(_FILE, output)["op"]
    action = _action(
        f"{op}_file", output["path"], output["content"], order=0, told=f"{op.capitalize()} {output['path']}"
    )
    return {**action, "expected_hash": RAW.digest(output["content"].encode()).content_hash}


def _delete_action(output: dict[str, Any]) -> dict[str, Any]:
    path: str = _declared(output["content"], _DELETE)["path"]
    return _action("delete_file", path, None, order=0, told=f"Delete {path}")


def _command_action(output: dict[str, Any]) -> dict[str, Any]:
    order: int = _as(_ORDERED, output)["order"]
    declared = _declared(output["content"], _COMMAND)
    name: str = declared["id"]
    action = _action("execute_command", name, output["content"], order=order, told=f"Run command {name}")
    return {**action, "required": declared.get("required", True)}


def _action(kind: str, target: str, content: str | None, *, order: int, told: str) -> dict[str, Any]:
    action: dict[str, Any] = {"type": kind, "target": target}
    if content is not None:
        action["content"] = content
    return {
        "id": action_id(action),
        **action,
        "required": True,
        "description": told,
        "order": order,
    }


def _test(output: dict[str, Any]) -> dict[str, Any]:
    declared = _declared(output["content"], _TEST)
    return {
        "id": declared["id"],
        "name": f"{declared['type']} {declared['target']}",
        "type": declared["type"],
        "target": declared["target"],
        "expected": declared.get("expected"),
        "required": declared.get("required", True),
    }


EXAMPLE: dict[str, Any] = {
    "id": "prop_70e9b23ce9e31900",
    "schema_version": "1.0.0",
    "source_bundle_id": "bundle_495619356b69b4cb",
    "source_bundle_hash": "sha256:a6c9f4dc0187901e07cd50f1523e10f827d53e6463d7f340b3f68f25a81dc9fa",
    "actions": [
        {
            "id": "act_3846d5879088f173",
            "type": "create_file",
            "target": "out/page.md",
            "content": "# Hello\n",
            "required": True,
            "description": "Create out/page.md",
            "order": 0,
            "expected_hash": "sha256:90f8ec5669cd34183b9b0fdf8b94f5efb4c3672876330f4aa76088c2b4ad17be",
        },
        {
            "id": "act_ba0481f385fa1112",
            "type": "delete_file",
            "target": "out/old.html",
            "required": True,
            "description": "Delete out/old.html",
            "order": 0,
        },
        {
            "id": "act_3f6713f6507c1b61",
            "type": "execute_command",
            "target": "build",
            "content": '{"argv":["node","build.js"],"env":{"NODE_ENV":"production"},"id":"build"}',
            "required": True,
            "description": "Run command build",
            "order": 1,
        },
    ],
    "acceptance_tests": [
        {
            "id": "page",
            "name": "content_match out/page.html",
            "type": "content_match",
            "target": "out/page.html",
            "expected": "Hello",
            "required": True,
        }
    ],
    "summary": "File operations: 2; commands: 1; tests: 1",
    "requires_approval": False,
    "confidence": 100,
}

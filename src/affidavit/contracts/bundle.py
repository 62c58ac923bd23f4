"""bundle.json: what the kernel made of an intent (contracts 2.3, SCHEMA and BS1-BS8)."""

from __future__ import annotations

from .. import __version__
from ..canon.order import utf16
from ..canon.profiles import KERNEL, derive_id
from ..rules.checks import content_hash as digest
from ..rules.checks import ordered, sorted_by, sorted_texts, stays_below, version_of
from ..rules.engine import examine, hashed
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import SCHEMA, Arr, Int, Nullable, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import is_hex, is_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level, Step

SCHEMA_VERSION = "0.1.0"

#: How the scores of our kernel come about; bundles of other kernels are not held to it.
_OURS = "a bundle of this version's kernel"

_SCORE = Int(0, 100)
_COUNT = Int(0)


def _is_bare_digest(text: str) -> bool:
    return is_hex(text, 64)


def _id(prefix: str, level: Level) -> Shape:
    if level == "strict":
        return Text(lambda text: is_id(text, prefix), f"{prefix}_ and 16 hex digits", rule="BS2")
    return non_empty()


def _question(level: Level) -> Shape:
    return Obj(
        {
            "id": _id("q", level),
            "text": Text(),
            "expected_answer_type": OneOf("boolean", "choice", "text", "number", "list", "structured"),
            "why_needed": Text(),
            "information_gain": _SCORE,
            "priority": _SCORE,
        },
        {"options": Arr(Text())},
    )


def _node(level: Level, question: Shape) -> Shape:
    texts = Arr(Text())
    node_id = _id("node", level)
    branch = Obj({"branch_id": non_empty(), "answer": Text(), "added_constraints": texts})
    return Obj(
        {
            "id": node_id,
            "parent_id": Nullable(node_id),
            "status": OneOf("pending", "expanding", "terminal", "blocked"),
            "goal": Text(),
            "constraints": texts,
            "entropy": Obj(
                {
                    "unresolved_refs": _COUNT,
                    "schema_gaps": _COUNT,
                    "contradiction_count": _COUNT,
                    "branching_factor": _COUNT,
                    "entropy_score": _SCORE,
                }
            ),
            "density": Obj(
                {
                    "concrete_constraints": _COUNT,
                    "specified_outputs": _COUNT,
                    "constraint_depth": _COUNT,
                    "density_score": _SCORE,
                }
            ),
            "children": Arr(node_id),
            "unresolved_questions": Arr(question),
        },
        {"splitting_question": Obj({"question": question, "branches": Arr(branch)})},
    )


def _shape(level: Level) -> Shape:
    question = _question(level)
    node = _node(level, question)
    output = Obj(
        {
            "id": _id("out", level),
            "type": OneOf("file", "command", "config", "instruction", "schema"),
            "path": Text(),
            "content": Text(),
            "content_hash": digest(bare=True),
            "source_constraints": Arr(Text()),
            "confidence": _SCORE,
        }
    )
    return Obj(
        {
            "id": _id("bundle", level),
            "schema_version": version_of(0, "BS1"),
            "kernel_version": non_empty(),
            "status": OneOf("complete", "incomplete", "error"),
            "root_node": node,
            "terminal_nodes": Arr(node),
            "outputs": Arr(output),
            "unresolved_questions": Arr(question),
            "stats": Obj(
                {
                    "total_nodes": _COUNT,
                    "terminal_nodes": _COUNT,
                    "max_depth": _COUNT,
                    "total_outputs": _COUNT,
                    "unresolved_count": _COUNT,
                    "avg_terminal_entropy": _SCORE,
                    "avg_terminal_density": _SCORE,
                }
            ),
        },
        {"source_intent_hash": Text(_is_bare_digest, "64 hex digits")},
        missing=SCHEMA,
    )


def _nodes(bundle: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], dict[str, Any]]]:
    """Every node of the bundle with its place."""
    yield ("root_node",), bundle["root_node"]
    for index, node in enumerate(bundle["terminal_nodes"]):
        yield ("terminal_nodes", index), node


def _question_lists(bundle: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], list[dict[str, Any]]]]:
    yield ("unresolved_questions",), bundle["unresolved_questions"]
    for place, node in _nodes(bundle):
        yield (*place, "unresolved_questions"), node["unresolved_questions"]


def _questions(bundle: dict[str, Any]) -> Iterator[tuple[tuple[Step, ...], dict[str, Any]]]:
    for place, questions in _question_lists(bundle):
        for index, question in enumerate(questions):
            yield (*place, index), question
    for place, node in _nodes(bundle):
        if "splitting_question" in node:
            yield (*place, "splitting_question", "question"), node["splitting_question"]["question"]


def _below(place: tuple[Step, ...], faults: Iterator[Fault]) -> Iterator[Fault]:
    for fault in faults:
        yield Fault(fault.expected, fault.found, *place, *fault.steps)


def _constraints_sorted(bundle: dict[str, Any]) -> Iterator[Fault]:
    for place, node in _nodes(bundle):
        yield from _below((*place, "constraints"), sorted_texts(node["constraints"]))
        for index, branch in enumerate(node.get("splitting_question", {}).get("branches", ())):
            where = (*place, "splitting_question", "branches", index, "added_constraints")
            yield from _below(where, sorted_texts(branch["added_constraints"]))
    for index, output in enumerate(bundle["outputs"]):
        yield from _below(("outputs", index, "source_constraints"), sorted_texts(output["source_constraints"]))


def question_order(question: dict[str, Any]) -> tuple[float, bytes]:
    """The most pressing first; among equals by id."""
    return -question["priority"], utf16(question["id"])


def _questions_sorted(bundle: dict[str, Any]) -> Iterator[Fault]:
    for place, questions in _question_lists(bundle):
        yield from _below(place, ordered(questions, question_order, "priority from high to low, then id"))
    for place, question in _questions(bundle):
        yield from _below((*place, "options"), sorted_texts(question.get("options", [])))
    for place, node in _nodes(bundle):
        branches = node.get("splitting_question", {}).get("branches", [])
        yield from _below((*place, "splitting_question", "branches"), sorted_by("branch_id")(branches))


def _nodes_sorted(bundle: dict[str, Any]) -> Iterator[Fault]:
    yield from _below(("terminal_nodes",), sorted_by("id")(bundle["terminal_nodes"]))
    for place, node in _nodes(bundle):
        yield from _below((*place, "children"), sorted_texts(node["children"]))


def _safe_path(path: str) -> Iterator[Fault]:
    if not (stays_below(path) and "\\" not in path):
        yield Fault('a relative path without ".." and without backslash', shown(path))


def _ids_derived(bundle: dict[str, Any]) -> Iterator[Fault]:
    def differs(found: str, derived: str, *place: Step) -> Iterator[Fault]:
        if found != derived:
            yield Fault(f'"{derived}", as derived from the content', shown(found), *place)

    yield from differs(bundle["id"], bundle_id(bundle), "id")
    for place, node in _nodes(bundle):
        yield from differs(node["id"], node_id(node), *place, "id")
        if "splitting_question" in node:
            split, where = node["splitting_question"], (*place, "splitting_question", "branches")
            for index, branch in enumerate(split["branches"]):
                derived = branch_id(split["question"]["id"], branch["answer"])
                yield from differs(branch["branch_id"], derived, *where, index, "branch_id")
    for place, question in _questions(bundle):
        yield from differs(question["id"], question_id(question), *place, "id")
    for index, output in enumerate(bundle["outputs"]):
        yield from differs(output["id"], output_id(output), "outputs", index, "id")


def _contents_hashed(output: dict[str, Any]) -> Iterator[Fault]:
    derived = content_hash(output["content"])
    if output["content_hash"].removeprefix("sha256:") != derived:
        yield Fault(f'"{derived}", the hash of the content', shown(output["content_hash"]), "content_hash")


def _counted(bundle: dict[str, Any]) -> Iterator[Fault]:
    stats = bundle["stats"]
    for name, counted in (
        ("terminal_nodes", len(bundle["terminal_nodes"])),
        ("total_outputs", len(bundle["outputs"])),
        ("unresolved_count", len(bundle["unresolved_questions"])),
    ):
        if stats[name] != counted:
            yield Fault(f"{counted}, as counted", shown(stats[name]), "stats", name)
    known = {node["id"] for _, node in _nodes(bundle)}.union(*(node["children"] for _, node in _nodes(bundle)))
    if stats["total_nodes"] < len(known):
        yield Fault(
            f"at least {len(known)}, as many as the bundle names", shown(stats["total_nodes"]), "stats", "total_nodes"
        )
    if (stats["max_depth"] == 0) != (stats["total_nodes"] == 1):
        yield Fault("0 for a root alone, else more", shown(stats["max_depth"]), "stats", "max_depth")
    for name, part, score in (
        ("avg_terminal_entropy", "entropy", "entropy_score"),
        ("avg_terminal_density", "density", "density_score"),
    ):
        scores = [node[part][score] for node in bundle["terminal_nodes"]]
        # writers of the family round their means in more than one way: any integer next to the mean is one
        if abs(stats[name] * max(len(scores), 1) - sum(scores)) >= max(len(scores), 1):
            yield Fault(f"the mean {score} of the terminal nodes", shown(stats[name]), "stats", name)


def _status_fits(status: str, questions: list[dict[str, Any]]) -> Iterator[Fault]:
    if status == "complete" and questions:
        yield Fault(f'"incomplete", as {len(questions)} questions are open', '"complete"')
    if status == "incomplete" and not questions:
        yield Fault("a question to be open", '"incomplete" without one')


def _scored(bundle: dict[str, Any], _ours: bool) -> Iterator[Fault]:
    for place, node in _nodes(bundle):
        for part, name, score in (
            ("entropy", "entropy_score", entropy_score(node["entropy"])),
            ("density", "density_score", density_score(node["density"])),
        ):
            if node[part][name] != score:
                yield Fault(f"{score}, as its parts make it", shown(node[part][name]), *place, part, name)


BUNDLE = Contract(
    "bundle",
    "bundle",
    _shape,
    (
        Rule(SCHEMA, "every member is there and has its type"),
        Rule("BS1", "schema_version is one this verifier reads"),
        Rule("BS2", "equal bundles have equal hashes", behaviour=True),
        Rule("BS2", "ids are derived from what they name", _ids_derived, needs=("",), levels=("strict",)),
        Rule(
            "BS2",
            "content hashes are their content's",
            _contents_hashed,
            each="outputs",
            needs=("",),
            levels=("strict",),
        ),
        Rule("BS3", "outputs are sorted by path", sorted_by("path"), needs=("outputs",)),
        Rule("BS4", "constraints are sorted wherever they stand", _constraints_sorted, needs=("",)),
        Rule("BS5", "questions, their options and their branches are sorted", _questions_sorted, needs=("",)),
        Rule("BS6", "terminal nodes and children are sorted by id", _nodes_sorted, needs=("",)),
        Rule("BS7", "output paths stay inside", _safe_path, each="outputs", needs=("path",)),
        Rule("BS8", "the bundle survives parsing and writing unchanged", behaviour=True),
        Rule(SCHEMA, "stats are what is counted", _counted, needs=("",), levels=("strict",)),
        Rule(
            SCHEMA,
            "status fits the open questions",
            _status_fits,
            needs=("status", "unresolved_questions"),
            levels=("strict",),
        ),
        Rule(SCHEMA, "scores follow from their parts", _scored, needs=("",), levels=("strict",), context=_OURS),
    ),
    shape_first=True,
)


def verify_bundle(value: object, *, level: Level = "spec") -> Report:
    """SCHEMA and BS1-BS8. `facts["bundle_hash"]` is there only when the bundle is valid."""
    ours = type(value) is dict and value.get("kernel_version") == __version__
    return hashed(examine(BUNDLE, value, level, {_OURS: True} if ours else {}), value, "BS8", "bundle_hash")


def bundle_hash(bundle: dict[str, Any]) -> str:
    """The KERNEL hash of the whole bundle, as run.json refers to it (BS2)."""
    return KERNEL.digest(bundle).content_hash


def bundle_id(bundle: dict[str, Any]) -> str:
    return derive_id("bundle", {name: member for name, member in bundle.items() if name != "id"})


def node_id(node: dict[str, Any]) -> str:
    return derive_id("node", {name: node[name] for name in ("parent_id", "goal", "constraints")})


def question_id(question: dict[str, Any]) -> str:
    return derive_id("q", {name: question[name] for name in ("text", "expected_answer_type", "why_needed")})


def output_id(output: dict[str, Any]) -> str:
    return derive_id("out", {name: output[name] for name in ("type", "path", "content")})


def branch_id(question: str, answer: str) -> str:
    """The first 8 hex digits of the KERNEL hash of the question's id and the answer."""
    return KERNEL.digest({"question_id": question, "answer": answer}).hex[:8]


def content_hash(content: str) -> str:
    """The KERNEL hash of the content as a JSON string, written bare."""
    return KERNEL.digest(content).hex


def entropy_score(entropy: dict[str, Any]) -> int:
    """How much is open: a contradiction weighs more than a gap, a gap more than one more branch; 100 at most."""
    weighed = 25 * entropy["unresolved_refs"] + 25 * entropy["schema_gaps"] + 40 * entropy["contradiction_count"]
    return min(100, int(weighed + 10 * entropy["branching_factor"]))


def density_score(density: dict[str, Any]) -> int:
    """How much is settled: a declared output weighs more than a constraint; 100 at most."""
    weighed = 20 * density["specified_outputs"] + 10 * density["concrete_constraints"]
    return min(100, int(weighed + 5 * density["constraint_depth"]))


EXAMPLE: dict[str, Any] = {
    "id": "bundle_495619356b69b4cb",
    "schema_version": "0.1.0",
    "kernel_version": "0.1.0",
    "source_intent_hash": "e1487516c60abdf1d7a16f9b50f18bc1e8a387429654ff863790881ebb667800",
    "status": "complete",
    "root_node": {
        "id": "node_8831bb8b65c34097",
        "parent_id": None,
        "status": "terminal",
        "goal": "Build the greeting page.",
        "constraints": ["English only", "No scripts"],
        "entropy": {
            "unresolved_refs": 0,
            "schema_gaps": 0,
            "contradiction_count": 0,
            "branching_factor": 0,
            "entropy_score": 0,
        },
        "density": {"concrete_constraints": 2, "specified_outputs": 4, "constraint_depth": 0, "density_score": 100},
        "children": [],
        "unresolved_questions": [],
    },
    "terminal_nodes": [
        {
            "id": "node_8831bb8b65c34097",
            "parent_id": None,
            "status": "terminal",
            "goal": "Build the greeting page.",
            "constraints": ["English only", "No scripts"],
            "entropy": {
                "unresolved_refs": 0,
                "schema_gaps": 0,
                "contradiction_count": 0,
                "branching_factor": 0,
                "entropy_score": 0,
            },
            "density": {"concrete_constraints": 2, "specified_outputs": 4, "constraint_depth": 0, "density_score": 100},
            "children": [],
            "unresolved_questions": [],
        }
    ],
    "outputs": [
        {
            "id": "out_8b2b9b13a326d5ac",
            "type": "file",
            "path": "out/page.md",
            "content": "# Hello\n",
            "content_hash": "e4d36dfbaf69867879ebb45281c0602b839cbff8140726f2f35cec6790fd70bd",
            "source_constraints": [],
            "confidence": 100,
            "op": "create",
        },
        {
            "id": "out_4defc1e9b78ee796",
            "type": "command",
            "path": "work/commands/build.json",
            "content": '{"argv":["node","build.js"],"env":{"NODE_ENV":"production"},"id":"build"}',
            "content_hash": "7cac142f4de1f6a6b57200c879ee29c9d6a210a2854744dcbbc59bc5e36924d0",
            "source_constraints": [],
            "confidence": 100,
            "order": 1,
        },
        {
            "id": "out_1ab85e5152dc8110",
            "type": "config",
            "path": "work/deletes/0.json",
            "content": '{"op":"delete","path":"out/old.html"}',
            "content_hash": "3e0350f99beff6aa6b16a4cd742f9a47ec62d069882e7c0c3574c9320743a43d",
            "source_constraints": [],
            "confidence": 100,
        },
        {
            "id": "out_d02f3682fc89ee66",
            "type": "config",
            "path": "work/tests/page.json",
            "content": '{"expected":"Hello","id":"page","target":"out/page.html","type":"content_match"}',
            "content_hash": "dafeec8c20e16480ed24c402a3b1d028ade1eddc954fe977ef9e641dd7ac3d7c",
            "source_constraints": [],
            "confidence": 100,
        },
    ],
    "unresolved_questions": [],
    "stats": {
        "total_nodes": 1,
        "terminal_nodes": 1,
        "max_depth": 0,
        "total_outputs": 4,
        "unresolved_count": 0,
        "avg_terminal_entropy": 0,
        "avg_terminal_density": 100,
    },
}

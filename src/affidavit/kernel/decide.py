"""From an intent to a bundle, to questions, or to a refusal. Pure: the same intent and policy, the same bytes."""

from __future__ import annotations

from .. import __version__
from ..canon.jcs import canonical
from ..canon.order import utf16
from ..contracts.bundle import (
    SCHEMA_VERSION,
    bundle_id,
    content_hash,
    density_score,
    entropy_score,
    node_id,
    output_id,
)
from ..contracts.intent import normalised, source_intent_hash
from .outcome import Bundle, Clarify, Refuse
from .questions import find_gaps
from .refusals import refusals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .outcome import Outcome
    from .questions import Gap


def decide(intent: dict[str, Any], policy: dict[str, Any]) -> Outcome:
    """The kernel's answer to a valid intent under a sound policy. Whether a bundle is then executed is no business of
    the kernel: the answer is the same for a plan and for an execution."""
    intent = normalised(intent)
    reasons = refusals(intent, policy)
    if reasons:
        return Refuse(reasons)
    gaps = find_gaps(intent)
    if gaps:
        return Clarify(_bundle(intent, _node(intent, gaps, []), gaps, []))
    node = _node(intent, [], _declared(intent["context"].get("work", {})))
    return Bundle(_bundle(intent, node, [], _outputs(intent, node["id"])))


def _bundle(
    intent: dict[str, Any], node: dict[str, Any], gaps: list[Gap], outputs: list[dict[str, Any]]
) -> dict[str, Any]:
    terminal = [] if gaps else [node]
    bundle: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "kernel_version": __version__,
        "source_intent_hash": source_intent_hash(intent),
        "status": "incomplete" if gaps else "complete",
        "root_node": node,
        "terminal_nodes": terminal,
        "outputs": sorted(outputs, key=lambda output: utf16(output["path"])),
        "unresolved_questions": [gap.question for gap in gaps],
        "stats": {
            "total_nodes": 1,
            "terminal_nodes": len(terminal),
            "max_depth": 0,
            "total_outputs": len(outputs),
            "unresolved_count": len(gaps),
            "avg_terminal_entropy": node["entropy"]["entropy_score"] if terminal else 0,
            "avg_terminal_density": node["density"]["density_score"] if terminal else 0,
        },
    }
    return {"id": bundle_id(bundle), **bundle}


def _node(intent: dict[str, Any], gaps: list[Gap], declared: list[dict[str, Any]]) -> dict[str, Any]:
    kinds = [gap.kind for gap in gaps]
    choices = [gap for gap in gaps if gap.answers]
    entropy = {
        "unresolved_refs": kinds.count("placeholder"),
        "schema_gaps": kinds.count("content") + kinds.count("source"),
        "contradiction_count": kinds.count("contradiction"),
        "branching_factor": len(choices[0].answers) if choices else 0,
    }
    density = {
        "concrete_constraints": len(intent["constraints"]),
        "specified_outputs": len(declared),
        "constraint_depth": 0,
    }
    node: dict[str, Any] = {
        "parent_id": None,
        "status": "blocked" if gaps else "terminal",
        "goal": intent["goal"],
        "constraints": intent["constraints"],
        "entropy": {**entropy, "entropy_score": entropy_score(entropy)},
        "density": {**density, "density_score": density_score(density)},
        "children": [],
        "unresolved_questions": [gap.question for gap in gaps],
    }
    if choices:
        node["splitting_question"] = {"question": choices[0].question, "branches": choices[0].branches()}
    return {"id": node_id(node), **node}


def _outputs(intent: dict[str, Any], node: str) -> list[dict[str, Any]]:
    declared = _declared(intent["context"].get("work", {}))
    if declared:
        return declared
    lines = [intent["goal"], *(f"- {constraint}" for constraint in intent["constraints"])]
    return [
        _output(
            "instruction",
            f"context/{node}.md",
            "\n".join(lines) + "\n",
            source_constraints=intent["constraints"],
            confidence=50,
        )
    ]


def _declared(work: dict[str, Any]) -> list[dict[str, Any]]:
    """Each piece of declared work as an output. What the path of an output cannot say stands beside it: whether a file
    is created or modified, and the place of a command among the commands."""
    files, commands, tests = work.get("files", []), work.get("commands", []), work.get("tests", [])
    written = [file for file in files if file["op"] != "delete"]
    deleted = sorted((file for file in files if file["op"] == "delete"), key=lambda file: utf16(file["path"]))
    return [
        *(_output("file", file["path"], file.get("content", ""), op=file["op"]) for file in written),
        *(_output("config", f"work/deletes/{index}.json", _text(file)) for index, file in enumerate(deleted)),
        *(
            _output("command", f"work/commands/{command['id']}.json", _text(command), order=index)
            for index, command in enumerate(commands, 1)
        ),
        *(_output("config", f"work/tests/{test['id']}.json", _text(test)) for test in tests),
    ]


def _text(declared: dict[str, Any]) -> str:
    return canonical(declared).decode()


def _output(
    kind: str,
    path: str,
    content: str,
    *,
    source_constraints: list[str] | None = None,
    confidence: int = 100,
    **besides: str | int,
) -> dict[str, Any]:
    output = {"type": kind, "path": path, "content": content}
    return {
        "id": output_id(output),
        **output,
        "content_hash": content_hash(content),
        "source_constraints": source_constraints or [],
        "confidence": confidence,
        **besides,
    }

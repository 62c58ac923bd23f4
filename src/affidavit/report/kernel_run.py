"""The page about a run of the kernel family, or about its pack: the same documents, told in the same order."""

from __future__ import annotations

from ..values import parse_timestamp
from .page import Items, Mark, Page, Pairs, Section, Table, Timeline
from .parts import stream_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .page import Cell, Part
    from .parts import Excerpt

    #: By file name; only documents that their contracts found sound.
    Documents = dict[str, Any]

_ASKED = {
    "allow_network": "Network",
    "timeout_ms": "Time limit",
    "max_output_files": "Output files",
    "max_total_output_bytes": "Output bytes",
    "allowed_commands": "Commands",
    "allowed_write_roots": "Write roots",
}


def describe(what: str, run: dict[str, Any], documents: Documents, streams: dict[str, Excerpt]) -> Page:
    """`run` is a sound run.json. What other documents do not say, the page does not say either."""
    accepted = run["decision"]["accepted"]
    outcome = Mark("good", "accepted") if accepted else Mark("bad", "not accepted")
    kind = run["kernel_result_kind"]
    if kind == "CLARIFY":
        outcome = Mark("warn", "questions before anything can run")
    elif kind == "REFUSE":
        outcome = Mark("bad", "refused")
    sections = [
        Section("Decision", *_decision(run, documents)),
        *_questions(documents),
        *_execution(run, documents),
        *_timeline(documents),
        Section("Policy", *_policy(run, documents)),
        *_outputs(run),
    ]
    if streams:
        parts = [part for name, excerpt in streams.items() for part in stream_lines(name, excerpt)]
        sections.append(Section("What the commands wrote", *parts))
    return Page(what, run["run_id"], outcome, "; ".join(run["decision"]["reasons"]), sections)


def _decision(run: dict[str, Any], documents: Documents) -> Iterator[Part]:
    rows: list[tuple[str, Cell]] = []
    bundle = documents.get("bundle.json")
    if bundle is not None:
        rows.append(("Goal", bundle["root_node"]["goal"]))
    rows += [
        ("Outcome", run["kernel_result_kind"]),
        ("Started", run["started_at"]),
        ("Completed", run["completed_at"]),
        ("Intent", Mark("code", f"{run['intent']['path']} {run['intent']['sha256']}")),
    ]
    if run["bundle"] is not None:
        rows.append(("Bundle", Mark("code", f"{run['bundle']['bundle_id']} {run['bundle']['sha256']}")))
    rows += [("Model", run["model_mode"]), ("Version", run["kernel_version"])]
    if "refuse_reason" in run:
        rows.append(("Refused because", run["refuse_reason"]))
    yield Pairs(*rows)
    if run["decision"]["reasons"]:
        yield Items(*run["decision"]["reasons"])


def _questions(documents: Documents) -> Iterator[Section]:
    bundle = documents.get("bundle.json")
    questions = bundle["unresolved_questions"] if bundle is not None else []
    if questions:
        rows: list[tuple[Cell, ...]] = [
            (question["text"], question["why_needed"], question["expected_answer_type"], str(question["priority"]))
            for question in questions
        ]
        yield Section("Questions", Table("The most pressing first", ("Question", "Why", "Answer", "Priority"), rows))


def _execution(run: dict[str, Any], documents: Documents) -> Iterator[Section]:
    execution, evidence = run["execution"], documents.get("evidence.json")
    parts: list[Part] = []
    if execution is not None:
        rows: list[tuple[str, Cell]] = [("Command", Mark("code", " ".join(execution["cmd"]))), _exit(execution)]
        parts.append(Pairs(*rows))
    if evidence is not None and evidence["test_results"]:
        results: list[tuple[Cell, ...]] = [
            (result["test_id"], _passed(result["passed"]), str(result["exit_code"]))
            for result in evidence["test_results"]
        ]
        parts.append(Table("Commands and tests", ("Name", "Result", "Exit code"), results))
    if evidence is not None and evidence["action_results"]:
        actions: list[tuple[Cell, ...]] = [
            (
                Mark("code", action["path"]),
                action["action"],
                _passed(action["exit_code"] == 0),
                Mark("code", action["sha256"]),
            )
            for action in evidence["action_results"]
        ]
        parts.append(Table("Files that were declared", ("Path", "Action", "Result", "Content"), actions))
    if parts:
        yield Section("Execution", *parts)


def _exit(execution: dict[str, Any]) -> tuple[str, Cell]:
    code = execution["exit_code"]
    return "Exit code", Mark("good" if code == 0 else "bad", str(code))


def _passed(passed: bool) -> Mark:
    return Mark("good", "passed") if passed else Mark("bad", "failed")


def _timeline(documents: Documents) -> Iterator[Section]:
    runner = documents.get("runner.json")
    if runner is None:
        return
    timing = runner["timing"]
    begun = parse_timestamp(timing["started_at"]) or 0
    rows = [
        (phase["name"], (parse_timestamp(phase["started_at"]) or begun) - begun, phase["duration_ms"])
        for phase in timing.get("phases", ())
    ]
    yield Section("Timeline", Timeline(timing["duration_ms"], rows or [("all", 0, timing["duration_ms"])]))


def _policy(run: dict[str, Any], documents: Documents) -> Iterator[Part]:
    policy, runner = run["policy"], documents.get("runner.json")
    enforced = _enforced(runner) if runner is not None else {}
    rows: list[tuple[Cell, ...]] = [
        (told, _shown(member, policy[member]), enforced.get(member, Mark("quiet", "nothing ran")))
        for member, told in _ASKED.items()
    ]
    yield Table(f"Profile {policy['name']}", ("What", "Asked", "Enforced"), rows)
    if runner is not None:
        sandbox, exit_status = runner["sandbox"], runner["exit"]
        yield Pairs(
            ("Sandbox", f"{sandbox['backend']}, isolation {sandbox['isolation_level']}"),
            ("Platform", " ".join(str(value) for value in runner["platform"].values())),
            ("Killed for memory", "yes" if exit_status["oom_killed"] else "no"),
            ("Killed for time", "yes" if exit_status["timeout_killed"] else "no"),
            ("Came along", Mark("code", ", ".join(runner["commands"].get("companions", ())) or "nothing")),
        )
        if runner.get("warnings"):
            yield Items(*(Mark("warn", warning) for warning in runner["warnings"]))


def _enforced(runner: dict[str, Any]) -> dict[str, Cell]:
    limits = runner["limits"]
    return {
        "allow_network": "blocked" if runner["sandbox"]["network_blocked"] else Mark("warn", "open"),
        "timeout_ms": _shown("timeout_ms", limits["timeout_ms"]),
        "max_output_files": str(limits["max_output_files"]),
        "max_total_output_bytes": str(limits["max_total_output_bytes"]),
        "allowed_commands": ", ".join(runner["commands"]["allowlist"]) or "all",
        "allowed_write_roots": ", ".join(runner["write_roots"]) or "none",
    }


def _shown(member: str, value: Any) -> str:
    if member == "allow_network":
        return "allowed" if value else "blocked"
    if isinstance(value, list):
        return ", ".join(value) or "all"
    return f"{value} ms" if member == "timeout_ms" else str(value)


def _outputs(run: dict[str, Any]) -> Iterator[Section]:
    execution = run["execution"]
    if execution is None:
        return
    rows: list[tuple[Cell, ...]] = [
        (Mark("code", output["path"]), str(output["size_bytes"]), Mark("code", output["sha256"]))
        for output in execution["outputs"]
    ]
    caption = f"{len(rows)} files, {execution['total_output_bytes']} bytes"
    if execution["output_truncated"]:
        caption += ", cut at the policy's limit"
    yield Section("Outputs", Table(caption, ("Path", "Bytes", "SHA-256"), rows))

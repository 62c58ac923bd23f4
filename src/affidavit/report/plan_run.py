"""The page about a plan run: what was expected of the host, and what it did.

Also about any other run whose status is all that tells of it.
"""

from __future__ import annotations

from .page import Items, Mark, Page, Pairs, Section, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .page import Cell, Part


#: Runs that are of no plan, by what stands in its place.
_KINDS = {"harness": "Run", "pytest": "Test session"}


def describe(status: dict[str, Any], documents: dict[str, Any]) -> Page:
    """`status` is a sound run_status.json; `documents` are sound, by file name."""
    state = status["state"]
    summary = documents.get("summary.json")
    mismatches = sum(summary["mismatch_counts"].values()) if summary is not None else 0
    if state == "in_progress":
        outcome = Mark("warn", "not finished")
    elif state == "failed":
        outcome = Mark("bad", "failed")
    elif mismatches:
        outcome = Mark("bad", f"{mismatches} of the host's answers are not as expected")
    else:
        outcome = Mark("good", "dry run" if summary is not None and summary["dry_run"] else "as expected")
    sections = [Section("Run", *_run(status, documents)), *_matrix(documents), *_mismatches(documents)]
    kind = _KINDS.get(status["plan_id"], "Plan run")
    return Page(kind, status["run_id"], outcome, f"Plan {status['plan_id']}", sections)


def _run(status: dict[str, Any], documents: dict[str, Any]) -> Iterator[Part]:
    rows: list[tuple[str, Cell]] = [
        ("Plan", f"{status['plan_id']}"),
        ("Plan digest", Mark("code", status["plan_digest"])),
        ("World", Mark("code", status["world_id"])),
        ("Channel", status["channel"]),
        ("State", status["state"]),
    ]
    preflight = documents.get("apply_preflight.json")
    if preflight is not None:
        applied = preflight["apply_ok"]
        rows.append(("Profile could be applied", Mark("good", "yes") if applied else Mark("bad", "no")))
        check = preflight["sandbox_check_self"]
        if check is not None:
            confined = {True: Mark("bad", "yes"), False: Mark("good", "no")}.get(
                check.get("sandboxed"), Mark("warn", f"unknown: {check.get('error', 'not told')}")
            )
            rows.append(("Already confined", confined))
    yield Pairs(*rows)
    if status["error"] is not None:
        yield Items(Mark("bad", str(status["error"])))


def _matrix(documents: dict[str, Any]) -> Iterator[Section]:
    """Every probe under every profile; what was not reached stands there as such, and is no denial."""
    expected, results = documents.get("expected_matrix.json"), documents.get("runtime_results.json")
    if expected is None:
        return
    parts: list[Part] = []
    for profile_id, profile in expected["profiles"].items():
        found = {}
        if results is not None and profile_id in results:
            found = {probe["expectation_id"]: probe for probe in results[profile_id]["probes"]}
        rows: list[tuple[Cell, ...]] = [
            (
                probe["name"],
                probe["operation"],
                Mark("quiet", "none") if probe["target"] is None else Mark("code", probe["target"]),
                probe["expected"],
                *_observed(found.get(probe["expectation_id"])),
            )
            for probe in profile["probes"]
        ]
        head = ("Probe", "Operation", "Target", "Expected", "Observed", "Result")
        parts.append(Table(f"Profile {profile_id}, mode {profile['mode']}", head, rows))
    yield Section("Expected and observed", *parts)


def _observed(row: dict[str, Any] | None) -> tuple[Cell, Cell]:
    if row is None:
        return Mark("quiet", "not tried"), Mark("quiet", "-")
    if row["actual"] is None:
        return Mark("warn", "not reached"), Mark("warn", "unknown")
    return row["actual"], Mark("good", "as expected") if row["match"] else Mark("bad", "MISMATCH")


def _mismatches(documents: dict[str, Any]) -> Iterator[Section]:
    summary = documents.get("mismatch_summary.json")
    if summary is None or not summary["mismatches"]:
        return
    rows: list[tuple[Cell, ...]] = [
        (
            row["expectation_id"],
            row["operation"],
            str(row["expected"]),
            "not reached" if row["actual"] is None else row["actual"],
            row["mismatch_type"],
        )
        for row in summary["mismatches"]
    ]
    head = ("Expectation", "Operation", "Expected", "Observed", "Kind")
    yield Section("Mismatches", Table(f"{len(rows)} in all", head, rows))

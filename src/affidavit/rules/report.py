"""A Report as JSON and as lines for a person: one place for both, so that they cannot say different things."""

from __future__ import annotations

from ..shown import plain
from .model import Finding, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def violation(finding: Finding) -> dict[str, Any]:
    """The seeds' violation: rule_id, message, and path (a JSON Pointer) unless it is the whole document."""
    told = {"rule_id": finding.rule_id, "message": finding.message}
    if finding.path:
        told["path"] = finding.path
    return told


def not_checked(report: Report) -> list[dict[str, str]]:
    return [{"rule_id": left.rule_id, "reason": left.reason} for left in report.not_checked]


def as_json(report: Report) -> dict[str, Any]:
    """The seeds' result: `{"ok":true, <facts>}` or `{"ok":false,"violations":[..]}`, and what was not checked."""
    body: dict[str, Any] = {"ok": report.ok}
    if report.ok:
        body.update(report.facts)
    else:
        body["violations"] = [violation(finding) for finding in report.findings]
    if report.not_checked:
        body["not_checked"] = not_checked(report)
    return body


def joined(reports: Sequence[Report]) -> Report:
    """The reports of documents that stand below each other as one: places begin with the document's number, from 0."""
    findings = [
        Finding(found.rule_id, f"/{number}{found.path}", found.expected, found.found, within=found.within)
        for number, report in enumerate(reports)
        for found in report.findings
    ]
    checked = [rule_id for report in reports for rule_id in report.checked]
    left = {(left.rule_id, left.reason): left for report in reports for left in report.not_checked}
    return Report(reports[0].document, findings, checked, [*left.values()], {"entries": len(reports)})


def as_lines(report: Report, *, name: str, verbose: bool = False) -> list[tuple[str, str]]:
    """For a person: (style, text) pairs; the command's frame knows what a style looks like."""
    lines: list[tuple[str, str]] = []
    if report.ok:
        lines.append(("good", f"{plain(name)}: a valid {report.document}"))
        for fact, told in report.facts.items():
            if fact == "warnings":
                lines += [
                    ("rule", f"  warning: {one['code']}  {plain(one['path'])}: {plain(one['message'])}") for one in told
                ]
            elif isinstance(told, dict):
                lines += [
                    ("", f"  {fact}:"),
                    *(("", f"    {plain(n)}  {plain(_told(one))}") for n, one in told.items()),
                ]
            elif told != []:
                lines.append(("", f"  {fact}: {plain(_told(told))}"))
    else:
        count = len(report.findings)
        lines.append(("bad", f"{plain(name)}: not a valid {report.document}, {count} finding{'s' * (count > 1)}"))
        for finding in report.findings:
            within = f"  {plain(finding.within)}" if finding.within else ""
            lines.append(("rule", f"  {finding.rule_id}  {plain(finding.path) or '(the document)'}{within}"))
            lines += [("", f"      expected {finding.expected}"), ("", f"      found    {finding.found}")]
        ids = dict.fromkeys(finding.within.partition(":")[0] or finding.rule_id for finding in report.findings)
        lines.append(("quiet", f"  what the rules say: affidavit explain {' '.join(ids)}"))
    lines += [("quiet", f"  not checked: {left.rule_id}: {plain(left.reason)}") for left in report.not_checked]
    if verbose:
        lines.append(("quiet", f"  checked: {' '.join(report.checked)}"))
    return lines


def _told(fact: object) -> str:
    """A fact in a line: what is in a list one after the other, of an object what its members say."""
    if isinstance(fact, list):
        return ", ".join(_told(item) for item in fact)
    if isinstance(fact, dict):
        return " ".join(f"{name} {_told(member)}" for name, member in fact.items())
    if isinstance(fact, bool) or fact is None:
        return {True: "yes", False: "no", None: "none"}[fact]
    return str(fact)

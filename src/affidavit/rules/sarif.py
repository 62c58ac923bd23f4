"""Reports as SARIF 2.1.0, the form in which code-review tools take findings."""

from __future__ import annotations

from ..errors import ParseError
from .model import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..errors import AffidavitError
    from .model import Finding

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

#: What a URI may hold as it is (RFC 3986), and the slash between its segments.
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/"


def as_sarif(outcomes: Iterable[tuple[str, Report | AffidavitError]], version: str) -> dict[str, Any]:
    """One run of the tool over what was verified, by its path: a report, or the error instead of one."""
    results: list[dict[str, Any]] = []
    notifications: list[dict[str, Any]] = []
    rules: dict[str, dict[str, Any]] = {}
    for path, outcome in outcomes:
        if isinstance(outcome, Report):
            for finding in outcome.findings:
                rule = f"{outcome.document}/{finding.rule_id}".replace(" ", "-")
                rules.setdefault(rule, _rule(rule, finding.rule_id))
                results.append(_result(path, rule, finding))
            for left in outcome.not_checked:
                text = f"not checked: {left.rule_id}: {left.reason}"
                notifications.append(_notification(path, "note", text, {}))
        else:
            region = _region(outcome) if isinstance(outcome, ParseError) else {}
            notifications.append(_notification(path, "error", f"{outcome.code}: {outcome.message}", region))
    failed = any(told["level"] == "error" for told in notifications)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "affidavit", "version": version, "rules": list(rules.values())}},
                "columnKind": "unicodeCodePoints",
                "invocations": [{"executionSuccessful": not failed, "toolExecutionNotifications": notifications}],
                "results": results,
            }
        ],
    }


def _rule(rule: str, rule_id: str) -> dict[str, Any]:
    return {
        "id": rule,
        "shortDescription": {"text": rule.replace("/", " ")},
        "help": {"text": f"affidavit explain {rule_id}"},
    }


def _result(path: str, rule: str, finding: Finding) -> dict[str, Any]:
    # what a pack or a directory holds is named by its file, what a document holds by a JSON Pointer
    file, pointer = (path, finding.path) if finding.path.startswith("/") else (_below(path, finding.path), "")
    location = _location(file, {})
    if pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": pointer}]
    return {"ruleId": rule, "level": "error", "message": {"text": finding.message}, "locations": [location]}


def _below(path: str, name: str) -> str:
    return f"{path.rstrip('/')}/{name}" if name else path


def _notification(path: str, level: str, text: str, region: dict[str, int]) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}, "locations": [_location(path, region)]}


def _region(error: ParseError) -> dict[str, int]:
    return {"startLine": error.line, "startColumn": error.column}


def _location(path: str, region: dict[str, int]) -> dict[str, Any]:
    if path == "-":
        return {"logicalLocations": [{"name": "standard input"}]}
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(path)}}
    if region:
        physical["region"] = region
    return {"physicalLocation": physical}


def _uri(path: str) -> str:
    """A relative path as a relative reference, an absolute one as a file URI."""
    quoted = "".join(
        chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in path.encode("utf-8", "surrogateescape")
    )
    return f"file://{quoted}" if quoted.startswith("/") else quoted

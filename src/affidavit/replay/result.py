"""The result of a replay: what had to hold first, what was missing, and what came of running it again."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from ..rules.model import Finding
    from .again import Outcome

NOT_REPLAYABLE = "not_replayable"


class Check:
    """A condition: pass, fail or not checked, and why."""

    __slots__ = ("id", "status", "told")

    def __init__(self, check_id: str, status: Literal["pass", "fail", "not_checked"], told: list[str]) -> None:
        self.id = check_id
        self.status = status
        self.told = told

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"status": self.status}
        if self.told:
            body["findings" if self.status == "fail" else "reasons"] = self.told
        return body


class Replayed:
    """What came of a replay. Without an outcome nothing was run."""

    __slots__ = ("checks", "findings", "missing", "outcome", "what")

    def __init__(
        self,
        what: str,
        checks: list[Check],
        findings: list[Finding],
        missing: list[str],
        outcome: Outcome | None = None,
    ) -> None:
        self.what = what
        self.checks = checks
        #: What is wrong with it beside the conditions.
        self.findings = findings
        #: What it would take to run it again.
        self.missing = missing
        self.outcome = outcome

    @property
    def verdict(self) -> str:
        return NOT_REPLAYABLE if self.outcome is None else self.outcome.verdict

    def as_json(self) -> dict[str, Any]:
        from ..rules.report import violation

        body: dict[str, Any] = {
            "ok": self.verdict in ("identical", "equivalent"),
            "replayed": self.what,
            "verdict": self.verdict,
            "checks": {check.id: check.as_json() for check in self.checks},
        }
        if self.findings:
            body["violations"] = [violation(found) for found in self.findings]
        if self.missing:
            body["missing"] = self.missing
        if self.outcome is not None:
            body |= self.outcome.as_json()
        return body

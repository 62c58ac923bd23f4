"""What keeps a run from ending with a result (seed 000, section 5; contracts 2.2)."""

from __future__ import annotations

from ..errors import AffidavitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..errors import Fact, Kind

NO_FILE = "RUN_E001"
NOT_JSON = "RUN_E002"
INVALID_INTENT = "RUN_E003"
POLICY = "RUN_E004"
SANDBOX = "RUN_E005"
EVIDENCE = "RUN_E006"
INTERNAL = "RUN_E007"

_KINDS: dict[str, Kind] = {
    NO_FILE: "io",
    NOT_JSON: "parse",
    INVALID_INTENT: "usage",
    POLICY: "usage",
    SANDBOX: "io",
    EVIDENCE: "internal",
    INTERNAL: "internal",
}


class RunError(AffidavitError):
    """One of RUN_E001 to RUN_E007; `rule_id` is the rule that speaks, where one does."""

    def __init__(self, code: str, message: str, *, rule_id: str = "", **details: Fact) -> None:
        super().__init__(code, message, **details)
        self.kind = _KINDS[code]
        self.rule_id = rule_id

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def facts(self) -> dict[str, Any]:
        facts = super().facts()
        if self.rule_id:
            facts["rule_id"] = self.rule_id
        return facts


def because(code: str, error: AffidavitError, about: str = "") -> RunError:
    """What another part of this package could not do, as the reason why there is no run."""
    found = RunError(code, f"{about}: {error.message}" if about else error.message, cause=error.code)
    found.details |= error.details
    return found

"""Why a plan is not run: stable codes, what was expected and what was found."""

from __future__ import annotations

from ..errors import AffidavitError, UsageError
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..errors import Kind
    from ..rules.model import Report


class Unsound(AffidavitError):
    """A document that a plan run rests on and that its contract refuses; `report` has everything."""

    kind: Kind = "refused"

    def __init__(self, place: str, report: Report) -> None:
        first = report.findings[0]
        more = f" (and {len(report.findings) - 1} more)" if len(report.findings) > 1 else ""
        message = f"{plain(place)}: {first.rule_id} {plain(first.path)}: {first.message}{more}"
        super().__init__("plan.unsound", message, artifact=plain(place), rule_id=first.rule_id)
        self.report = report


class NoSuchRegistry(UsageError):
    """A registry that the index does not name."""

    def __init__(self, registry_id: str, known: list[str]) -> None:
        told = ", ".join(plain(name) for name in known) or "none"
        super().__init__("plan.no_registry", f"expected one of the registries {told}, found {plain(registry_id)!r}")


class NoSuchPlan(UsageError):
    """Neither a built-in plan nor a file."""

    def __init__(self, name: str, known: list[str]) -> None:
        told = ", ".join(known)
        super().__init__("plan.absent", f"expected a plan's file, or one of {told}, found {plain(name)!r}")


class ChannelRefused(AffidavitError):
    """A channel that cannot be had here, and why."""

    kind: Kind = "refused"

    def __init__(self, channel: str, why: str) -> None:
        super().__init__("channel.refused", f"channel {channel}: {why}", channel=channel)


class ProfileRefused(AffidavitError):
    """A profile that this system cannot apply."""

    kind: Kind = "refused"

    def __init__(self, profile_id: str, why: str) -> None:
        told = plain(profile_id)
        super().__init__("profile.refused", f"profile {told}: {why}", profile=told)


class WorkerFailed(AffidavitError):
    """The process that should have run the lanes did not give its recording."""

    def __init__(self, why: str) -> None:
        super().__init__("worker.failed", why)

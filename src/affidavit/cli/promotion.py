"""What the verbs about promotion share: their options, and how a verdict is told."""

from __future__ import annotations

from ..contracts.probing import CHANNELS
from ..errors import UsageError
from ..shown import plain
from .args import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..kernel.promote import Gate
    from .args import Args

GATES = ("v0.2", "v0.2-compat")

ACCEPT_CHANNEL = Option(
    "--accept-channel", "a clean channel that is good enough beside launchd_clean", value="CHANNEL", many=True
)
ACCEPT_REPAIRED = Option("--accept-repaired", "a run whose index was repaired is good enough")
GATE = Option(
    "--gate",
    "whose rules: v0.2 is stricter than the older writers, v0.2-compat reads their runs and gives their reasons alone",
    value="GATE",
    choices=GATES,
    default="v0.2",
)

#: What each reason means, in a person's words.
MEANINGS = {
    "manifest_missing": "there is no sound run_manifest.json",
    "run_status_missing": "there is no sound run_status.json",
    "bundle_in_progress": "the run has not ended",
    "not_clean_channel": "the run did not come through a clean channel",
    "apply_preflight_missing": "nothing says whether the profile could be applied",
    "already_sandboxed": "the process that applied it was confined already",
    "apply_failed": "the profile could not be applied",
    "bundle_integrity_unverified": "the run does not verify",
    "bundle_failed": "the run failed",
    "bundle_incomplete": "something is missing that the run should have",
    "decision_stage_artifacts_missing": "results, events or the expected matrix are not there",
    "self_check_unknown": "nobody knows whether the process was confined already",
    "dry_run": "nothing was tried",
    "preflight_mismatch": "the manifest's copy of the preflight is not the preflight",
    "channel_unproven": "the channel is claimed, and not proven",
    "bundle_repaired": "the index was repaired (--accept-repaired)",
}


def gate_of(args: Args) -> Gate:
    gate: Gate = args.text("--gate")  # type: ignore[assignment]  # one of its choices
    return gate


def channels_of(args: Args) -> tuple[str, ...]:
    """Each named channel; one that claims nothing cannot be good enough."""
    channels = args.texts("--accept-channel")
    clean = [channel for channel, is_clean in CHANNELS.items() if is_clean]
    for channel in channels:
        if channel not in clean:
            told = " or ".join(clean)
            raise UsageError("USAGE", f"--accept-channel: expected {told}, found {plain(channel)!r}")
    return tuple(channels)


def verdict_lines(name: str, reasons: Iterable[str]) -> list[tuple[str, str]]:
    """For a person."""
    against = [*reasons]
    if not against:
        return [("good", f"{plain(name)}: may be promoted")]
    head = ("bad", f"{plain(name)}: may not be promoted, {len(against)} reason{'s' * (len(against) > 1)}")
    return [head, *(("", f"  {reason}: {MEANINGS.get(reason, '')}".rstrip(": ")) for reason in against)]

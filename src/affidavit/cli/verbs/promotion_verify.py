"""`affidavit promotion-verify FILE` (seed 003, section 2; contracts 4.5)."""

from __future__ import annotations

from ...rules.report import violation
from ...runtime.promotion import verify_promotion
from ...shown import plain
from ..args import Argument, Option, Verb
from ..promotion import ACCEPT_CHANNEL, ACCEPT_REPAIRED, GATE, channels_of, gate_of, verdict_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "promotion-verify",
    "Judges a promotion packet again, offline, from the run it points to. It may be promoted only where the packet "
    "is what the run gives, the index is the one that was judged, and nothing stands against it; what the packet was "
    "made to accept (a channel, a repair, an older gate) counts only where it is accepted here too.",
    options=(
        Option("--bundle", "the run, where it is not where the packet points to", value="BUNDLE"),
        ACCEPT_CHANNEL,
        ACCEPT_REPAIRED,
        GATE,
    ),
    arguments=(Argument("FILE", "the packet"),),
    examples=(
        ("affidavit promotion-verify packet.json", "judge it from the run it points to"),
        ("affidavit promotion-verify --bundle copy packet.json", "from a copy of the run"),
    ),
    statuses=(
        (0, "may be promoted, and the same verdict"),
        (1, "otherwise"),
        (2, "cannot be read"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=("`ok`, `reasons`, `violations`."),
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    path = args.argument("FILE") or ""
    judged = verify_promotion(
        path,
        bundle=args.text("--bundle"),
        accept_channels=channels_of(args),
        accept_repaired=args.has("--accept-repaired"),
        gate=gate_of(args),
    )
    if out.for_program:
        found = [violation(finding) for finding in judged.findings]
        out.result({"ok": judged.ok, "reasons": list(judged.reasons), "violations": found})
    elif not (out.quiet and judged.ok):
        lines = verdict_lines(path, judged.reasons)
        if judged.findings:
            lines.append(("bad", "  the packet is not what its run gives"))
        for finding in judged.findings:
            lines += [("rule", f"  {plain(finding.path)}"), ("", f"      {finding.message}")]
        out.lines(lines)
    return 0 if judged.ok else 1

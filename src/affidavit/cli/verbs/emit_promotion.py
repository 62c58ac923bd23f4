"""`affidavit emit-promotion --bundle B --out F` (seed 003, section 2)."""

from __future__ import annotations

from ...errors import UsageError
from ...runtime.promotion import NotPromotable, emit_promotion_packet
from ..args import Option, Verb
from ..promotion import ACCEPT_CHANNEL, ACCEPT_REPAIRED, GATE, channels_of, gate_of, verdict_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "emit-promotion",
    "Verifies a run, judges whether its evidence may be promoted, and writes the promotion packet: pointers to the "
    "evidence, the verdict, and every reason against. A run that may not be promoted has a packet too, which says so.",
    options=(
        Option("--bundle", "the run directory, or an out folder whose LATEST names it", value="BUNDLE"),
        Option("--out", "the file to write", value="FILE"),
        Option("--require-promotable", "write nothing, and fail, unless it may be promoted"),
        ACCEPT_CHANNEL,
        ACCEPT_REPAIRED,
        GATE,
    ),
    examples=(
        ("affidavit emit-promotion --bundle out --out p.json", "the packet of the latest run"),
        ("affidavit emit-promotion --bundle out --out p.json --require-promotable", "only if it may be promoted"),
        (
            "affidavit emit-promotion --bundle out --out p.json --accept-channel systemd_clean",
            "also judged with a clean unit of systemd as good enough",
        ),
    ),
    statuses=(
        (0, "written"),
        (1, "--require-promotable, and it may not be promoted"),
        (2, "no run there, or it cannot be read or written"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=("the promotion packet ([promotion-packet](../specs/promotion-packet.md))."),
)


def run(args: Args, out: Output) -> int:
    bundle, path = args.text("--bundle"), args.text("--out")
    if not bundle or not path:
        raise UsageError("USAGE", "--bundle BUNDLE and --out FILE are needed")
    channels = channels_of(args)
    try:
        packet = emit_promotion_packet(
            bundle,
            path,
            args.has("--require-promotable"),
            accept_channels=channels,
            accept_repaired=args.has("--accept-repaired"),
            gate=gate_of(args),
        )
    except NotPromotable as error:
        out.error(error)
        return 1
    if out.for_program:
        out.result(packet)
    else:
        told = packet["promotability"]
        verdict = told["accepted"] if channels else {"reasons": told["reasons"]}
        out.lines(verdict_lines(path, verdict["reasons"]))
    return 0

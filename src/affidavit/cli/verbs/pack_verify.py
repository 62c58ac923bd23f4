"""`affidavit pack-verify DIR|FILE.zip` (seed 004, section 7)."""

from __future__ import annotations

from ...packs.verify import verify_pack
from ..args import Argument, Verb
from ..single import LEVEL, answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...values import Level
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "pack-verify",
    "Verifies a pack, a directory or a zip archive of one (PK1-PK12), where it lies: no link is followed, nothing is "
    "extracted, each file is read once. Writes one canonical JSON object when no person is looking.",
    options=(LEVEL,),
    arguments=(Argument("PACK", "the directory, or the zip archive"),),
    examples=(
        ("affidavit pack-verify pack", "verify a directory"),
        ("affidavit pack-verify pack.zip", "verify an archive, without extracting it"),
        ("affidavit pack-verify --level strict pack", "also derive again what can be, and compare the files"),
    ),
    statuses=((0, "valid"), (1, "findings"), (2, "the pack cannot be read"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    path = args.argument("PACK") or ""
    level: Level = args.text("--level")  # type: ignore[assignment]  # one of its choices
    report = verify_pack(path, level=level)
    answer(args, out, report, name=path, place={"pack_path": path})
    return 0 if report.ok else 1

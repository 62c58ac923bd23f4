"""`affidavit pack-verify DIR|FILE.zip` (seed 004, section 7)."""

from __future__ import annotations

from ...packs.verify import verify_pack
from ..args import Argument, Verb
from ..single import LEVEL, SARIF, answer, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "pack-verify",
    "Verifies a pack, a directory or a zip archive of one (PK1-PK12), where it lies: no link is followed, nothing is "
    "extracted, each file is read once. Writes one canonical JSON object when no person is looking.",
    options=(LEVEL, SARIF),
    arguments=(Argument("PACK", "the directory, or the zip archive"),),
    examples=(
        ("affidavit pack-verify pack", "verify a directory"),
        ("affidavit pack-verify pack.zip", "verify an archive, without extracting it"),
        ("affidavit pack-verify --level strict pack", "also derive again what can be, and compare the files"),
    ),
    statuses=((0, "valid"), (1, "findings"), (2, "the pack cannot be read"), (3, "wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=(
        "`pack_path`, `ok`; valid: `files_verified`, `reference_checks`; else `violations`; `not_checked` where "
        "something was not."
    ),
    is_verifier=True,
)


def run(args: Args, out: Output) -> int:
    path = args.argument("PACK") or ""
    report = verify_pack(path, level=level_of(args))
    return answer(args, out, report, name=path, invalid=1, place={"pack_path": path})

"""`affidavit pack-apply --pack P --target DIR [--dry-run] [--partial]` (contracts 2.10)."""

from __future__ import annotations

from ...errors import UsageError
from ...packs.apply import apply_pack, recover
from ...shown import plain
from ..args import Option, Verb
from ..interrupting import interruptible
from ..previewed import DIFF, show_preview
from ..progress import Progress
from ..single import LEVEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...values import Level
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "pack-apply",
    "Applies the patch of a pack to a directory: every operation or none, whatever happens meanwhile. The pack is "
    "verified first; create needs that there is no file, modify and delete that there is one; no symlink is followed "
    "and nothing below .git is written. Patches carry no modes: a modified file keeps its own, a new one has 0644 less "
    "the umask. What a kill or a power cut left half done, the next pack-apply rolls back first, and --recover at any "
    "time.",
    options=(
        Option("--pack", "the pack, a directory or a zip archive", value="PACK"),
        Option("--target", "the directory to change", value="DIR"),
        Option("--dry-run", "write nothing, tell what would be done"),
        DIFF,
        Option("--partial", "do what can be done, also where something else cannot"),
        Option("--recover", "apply nothing: roll back what an interrupted apply left in the target"),
        LEVEL,
    ),
    examples=(
        ("affidavit pack-apply --pack run.zip --target . --dry-run", "see what it would do"),
        ("affidavit pack-apply --pack run.zip --target . --diff", "read what it would change"),
        ("affidavit pack-apply --pack run.zip --target .", "do it"),
        ("affidavit pack-apply --recover --target .", "after a crash: have the files of before"),
    ),
    statuses=(
        (0, "applied; in a dry run: can be"),
        (1, "some operations failed, or writing did"),
        (2, "refused, wrong usage"),
        (3, "the pack or the target cannot be read"),
    ),
    exits={"io": 3, "parse": 3, "usage": 2, "refused": 2, "internal": 3},
    answer=("the apply result ([apply](../specs/apply.md)); with `--recover` `recovered`."),
)
#: Of more operations only those that do not fit are listed.
_MOST_SHOWN = 100
_STATUS = {"SUCCESS": 0, "PARTIAL": 1, "FAILED": 1, "REFUSED": 2}
_MARKS = {"success": ("good", "+"), "skipped": ("quiet", " "), "error": ("bad", "!")}


def run(args: Args, out: Output) -> int:
    pack, target = args.text("--pack"), args.text("--target")
    if target is None:
        raise UsageError("USAGE", "--target is missing: the directory to change")
    if args.has("--recover"):
        if pack is not None:
            raise UsageError("USAGE", "--recover applies nothing: give it no --pack")
        return _tell_recovery(out, recover(target))
    if pack is None:
        raise UsageError("USAGE", "--pack is missing: the pack to apply")
    level: Level = args.text("--level")  # type: ignore[assignment]  # one of its choices
    if args.has("--diff"):
        return show_preview(out, pack, target, level)
    with interruptible(), Progress("writing", quiet=out.quiet) as progress:
        applied = apply_pack(
            pack,
            target,
            dry_run=args.has("--dry-run"),
            partial=args.has("--partial"),
            level=level,
            progress=progress,
        )
    if applied.recovered == "rolled back":
        out.say("an apply that was interrupted here has been rolled back first", "quiet")
    if out.for_program:
        out.result(applied.result)
    else:
        out.lines(lines(applied.result))
    return _STATUS[applied.result["outcome"]]


def _tell_recovery(out: Output, recovered: str) -> int:
    if out.for_program:
        out.result({"recovered": recovered})
    else:
        told = {"nothing": "nothing to recover", "cleared": "nothing had been changed; what was left is cleared away"}
        out.lines([("good", told.get(recovered, "rolled back: the files are as they were before"))])
    return 0


def lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    """An ApplyResult for a person."""
    summary = result["summary"]
    operations = result["operation_results"]
    if len(operations) > _MOST_SHOWN:
        operations = [operation for operation in operations if "error" in operation][:_MOST_SHOWN]
    told = [_line(operation) for operation in operations]
    more = summary["total_operations"] - len(operations)
    if more:
        told.append(("quiet", f"    and {more} more"))
    for found in result.get("violations", ()):
        told.append(("rule", f"  {found['rule_id']}  {plain(found.get('path', ''))}"))
        told.append(("", f"      {plain(found['message'])}"))
    if "error" in result:
        told.append(("bad", plain(result["error"])))
    count = f"{summary['succeeded']} of {summary['total_operations']} operations"
    verb = "would be applied" if result["dry_run"] else "applied"
    style = "good" if result["outcome"] == "SUCCESS" else "bad"
    told.append((style, f"{result['outcome']}: {count} {verb}, {summary['total_bytes_written']} bytes"))
    return told


def _line(operation: dict[str, Any]) -> tuple[str, str]:
    style, mark = _MARKS[operation["status"]]
    why = f": {plain(operation['error'])}" if "error" in operation else ""
    return style, f"  {mark} {operation['op']:<6}  {plain(operation['path'])}{why}"

"""`affidavit git-apply --pack P --repo R [--branch B] [--dry-run] [--commit] [--message M] [--allow-dirty]` (contracts
2.10)."""

from __future__ import annotations

from ...errors import UsageError
from ...packs.git_apply import git_apply
from ...shown import plain
from ..args import Option, Verb
from ..interrupting import interruptible
from ..previewed import DIFF, show_preview
from ..progress import Progress
from ..single import LEVEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...packs.git_apply import GitApplied
    from ...values import Level
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "git-apply",
    "Applies the patch of a pack to a git repository, on a branch of its own: every operation or none. The pack is "
    "verified and everything is looked at before anything is changed. Only local git commands are run; hooks, filters, "
    "signing and every other program that a repository could start are off, and a path that needs a filter is refused. "
    "Nothing is committed unless --commit says so, and then only the patch's own paths.",
    options=(
        Option("--pack", "the pack, a directory or a zip archive", value="PACK"),
        Option("--repo", "the top of the repository's working tree", value="DIR"),
        Option("--branch", "the branch to make and check out; else apply/<run id>", value="NAME"),
        Option("--dry-run", "change nothing, tell what would be done"),
        DIFF,
        Option("--commit", "commit what was applied"),
        Option("--message", "the message of the commit", value="TEXT"),
        Option("--allow-dirty", "also where other files have changes that are not committed"),
        LEVEL,
    ),
    examples=(
        ("affidavit git-apply --pack run.zip --repo . --dry-run", "see what it would do"),
        ("affidavit git-apply --pack run.zip --repo . --diff", "read what it would change"),
        ("affidavit git-apply --pack run.zip --repo .", "look at it with git diff, then commit it yourself"),
        ("affidavit git-apply --pack run.zip --repo . --branch review/agent --commit", "on a branch for review"),
    ),
    statuses=(
        (0, "applied; in a dry run: can be"),
        (1, "the pack or the repository cannot be read or written"),
        (2, "a document that is not JSON"),
        (3, "refused, wrong usage"),
        (4, "git failed"),
    ),
    exits={"io": 1, "parse": 2, "usage": 3, "refused": 3, "internal": 4},
    answer=("the git apply result ([git-apply](../specs/git-apply.md))."),
)
_MOST_SHOWN = 100
_STATUS = {"SUCCESS": 0, "FAILED": 1, "REFUSED": 3}
GIT_FAILED = 4


def run(args: Args, out: Output) -> int:
    pack, repository, message = args.text("--pack"), args.text("--repo"), args.text("--message")
    if pack is None or repository is None:
        missing = "--pack" if pack is None else "--repo"
        raise UsageError("USAGE", f"{missing} is missing: affidavit git-apply --pack PACK --repo DIR")
    if message is not None and not args.has("--commit"):
        raise UsageError("USAGE", "--message is for a commit: give --commit too")
    if message is not None and not message.strip():
        raise UsageError("USAGE", "--message is empty")
    level: Level = args.text("--level")  # type: ignore[assignment]  # one of its choices
    if args.has("--diff"):
        return show_preview(out, pack, repository, level)
    with interruptible(), Progress("writing", quiet=out.quiet) as progress:
        applied = git_apply(
            pack,
            repository,
            branch=args.text("--branch"),
            dry_run=args.has("--dry-run"),
            commit=args.has("--commit"),
            message=message,
            allow_dirty=args.has("--allow-dirty"),
            level=level,
            progress=progress,
        )
    return _tell(out, applied)


def _tell(out: Output, applied: GitApplied) -> int:
    if applied.recovered == "rolled back":
        out.say("an apply that was interrupted here has been rolled back first", "quiet")
    if applied.failure is not None:
        out.always_say(f"affidavit: {applied.failure.message}", "bad")
    if out.for_program:
        out.result(applied.result)
    else:
        out.lines(_lines(applied.result))
    return GIT_FAILED if applied.failure is not None else _STATUS[applied.result["outcome"]]


def _lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    files = result["changed_files"]
    told = [("good", f"  + {file['op']:<6}  {plain(file['path'])}") for file in files[:_MOST_SHOWN]]
    if len(files) > _MOST_SHOWN:
        told.append(("quiet", f"    and {len(files) - _MOST_SHOWN} more"))
    for found in result.get("violations", ())[:_MOST_SHOWN]:
        told.append(("rule", f"  {found['rule_id']}  {plain(found.get('path', ''))}"))
        told.append(("", f"      {plain(found['message'])}"))
    if "error" in result:
        told.append(("bad", plain(result["error"])))
    if result["outcome"] == "REFUSED":
        return [*told, ("bad", "REFUSED: nothing was changed")]
    if result["outcome"] != "SUCCESS":
        return [*told, ("bad", "FAILED: no file was changed")]
    branch = result["branch"]
    verb = "would be applied" if result["dry_run"] else "applied"
    where = f"{'new branch' if branch['created'] else 'branch'} {plain(branch['name'])}"
    count = len(result["changed_files"])
    told.append(("good", f"SUCCESS: {count} file{'s' * (count != 1)} {verb} on {where}"))
    if "commit" in result:
        told.append(("", f"  commit {result['commit']['sha']}"))
    elif not result["dry_run"] and result["changed_files"]:
        told.append(("quiet", "  nothing is committed: git diff shows it, git commit keeps it"))
    return told

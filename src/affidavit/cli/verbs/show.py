"""`affidavit show RUN`: one run for a person."""

from __future__ import annotations

import time

from ...quantities import age, size
from ...shown import plain
from ...store.portrait import Portrait
from ..args import Verb
from ..locking import EXITS
from ..named_run import FROM, RUN, run_of
from ..progress import Progress
from ..single import LEVEL, level_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..args import Args
    from ..output import Output

    Line = tuple[str, str]

VERB = Verb(
    "show",
    "Shows one run: what it was, what came of it and why, what it left, and whether all of it is as its index says.",
    options=(FROM, LEVEL),
    arguments=(RUN,),
    examples=(
        ("affidavit show", "the latest run of .affidavit"),
        ("affidavit show hr_mk2h8w00_1f2e3d4c", "this one"),
        ("affidavit show evidence/hr_mk2h8w00_1f2e3d4c", "one that lies elsewhere"),
    ),
    statuses=((0, "shown, and sound"), (1, "shown, and not as its index says"), (2, "error"), (3, "wrong usage")),
    exits=EXITS,
    answer=(
        "`run_id`, `state`, `outcome`, `reasons`, `facts`, `artifacts` [`path`, `bytes`], `integrity` (as "
        "`verify` answers), `committed`, `repaired`, `files`, `bytes`, `path`, `updated_at_unix`."
    ),
)

_MOST_FILES = 30


def run(args: Args, out: Output) -> int:
    path = run_of(args)
    with Progress("reading", quiet=out.quiet) as progress:
        portrait = Portrait(path, level_of(args), progress)
    if out.for_program:
        out.result(portrait.as_json())
    else:
        out.lines(_lines(portrait))
    return 0 if portrait.report.ok else 1


def _lines(portrait: Portrait) -> Iterator[Line]:
    seen = portrait.listed
    yield "head", f"run {plain(seen.run_id)}"
    yield "", f"  where      {plain(portrait.path)}"
    yield "", f"  state      {seen.state}{' (repaired)' * seen.is_repaired}"
    if seen.outcome:
        yield ("good" if seen.outcome in ("accepted", "ok") else "bad"), f"  outcome    {seen.outcome}"
    for reason in portrait.reasons:
        yield "", f"             {plain(reason)}"
    for name, told in portrait.facts:
        yield "", f"  {name:<10} {plain(told)}"
    if seen.updated is not None:
        yield "", f"  updated    {age(time.time() - seen.updated)}"
    yield "", f"  files      {seen.files}, {size(seen.size)}"
    for path, count in portrait.files[:_MOST_FILES]:
        yield "", f"    {size(count):>9}  {plain(path)}"
    if len(portrait.files) > _MOST_FILES:
        yield "quiet", f"    and {len(portrait.files) - _MOST_FILES} more"
    if portrait.report.ok:
        yield "good", "  integrity  every file is what the index says"
    else:
        count = len(portrait.report.findings)
        yield "bad", f"  integrity  {count} finding{'s' * (count > 1)}; affidavit verify tells all"
        first = portrait.report.findings[0]
        yield "", f"    {first.rule_id}  {plain(first.path)}: {first.message}"

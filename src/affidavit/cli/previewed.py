"""`--diff` of the verbs that apply a patch: what it would change, for whoever reviews it."""

from __future__ import annotations

from ..packs.preview import preview
from ..shown import plain
from .args import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Level
    from .output import Output

DIFF = Option("--diff", "change nothing, show what would be changed as a unified diff")
_STYLES = {"+": "good", "-": "bad", "@": "quiet", "\\": "quiet", " ": ""}


def show_preview(out: Output, pack: str, target: str, level: Level) -> int:
    """The diff on standard output: as it is for a program, without what could command a terminal for a person."""
    lines = preview(pack, target, level=level)
    if out.json:
        out.result({"diff": "".join(f"{line}\n" for line in lines)})
    elif out.for_program:
        out.raw("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    else:
        out.lines((_STYLES.get(line[:1], "head"), plain(line)) for line in lines)
    return 0

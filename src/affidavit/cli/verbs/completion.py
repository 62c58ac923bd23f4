"""`affidavit completion bash|zsh|fish`."""

from __future__ import annotations

from ...errors import UsageError
from ...shown import plain
from ..args import Argument, Verb
from ..completion import SHELLS
from ..registry import all_verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "completion",
    "Writes a completion script for a shell. It is complete in itself: pressing TAB starts no program.",
    arguments=(Argument("SHELL", "bash, zsh or fish"),),
    examples=(
        ('eval "$(affidavit completion bash)"', "in ~/.bashrc"),
        ('eval "$(affidavit completion zsh)"', "in ~/.zshrc, after compinit"),
        ("affidavit completion fish | source", "in ~/.config/fish/config.fish"),
    ),
    statuses=((0, "written"), (2, "the script cannot be written"), (3, "wrong usage, or no such shell")),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=("none: the script is the answer."),
)


def run(args: Args, out: Output) -> int:
    shell = args.argument("SHELL") or ""
    if shell not in SHELLS:
        raise UsageError("USAGE", f"expected one of {', '.join(SHELLS)}, found {plain(shell)!r}")
    out.raw(SHELLS[shell](all_verbs()).encode())
    return 0

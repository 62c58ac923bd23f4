"""How a command line names a run: by its path, by its id in an out folder, or as the latest there."""

from __future__ import annotations

import os

from ..harness.request import DEFAULT_OUT
from ..store.out import LATEST
from .args import Argument, Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .args import Args

FROM = Option("--from", "the out folder of the runs", value="OUT", default=DEFAULT_OUT)
RUN = Argument("RUN", "the run, by its path, by its id, or LATEST (as without it)", optional=True)


def out_of(args: Args) -> str:
    return args.text(FROM.name) or DEFAULT_OUT


def run_of(args: Args) -> str:
    """The place of the run: a run directory, or an out folder whose LATEST names it."""
    return find_run(args.argument(RUN.name) or LATEST, out_of(args))


def find_run(run: str, out: str) -> str:
    """What is there under this very name comes first; only then is it an id."""
    if run == LATEST and not os.path.isdir(run):
        return out
    if os.sep not in run and not os.path.lexists(run):
        return os.path.join(out, run)
    return run

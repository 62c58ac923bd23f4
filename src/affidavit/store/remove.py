"""Removes runs under the lock. Their lines in the ledger stay: what was listed once is told as removed, never lost."""

from __future__ import annotations

from .held import held, status_in
from .listing import OutListing
from .lock import TIMEOUT
from .out import OutFolder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .listing import Listed
    from .lock import LockMode


def remove(path: str, *, lock: LockMode = "wait", lock_timeout: float = TIMEOUT) -> None:
    """Removes the run at `path`, a run directory. LATEST, should it name this run, names the newest committed one of
    the others, or is removed too. Raises Alive, NoBundle, Locked."""
    with held(path, lock, lock_timeout) as run:
        run.require_no_writer(status_in(run.descriptor))
        run.out.remove(run.name, _newest(OutListing(run.out.path).runs, run.name))


def _newest(runs: list[Listed], besides: str) -> str | None:
    return next((run.run_id for run in runs if run.is_committed and run.run_id != besides), None)


class Collected:
    """What a collection of old runs came to: the runs that went, and the unfinished ones, which stay."""

    __slots__ = ("kept", "removed", "unfinished")

    def __init__(self, kept: list[str], removed: list[Listed], unfinished: list[str]) -> None:
        self.kept = kept
        self.removed = removed
        self.unfinished = unfinished


def collect(
    out: str, keep: int, *, dry_run: bool = False, lock: LockMode = "wait", lock_timeout: float = TIMEOUT
) -> Collected:
    """Removes all but the newest `keep` committed runs of the out folder. The one that LATEST names stays, and so does
    every run that was not committed: it may be all that tells of a crash, and `abandon` makes it count."""
    with OutFolder(out, lock, lock_timeout) as folder:
        folder.tidy()
        listing = OutListing(out)
        committed = [run for run in listing.runs if run.is_committed and not run.is_alive]
        latest = listing.latest
        wanted = {run.run_id for run in committed[:keep]} | ({latest} if latest is not None else set())
        going = [run for run in committed if run.run_id not in wanted]
        if not dry_run:
            for run in going:
                folder.remove(run.run_id, None)
        unfinished = [run.run_id for run in listing.runs if not run.is_committed]
        return Collected([run.run_id for run in committed if run.run_id in wanted], going, unfinished)

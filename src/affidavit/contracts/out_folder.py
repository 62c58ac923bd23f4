"""An out folder: what LATEST, the ledger and the runs beside each other say of each other (seed 003, section 1.1;
contracts 2.6, 4.4). The runs and the ledger themselves have reports of their own."""

from __future__ import annotations

from ..rules.model import Contract, Fault, Finding, Report, Rule, Unchecked
from ..rules.shape import Anything
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LATEST = "LATEST"
LEDGER = "ledger.jsonl"


class Folder:
    """What was seen of an out folder: its runs, those of them that verify and have a result, the run ids in the ledger,
    and of a LATEST that names no committed run (expected, found)."""

    __slots__ = ("has_latest", "latest_fault", "listed", "results", "runs")

    def __init__(
        self,
        runs: list[str],
        results: list[str],
        listed: set[str],
        *,
        has_latest: bool,
        latest_fault: tuple[str, str] | None,
    ) -> None:
        self.runs = runs
        self.results = results
        self.listed = listed
        self.has_latest = has_latest
        self.latest_fault = latest_fault


def _latest_is_committed(folder: Folder) -> Iterator[Fault]:
    if folder.latest_fault is not None:
        yield Fault(*folder.latest_fault, LATEST)


def _results_are_listed(folder: Folder) -> Iterator[Fault]:
    for run_id in folder.results:
        if run_id not in folder.listed:
            yield Fault(f"its line in {LEDGER}", "none", run_id)


OUT_FOLDER = Contract(
    "out folder",
    "out-folder",
    lambda _level: Anything(),
    (
        Rule("OF1", "LATEST names a committed run", _latest_is_committed),
        Rule("OF2", "each result has its line in the ledger", _results_are_listed),
    ),
)


def examine_out_folder(folder: Folder) -> Report:
    """OF1 and OF2. A run that the ledger lists and that is gone was removed: nothing of it can be checked."""
    findings = [
        Finding(rule.id, str(fault.steps[0]), fault.expected, fault.found)
        for rule in OUT_FOLDER.rules
        if rule.check is not None
        for fault in rule.check(folder)
    ]
    gone = sorted(folder.listed - set(folder.runs))
    left = [Unchecked("OF2", f"{plain(run_id)}: the ledger lists it, its directory is gone") for run_id in gone]
    if not folder.has_latest:
        left.append(Unchecked("OF1", f"there is no {LATEST}"))
    checked = [rule.id for rule in OUT_FOLDER.rules]
    return Report(OUT_FOLDER.document, findings, checked, left, {"runs": len(folder.runs), "removed": len(gone)})

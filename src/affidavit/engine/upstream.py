"""Results of other engines: only out of sealed runs that verify (contracts 3, Coupling)."""

from __future__ import annotations

import os

from ..contracts.engine_bundle import examine_engine_bundle
from ..contracts.engine_family import META, OUTPUT
from ..kernel.seal import upstream_item
from ..rules.model import Finding
from ..shown import plain
from .bundle import read_bundle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

UPSTREAM = "UPSTREAM"


def upstream_results(paths: Iterable[str | os.PathLike[str]]) -> tuple[list[dict[str, Any]], list[Finding]]:
    """The results as they are handed over, and what is wrong with the runs that they are from. What was verified is
    what is handed over: each file was read once."""
    items: list[dict[str, Any]] = []
    findings: list[Finding] = []
    for path in paths:
        bundle = read_bundle(os.fspath(path))
        report = examine_engine_bundle(bundle)
        name = plain(os.path.basename(os.path.realpath(path)))
        if report.ok:
            items.append(upstream_item(bundle.value(META)["engine_code"], bundle.members[OUTPUT]))
        for found in report.findings:
            where = f"{name}/{found.path}" if found.path else name
            findings.append(Finding(UPSTREAM, where, found.expected, found.found, within=found.rule_id))
    return items, findings

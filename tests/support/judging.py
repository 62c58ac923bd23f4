"""Judges a vector, of whatever kind its document is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from affidavit.canon.reader import read
from affidavit.contracts.ledger import verify_ledger
from tests.support import engines, packs, run_directories
from tests.support.contracts import verifier_of

if TYPE_CHECKING:
    from affidavit.rules.model import Report
    from affidavit.values import Level
    from tests.support.vectors import Vector


def judged(vector: Vector) -> Report:
    level: Level = vector.level  # type: ignore[assignment]  # a header names one
    if vector.document == "ledger":
        return verify_ledger(vector.body, level=level)
    value: Any = read(vector.body)
    if vector.document == "pack":
        return packs.examined(value, level)
    if vector.document == "engine_bundle":
        return engines.examined(value["files"], value["folder"])
    if vector.document == "run_directory":
        return run_directories.examined(value, level)
    if vector.document == "out_folder":
        return run_directories.folder_examined(value)
    return verifier_of(vector.document)(value, level=level)

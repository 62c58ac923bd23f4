"""Verifies a pack where it lies (seed 004)."""

from __future__ import annotations

import os

from ..contracts.pack import examine_pack
from .open import open_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rules.model import Report
    from ..values import Level


def verify_pack(path: str | os.PathLike[str], *, level: Level = "spec") -> Report:
    """PK1-PK12 over the directory or the zip archive at `path`, read where it lies. Whatever is in it gives a Report; a
    path where no pack can be read raises AffidavitError."""
    manifest, reader = open_pack(os.fspath(path), level=level)
    try:
        return examine_pack(manifest, reader, level=level)
    finally:
        reader.close()

"""Packs on disk, as directories and as archives."""

from __future__ import annotations

import importlib
import os
import zipfile
from typing import TYPE_CHECKING

from affidavit.canon.jcs import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A pack's files and the documents that they hold.
DOCUMENTS = {
    "run.json": "run",
    "bundle.json": "bundle",
    "patch.json": "patch",
    "evidence.json": "evidence",
    "ledger.jsonl": "ledger",
    "policy.json": "policy",
    "runner.json": "runner",
}


def seven_members() -> dict[str, bytes]:
    """A valid pack of seven members, by name."""
    return {
        name: canonical(importlib.import_module(f"affidavit.contracts.{document}").EXAMPLE) + b"\n"
        for name, document in DOCUMENTS.items()
    }


def two_members() -> dict[str, bytes]:
    """A valid pack of no more than must be."""
    return {name: data for name, data in seven_members().items() if name in ("run.json", "bundle.json")}


def write_directory(path: str | os.PathLike[str], members: Mapping[str, bytes]) -> str:
    os.makedirs(path, exist_ok=True)
    for name, data in members.items():
        with open(os.path.join(path, name), "wb") as file:
            file.write(data)
    return os.fspath(path)


def write_archive(
    path: str | os.PathLike[str], members: Mapping[str, bytes], *, folder: str = "", method: int = zipfile.ZIP_DEFLATED
) -> str:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(folder + name, data)
    return os.fspath(path)

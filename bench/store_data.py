"""Runs of many sizes for the bench of the store, made without waiting for the disk."""

from __future__ import annotations

import hashlib
import os

from affidavit.canon.jcs import canonical
from affidavit.contracts.artifact_index import artifact_index, entry_of
from affidavit.contracts.run_status import EXAMPLE
from affidavit.contracts.run_status import NAME as STATUS

_PIECE = 1 << 20


def make_run(place: str, run_id: str, files: dict[str, int]) -> str:
    """A run directory of files of these sizes, as the store would have committed it; its path."""
    run = os.path.join(place, "out", run_id)
    os.makedirs(run)
    entries = []
    seed = os.urandom(_PIECE)
    for number, (path, size) in enumerate(files.items()):
        target = os.path.join(run, path)
        if "/" in path:
            os.makedirs(os.path.dirname(target), exist_ok=True)
        hasher = hashlib.sha256()
        with open(target, "wb") as file:
            left = size
            while left:
                piece = number.to_bytes(8, "little")[: min(left, 8)] + seed[: min(left, _PIECE) - min(left, 8)]
                hasher.update(piece)
                left -= file.write(piece)
        entries.append(entry_of(f"out/{run_id}/{path}", size, hasher.hexdigest(), None))
    status = canonical({**EXAMPLE, "run_id": run_id}) + b"\n"
    with open(os.path.join(run, STATUS), "wb") as file:
        file.write(status)
    digest = hashlib.sha256(status).hexdigest()
    entries.append(entry_of(f"out/{run_id}/{STATUS}", len(status), digest, EXAMPLE["schema_version"]))
    index = artifact_index(run_id, EXAMPLE["world_id"], entries, [], failed=False)
    with open(os.path.join(run, "artifact_index.json"), "wb") as file:
        file.write(canonical(index) + b"\n")
    return run


def many(count: int, size: int) -> dict[str, int]:
    """So many files of that size, a thousand to a directory."""
    return {f"data/{number // 1000:03}/{number:06}.bin": size for number in range(count)}

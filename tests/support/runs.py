"""Runs for tests: begun and committed through the store, with the least that a run needs."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.contracts.run import EXAMPLE
from affidavit.store.ledger import entry_of_run
from affidavit.store.writer import begin

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from affidavit.store.lock import LockMode
    from affidavit.store.writer import Writer

#: What a ledger tells of a run, without its id.
ENTRY: dict[str, Any] = {
    "intent_sha256": "sha256:" + "1" * 64,
    "bundle_sha256": "sha256:" + "2" * 64,
    "result_kind": "BUNDLE",
    "accepted": True,
    "mode": "none",
    "policy": "strict",
}


def begin_run(
    out: Path, run_id: str, *, lock: LockMode = "wait", lock_timeout: float = 30.0, plan_id: str = "harness"
) -> Writer:
    return begin(
        str(out),
        run_id,
        plan_id=plan_id,
        plan_digest="0" * 64,
        world_id="linux-x64-0123456789abcdef",
        channel="direct",
        lock=lock,
        lock_timeout=lock_timeout,
    )


def commit_run(
    out: Path, run_id: str, files: dict[str, bytes] | None = None, *, ledger: bool = False, lock: LockMode = "wait"
) -> Path:
    """A committed run with these files; its directory."""
    with begin_run(out, run_id, lock=lock) as writer:
        for path, data in ({"stdout": b"hello\n"} if files is None else files).items():
            writer.put(path, data)
        writer.commit(ledger={**ENTRY, "run_id": run_id} if ledger else None)
    return out / run_id


def edit_index(run: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """The index of a run, changed by hand and written as the store writes it."""
    path = run / "artifact_index.json"
    index = json.loads(path.read_bytes())
    edit(index)
    path.write_bytes(canonical(index) + b"\n")


def entry_in(index: dict[str, Any], name: str) -> dict[str, Any]:
    """The entry of a file, by the end of its path."""
    found: dict[str, Any] = next(entry for entry in index["artifacts"] if entry["path"].endswith(name))
    return found


def rewrite(run: Path, name: str, data: bytes) -> None:
    """A file of the run, replaced, and its entry made to fit: what an attacker does who can write all of it."""
    (run / name).write_bytes(data)

    def fit(index: dict[str, Any]) -> None:
        entry_in(index, "/" + name).update(file_size=len(data), sha256=hashlib.sha256(data).hexdigest())

    edit_index(run, fit)


def crashed_run(out: Path, run_id: str, files: dict[str, bytes] | None = None, *, plan_id: str = "harness") -> Path:
    """A run whose writer ended before it did, in another boot of this machine."""
    writer = begin_run(out, run_id, plan_id=plan_id)
    for name, data in ({"stdout": b"hello\n"} if files is None else files).items():
        writer.put(name, data)
    writer.close()
    path = out / run_id / "run_status.json"
    status = json.loads(path.read_bytes())
    path.write_bytes(canonical({**status, "writer_boot_id": "another-boot"}) + b"\n")
    return out / run_id


def uncommitted_run(out: Path, run_id: str) -> Path:
    """A run that ended, and whose writer did before the index was written."""
    run = crashed_run(out, run_id)
    path = run / "run_status.json"
    path.write_bytes(canonical({**json.loads(path.read_bytes()), "state": "complete"}) + b"\n")
    return run


def result_of(run_id: str) -> dict[str, Any]:
    """The example of a run result, as that of another run that said hello."""
    said = "sha256:" + hashlib.sha256(b"hello\n").hexdigest()
    return {**EXAMPLE, "run_id": run_id, "execution": {**EXAMPLE["execution"], "stdout_sha256": said}}


def result_run(out: Path, run_id: str, files: dict[str, bytes] | None = None) -> Path:
    """A committed run that has a result, and its line in the ledger."""
    run = result_of(run_id)
    with begin_run(out, run_id) as writer:
        for name, data in (files or {}).items():
            writer.put(name, data)
        writer.put_json("run.json", run)
        writer.commit(ledger=entry_of_run(run))
    return out / run_id

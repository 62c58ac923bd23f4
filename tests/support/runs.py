"""Runs for tests: begun and committed through the store, with the least that a run needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from affidavit.store.writer import begin

if TYPE_CHECKING:
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


def begin_run(out: Path, run_id: str, *, lock: LockMode = "wait", lock_timeout: float = 30.0) -> Writer:
    return begin(
        str(out),
        run_id,
        plan_id="harness",
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

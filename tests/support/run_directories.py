"""Run directories as one JSON value, for vectors: what they are called, their files as text, their index."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.contracts.artifact_index import artifact_index, entry_of, schema_version_in
from affidavit.contracts.out_folder import Folder, examine_out_folder
from affidavit.contracts.run import EXAMPLE as RUN
from affidavit.contracts.run_status import EXAMPLE as STATUS
from affidavit.store import fs
from affidavit.store.reader import validate
from affidavit.store.verify import latest_in
from tests.support.runs import result_of

if TYPE_CHECKING:
    from affidavit.rules.model import Report
    from affidavit.values import Level

RUN_ID: str = RUN["run_id"]


def text(value: object) -> str:
    return canonical(value).decode() + "\n"


def told() -> dict[str, Any]:
    """A committed run with a result and some output."""
    files = {
        "run_status.json": text({**STATUS, "run_id": RUN_ID}),
        "run.json": text(result_of(RUN_ID)),
        "policy.json": text(RUN["policy"]),
        "stdout": "hello\n",
        "outputs/page": "<p>\n",
    }
    made: dict[str, Any] = {"name": RUN_ID, "files": files, "index": None}
    index_anew(made)
    return made


def index_anew(run: dict[str, Any]) -> None:
    """The index over the files as they are: for edits that its digests should not tell of."""
    entries = []
    for path, content in run["files"].items():
        data = content.encode()
        schema = schema_version_in(path, data) if path.endswith((".json", ".jsonl")) and "/" not in path else None
        entries.append(entry_of(f"out/{RUN_ID}/{path}", len(data), hashlib.sha256(data).hexdigest(), schema))
    run["index"] = artifact_index(RUN_ID, STATUS["world_id"], entries, [], failed=False)


def write(run: dict[str, Any], place: Path) -> Path:
    """The directory itself; its path."""
    directory: Path = place / "out" / run["name"]
    for path, content in run["files"].items():
        target = directory / path
        os.makedirs(target.parent, exist_ok=True)
        target.write_bytes(content.encode())
    for path, kind in run.get("kinds", {}).items():
        if kind == "symlink":
            (directory / path).symlink_to("stdout")
        else:
            os.mkfifo(directory / path)
    index = run["index"]
    if index is not None:
        data = index.encode() if isinstance(index, str) else canonical(index) + b"\n"
        if run.get("indented"):
            data = json.dumps(index, indent=2).encode()
        (directory / "artifact_index.json").write_bytes(data)
    return directory


def examined(run: dict[str, Any], level: Level) -> Report:
    with tempfile.TemporaryDirectory() as place:
        return validate(write(run, Path(place)), level=level)


def folder_examined(told: dict[str, Any]) -> Report:
    """An out folder of these runs, each with an index, with this LATEST and these lines in its ledger."""
    with tempfile.TemporaryDirectory() as place:
        for run_id in told["runs"]:
            os.mkdir(os.path.join(place, run_id))
            Path(place, run_id, "artifact_index.json").touch()
        if told["latest"] is not None:
            Path(place, "LATEST").write_text(told["latest"], encoding="utf-8")
        out = fs.open_root(place)
        try:
            has_latest, fault = latest_in(out, place)
        finally:
            fs.close(out)
    listed = set(told["listed"])
    return examine_out_folder(Folder(told["runs"], told["results"], listed, has_latest=has_latest, latest_fault=fault))

"""Runs as older writers of this family left them on macOS: indented JSON, repo-relative indices that list some of the
files, none of our members, a channel that is asserted and not proven."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

WORLD = "sonoma-14.4.1-23E224-arm64-dyld-2c0602c5"
RUN_ID = "5d2bd3bc-8f4c-4b5e-9e39-6d6b9e2f7b11"
PREFIX = f"book/evidence/experiments/field2-filters/out/{RUN_ID}"

FRAME = {"world_id": WORLD, "run_id": RUN_ID}
PLAN = {"plan_id": "field2-filters", "plan_digest": "0b1d4f0e9d8f7c6b5a4938271605f4e3d2c1b0a9f8e7d6c5b4a3928170f6e5d4"}

PREFLIGHT: dict[str, Any] = {
    "schema_version": "runtime-tools.apply_preflight.v0.1",
    **FRAME,
    "profile": "book/profiles/field2.sb",
    "runner": "book/tools/runner/sandbox_runner",
    "sandbox_check_self": {"source": "sandbox_check", "pid": 991, "rc": 0, "errno": 0, "sandboxed": False},
    "status": "ok",
    "apply_ok": True,
    "apply_report": {"api": "sandbox_init", "rc": 0, "errno": 0, "err_class": "ok"},
    "exit_code": 0,
    "failure_stage": None,
    "command": ["sandbox_runner", "book/profiles/field2.sb", "--", "/usr/bin/true"],
}

PROBE = {
    "name": "read_hosts",
    "expectation_id": "field2:read_hosts",
    "operation": "file-read-data",
    "expected": "deny",
}
PROFILE = {"profile_path": "book/profiles/field2.sb", "mode": "sbpl", "family": "field2", "semantic_group": None}

MATRIX = {
    "world_id": WORLD,
    "profiles": {
        "field2": {
            "blob": PROFILE["profile_path"],
            "mode": "sbpl",
            "family": "field2",
            "semantic_group": None,
            "probes": [{**PROBE, "target": "/etc/hosts"}],
        }
    },
}


def documents() -> dict[str, Any]:
    """Each file of such a run by its name, but the index."""
    answer = {"status": "errno", "errno": 1, "failure_stage": "probe", "failure_kind": "EPERM"}
    result = {**PROBE, "path": "/etc/hosts", "actual": "deny", "match": True, "runtime_result": answer}
    event = {
        **FRAME,
        "profile_id": "field2",
        "scenario_id": "field2:read_hosts",
        "expectation_id": "field2:read_hosts",
        "operation": "file-read-data",
        "target": "/etc/hosts",
        "requested_path": "/etc/hosts",
        "observed_path": "/private/etc/hosts",
        "normalized_path": "/private/etc/hosts",
        "expected": "deny",
        "actual": "deny",
        "match": True,
        "intended_op_witnessed": True,
        "runtime_status": "errno",
        "errno": 1,
        "failure_stage": "probe",
        "failure_kind": "EPERM",
        "policy_layers": ["sbpl"],
    }
    return {
        "run_status.json": {
            "schema_version": "runtime-tools.run_status.v0.1",
            **FRAME,
            "channel": "launchd_clean",
            **PLAN,
            "state": "complete",
            "writer_pid": 991,
            "updated_at_unix": 1767700805.25,
            "error": None,
            "failure_stage": None,
        },
        "run_manifest.json": {
            "schema_version": "runtime-tools.run_manifest.v0.1",
            **FRAME,
            "channel": "launchd_clean",
            **PLAN,
            "dry_run": False,
            "stage_used": True,
            "stage_root": "/private/tmp/runtime-stage",
            "repo_root_context": "/Users/somebody/repo",
            "staged_output_root": "/private/tmp/runtime-stage/out",
            "output_root": PREFIX,
            "apply_preflight": {"path": f"{PREFIX}/apply_preflight.json", "record": PREFLIGHT},
        },
        "apply_preflight.json": PREFLIGHT,
        "expected_matrix.json": MATRIX,
        "expected_matrix.generated.json": MATRIX,
        "runtime_results.json": {
            "field2": {
                "schema_version": "runtime-tools.runtime_results.v0.1",
                "status": "ok",
                "profile_path": PROFILE["profile_path"],
                "probes": [{**result, "exit_code": 1, "command": ["cat", "/etc/hosts"]}],
            }
        },
        "runtime_events.normalized.json": [event],
    }


def write(out: str, *, index_schema: str = "runtime-tools.artifact_index.v0.1", **changed: Any) -> str:
    """The run in the folder `out`, with LATEST; `changed` documents by their first name. Its directory."""
    run = os.path.join(out, RUN_ID)
    os.makedirs(run)
    entries = []
    for name, document in documents().items():
        value = changed.get(name.split(".", maxsplit=1)[0], document)
        data = json.dumps(value, indent=2).encode()
        with open(os.path.join(run, name), "wb") as file:
            file.write(data)
        entry = {
            "path": f"{PREFIX}/{name}",
            "file_size": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        told = value.get("schema_version") if isinstance(value, dict) else None
        entries.append({**entry, "schema_version": told} if told else entry)
    with open(os.path.join(run, "notes.txt"), "w", encoding="ascii") as file:
        file.write("that no index of theirs lists\n")
    index = {"schema_version": index_schema, **FRAME, "artifacts": entries, "missing": [], "status": "ok"}
    with open(os.path.join(run, "artifact_index.json"), "w", encoding="ascii") as file:
        json.dump(index, file, indent=2)
    with open(os.path.join(out, "LATEST"), "w", encoding="ascii") as file:
        file.write(RUN_ID + "\n")
    return run

"""Runs of plans as the store commits them, from recordings: no sandbox is started for them."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any

from affidavit.contracts.apply_preflight import EXAMPLE as PREFLIGHT
from affidavit.contracts.plan import EXAMPLE as PLAN
from affidavit.contracts.plan import lanes_of, plan_digest
from affidavit.contracts.policy import built_in
from affidavit.contracts.probe_registry import EXAMPLE as PROBES
from affidavit.contracts.profile_registry import EXAMPLE as PROFILES
from affidavit.contracts.run_manifest import unit_of
from affidavit.kernel.compare import Seen
from affidavit.runtime.documents import Identity, documents, expected_files
from affidavit.runtime.plans import Planned
from affidavit.runtime.recording import Recorded
from affidavit.runtime.registry import Registry
from affidavit.store.index import prefix_for
from affidavit.store.writer import begin

if TYPE_CHECKING:
    from collections.abc import Callable

READ, MOUNT = ("strict", "read_host_file"), ("strict", "mount_tmpfs")
RUN_ID = "pr_mjz4k1s0_9f86d081"
WORLD = "linux-x64-9f86d081884c7d65"

#: What `Recorded.preflight` holds: all but what says which run it is of.
TOLD = {name: told for name, told in PREFLIGHT.items() if name not in ("schema_version", "run_id", "world_id")}


def planned(**changes: Any) -> Planned:
    plan = {**PLAN, "profiles": ["strict"], "lanes": {}, **changes}
    registry = Registry(plan["registry_id"], "", PROBES["probes"], PROFILES["profiles"], {"strict": built_in("strict")})
    return Planned(plan, registry)


def recorded(**changes: Any) -> Recorded:
    told: dict[str, Any] = {
        "scenario": {
            READ: Seen(reached=True, errno=2, requested="/outside/secret.txt", exit_code=0, command=("probe",)),
            MOUNT: Seen(reached=True, errno=1, requested="/workspace/out", exit_code=0, command=("probe",)),
        },
        "baseline": {READ: Seen(reached=True, requested="/x/secret.txt", observed="/x/secret.txt", exit_code=0)},
        "preflight": copy.deepcopy(TOLD),
    }
    return Recorded(**{**told, **changes})


def proof_of(channel: str, run_id: str = RUN_ID) -> dict[str, Any] | None:
    """What worker and manager would say of each other."""
    if channel == "direct":
        return None
    unit = unit_of(channel, run_id)
    is_unit = channel == "systemd_clean"
    told = {
        "pid": 4711,
        "unit": unit,
        "cgroup": f"/system.slice/{unit}" if is_unit else None,
        "invocation_id": "0f8fad5bd9cb469fa165708677289511" if is_unit else None,
    }
    return {"worker": {**told, "parent_pid": 1}, "manager": {**told, "manager_pid": 1}}


def commit(
    out: str,
    *,
    run_id: str = RUN_ID,
    channel: str = "launchd_clean",
    plan: Planned | None = None,
    seen: Recorded | None = None,
    dry_run: bool = False,
    proof: dict[str, Any] | None | bool = True,
    change: Callable[[str, bytes], bytes | None] = lambda _, data: data,
    more: dict[str, bytes] | None = None,
    fail: str = "",
) -> str:
    """A committed run; `change` may alter each file before it is written, or leave it out. Its directory."""
    plan = plan or planned()
    identity = Identity(
        run_id=run_id,
        world_id=WORLD,
        channel=channel,
        dry_run=dry_run,
        lanes=lanes_of(plan.plan, dry_run=dry_run),
        prefix=prefix_for(out, run_id),
    )
    told = proof_of(channel, run_id) if proof is True else proof or None
    with begin(
        out,
        run_id,
        plan_id=plan.plan["plan_id"],
        plan_digest=plan_digest(plan.plan),
        world_id=WORLD,
        channel=channel,
    ) as writer:
        for name, data in documents(plan, identity, Recorded() if dry_run else seen or recorded(), told):
            changed = change(name, data)
            if changed is not None:
                writer.put(name, changed)
        for name, data in (more or {}).items():
            writer.put(name, data)
        if fail:
            writer.fail(fail, expected=expected_files(plan.plan, identity))
        else:
            writer.commit(expected=expected_files(plan.plan, identity))
    return os.path.join(out, run_id)

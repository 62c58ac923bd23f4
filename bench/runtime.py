"""Plan runs and promotion: a plan beside the sandboxes it starts, emission beside the verification it rests on."""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

from affidavit.canon.jcs import canonical
from affidavit.contracts.plan import SCHEMA_VERSION as PLAN_VERSION
from affidavit.contracts.policy import built_in
from affidavit.kernel.conformance import PROBES
from affidavit.kernel.probes import registry, rules
from affidavit.runtime.promotion import emit_promotion_packet, verify_promotion
from affidavit.runtime.run import run_plan
from affidavit.sandbox.fixtures import Fixtures
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.prepare import prepare
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.runner import run
from affidavit.store.reader import load_bundle
from tests.support.plan_runs import commit

from .frame import Row, medians

_ROUNDS = 4
_PROBES, _FILES = 50, 10_000
POLICIES = {name: built_in(name) for name in ("strict", "dev")}


def quick() -> list[Any]:
    """Fifty probes that end by themselves: waiting for a limit is no cost of ours."""
    return [probe for probe in PROBES if not probe.ends and not probe.limits and not probe.needs][:_PROBES]


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as place:
        return [*_plan(place), *_promotion(place)]


def _plan(place: str) -> list[Row]:
    registries = _registries(os.path.join(place, "registries"))
    alone: dict[str, Any] = {"baseline": False, "oracle": False}
    taken: dict[str, list[float]] = {"starts": [], "scenario": [], "whole": []}
    for number in range(_ROUNDS):
        out = os.path.join(place, f"out-{number}")
        taken["starts"].append(_seconds(_starts))
        taken["scenario"].append(_seconds(lambda out=out: run_plan(_document(alone), out, registries=registries)))
        taken["whole"].append(_seconds(lambda out=out: run_plan(_document({}), out, registries=registries)))
    # the shortest: what else the machine does only ever adds
    starts, scenario, whole = (min(taken[name]) for name in ("starts", "scenario", "whole"))
    told = f"{2 * _PROBES} sandboxes that start the interpreter: {starts:.1f} s; the best of {_ROUNDS} rounds"
    return [
        Row(
            f"plan run, {_PROBES} probes x 2 profiles, all lanes", whole / starts, "x starts", at_most=1.5, control=told
        ),
        Row("the same, the lane scenario alone", scenario / starts, "x starts", at_most=1.5, control=told),
    ]


def _starts() -> None:
    """What the plan cannot do without: each sandbox, with the interpreter that the probe program needs."""
    with Fixtures() as fixtures, open(os.devnull, "wb") as nowhere:
        for policy in POLICIES.values():
            for number in range(_PROBES):
                workspace = os.path.join(fixtures.folder, f"{policy['name']}-{number}")
                os.mkdir(workspace)
                argv = (fixtures.interpreter, "-I", "-S", "-c", "pass")
                spec = prepare(SandboxRequest(policy, argv, workspace, also_commands=(fixtures.interpreter,)))
                if isinstance(spec, Gaps):
                    raise spec.error()
                run(spec, stdout=nowhere.fileno(), stderr=nowhere.fileno())


def _promotion(place: str) -> list[Row]:
    out = os.path.join(place, "promoted")
    files = {f"outputs/{number // 100}/{number}.txt": os.urandom(512) for number in range(_FILES)}
    run_directory = commit(out, more=files)
    packet = os.path.join(place, "packet.json")
    emit_promotion_packet(run_directory, packet)
    seconds = medians(
        {
            "load": lambda: load_bundle(run_directory),
            "emit": lambda: emit_promotion_packet(run_directory, packet),
            "judge": lambda: verify_promotion(packet, bundle=run_directory),
        },
        rounds=7,
    )
    told = f"load_bundle of the same {_FILES:,} files: {seconds['load'] * 1000:.0f} ms"
    return [
        Row("emit-promotion", seconds["emit"] / seconds["load"], "x load", at_most=1.2, control=told),
        Row("promotion-verify", seconds["judge"] / seconds["load"], "x load", at_most=1.2, control=told),
    ]


def _seconds(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _document(lanes: dict[str, bool]) -> dict[str, Any]:
    return {
        "schema_version": PLAN_VERSION,
        "plan_id": "bench",
        "registry_id": "bench",
        "profiles": list(POLICIES),
        "lanes": lanes,
        "apply_preflight_profile": "strict",
    }


def _registries(place: str) -> str:
    probes = quick()
    refs = [probe.probe_id for probe in probes]
    empty = {"mode": "bwrap", "family": None, "semantic_group": None, "probe_refs": refs, "notes": None}
    profiles = {
        name: {"profile_id": name, "profile_path": f"{name}.json", "key_specific_rules": rules(policy, probes), **empty}
        for name, policy in POLICIES.items()
    }
    entry = {"registry_id": "bench", "probes": "probes.json", "profiles": "profiles.json", "description": ""}
    documents: dict[str, Any] = {
        "index": {"schema_version": "runtime-tools.registry_index.v0.1", "registries": [entry]},
        "probes": registry("bench", probes),
        "profiles": {
            "schema_version": "runtime-tools.profile_registry.v0.2",
            "registry_id": "bench",
            "profiles": profiles,
        },
        **POLICIES,
    }
    os.mkdir(place)
    for name, document in documents.items():
        with open(os.path.join(place, f"{name}.json"), "wb") as file:
            file.write(canonical(document))
    return place

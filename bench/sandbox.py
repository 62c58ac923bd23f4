"""What our runner adds to bubblewrap: milliseconds of prepare and run beyond bwrap's own time for the same words."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

from affidavit.contracts.policy import built_in
from affidavit.sandbox.abilities import Ability, HostFacts
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.host import probe_host
from affidavit.sandbox.launch import Descriptors
from affidavit.sandbox.prepare import find_ground, find_system
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.runner import run
from affidavit.sandbox.seccomp import native_filter
from affidavit.sandbox.spawn import spawn
from affidavit.sandbox.spec import ARGS, BLOCK, FIRST_FILE, SECCOMP, STATUS, SandboxSpec, bwrap_words, plan, topmost

from .frame import Row, medians

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 41


def rows() -> list[Row]:
    listed = {**built_in("strict"), "name": "bench", "allowed_commands": ["true"]}
    open_policy = {**built_in("dev"), "name": "bench"}
    found = []
    with tempfile.TemporaryDirectory() as workspace, tempfile.TemporaryDirectory() as elsewhere:
        for name, policy, facts, at_most in (
            ("bare", open_policy, _facts(cgroups=False, rooms=False), 1.5),
            ("with a memory cgroup", open_policy, _facts(cgroups=True, rooms=False, pids=False), 2.5),
            ("everything on", listed, _facts(cgroups=True, rooms=True), 6.0),
        ):
            request = SandboxRequest(policy, ["/usr/bin/true"], workspace, degraded=["pids", "memory"])
            ours = _ours(request, facts)
            took = medians(
                {"ours": ours, "bwrap": _bare(_planned(request, facts), elsewhere)}, rounds=ROUNDS, seconds=0
            )
            found.append(
                Row(
                    f"runner, {name}, beyond bwrap",
                    (took["ours"] - took["bwrap"]) * 1000,
                    "ms",
                    at_most=at_most,
                    control=f"bwrap with the same words {took['bwrap'] * 1000:.1f} ms",
                )
            )
    return found


def _facts(*, cgroups: bool, rooms: bool, pids: bool = True) -> HostFacts:
    """This host, as if it had no more than that."""
    host = probe_host()
    abilities = [
        Ability(each.name, each.works and (rooms or each.name != "noexec"), each.found)
        for each in host.abilities.values()
    ]
    return HostFacts(
        abilities=abilities,
        as_root=host.as_root,
        bwrap=host.bwrap,
        bwrap_version=host.bwrap_version,
        unshare=host.unshare,
        mount=host.mount,
        memory_cgroup=host.memory_cgroup if cgroups else None,
        pids_cgroup=host.pids_cgroup if cgroups and pids else None,
        cpu_cgroup=host.cpu_cgroup if cgroups and pids else None,
    )


def _planned(request: SandboxRequest, facts: HostFacts) -> SandboxSpec:
    roots = topmost(request.policy["allowed_write_roots"])
    system = find_system(request)
    planned = plan(request, facts, system, find_ground(request, roots, system))
    if isinstance(planned, Gaps):
        raise SystemExit(f"the bench needs a host without gaps: {planned}")
    return planned


def _ours(request: SandboxRequest, facts: HostFacts) -> Callable[[], object]:
    for root in topmost(request.policy["allowed_write_roots"]):
        os.makedirs(f"{request.workspace}/{root}", exist_ok=True)

    def once() -> None:
        null = os.open(os.devnull, os.O_WRONLY)
        seen = run(_planned(request, facts), stdout=null, stderr=null)
        os.close(null)
        if seen.outcome != "exited":
            raise SystemExit(f"the bench's command did not end by itself: {seen.outcome} {seen.why}")

    return once


def _bare(spec: SandboxSpec, elsewhere: str) -> Callable[[], object]:
    """bubblewrap with the same words; where we bind file systems that we mounted first, it binds plain folders."""
    words = bwrap_words(spec, os.getpid())
    if spec.outer is not None:
        for room in spec.outer.rooms:
            os.makedirs(f"{elsewhere}/{room.name}", exist_ok=True)
        words = [
            f"{elsewhere}{word[len(spec.outer.base) :]}" if word.startswith(spec.outer.base + "/") else word
            for word in words
        ]

    def once() -> None:
        with Descriptors() as descriptors:
            null = descriptors.own(os.open(os.devnull, os.O_RDWR))
            go = descriptors.data(b"x")
            data = b"".join(os.fsencode(word) + b"\0" for word in words)
            given: dict[int, Any] = {0: null, 1: null, 2: null, ARGS: descriptors.data(data), STATUS: null, BLOCK: go}
            if spec.seccomp:
                given[SECCOMP] = descriptors.data(native_filter(listed=spec.listed))
            for at, content in enumerate(spec.setting.files().values()):
                given[FIRST_FILE + at] = descriptors.data(content)
            pid = spawn([spec.bwrap, "--args", str(ARGS), "--", *spec.argv], {}, given)
        if os.waitpid(pid, 0)[1]:
            raise SystemExit("bubblewrap itself did not run the bench's command")

    return once

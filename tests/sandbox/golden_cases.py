"""The sandboxes whose words are kept under golden/: `python -m tests.sandbox.golden_cases` writes them again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from affidavit.sandbox.abilities import ABILITIES, Ability, CgroupPlace, HostFacts
from affidavit.sandbox.gaps import Gaps
from affidavit.sandbox.request import SandboxRequest
from affidavit.sandbox.spec import Ground, SandboxSpec, System, bwrap_words, plan
from tests.support.sandbox import policy

if TYPE_CHECKING:
    from affidavit.sandbox.abilities import AbilityName

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
WORKSPACE = "/home/u/wörk space"
LISTED = System(
    ("--symlink", "usr/bin", "/bin", "--ro-bind", "/usr/bin/node", "/usr/bin/node"),
    companions=("ld-linux-x86-64.so.2",),
    listed=True,
    shell="none",
)
OPEN = System(("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin"))


def host(*gaps: AbilityName, version: int = 2, weaker: tuple[AbilityName, ...] = ()) -> HostFacts:
    lost = {*gaps, *weaker}
    places = {
        name: CgroupPlace(2 if version == 2 else 1, name, f"/sys/fs/cgroup/{name}")
        for name in ("memory", "pids")
        if name not in lost
    }
    return HostFacts(
        abilities=[Ability(name, name not in gaps, "seen", "", weaker=name in weaker) for name in ABILITIES],
        bwrap="/usr/bin/bwrap",
        bwrap_version=(0, 8, 0),
        unshare="/usr/bin/unshare",
        mount="/usr/bin/mount",
        memory_cgroup=places.get("memory"),
        pids_cgroup=places.get("pids"),
        cpu_cgroup=places.get("memory"),
    )


def planned(request: SandboxRequest, facts: HostFacts, system: System, ground: Ground) -> SandboxSpec:
    spec = plan(request, facts, system, ground)
    assert not isinstance(spec, Gaps), spec
    return spec


def cases() -> dict[str, SandboxSpec]:
    little, much = Ground(5000, 3, "/mnt", fits=True), Ground(1 << 30, 9000, "/mnt", fits=False)
    own = policy(allow_network=True, allowed_write_roots=["out", "out/inner", "deep/er"], allowed_commands=["node"])
    return {
        "strict": planned(SandboxRequest(policy("strict"), ["node", "a.js"], WORKSPACE), host(), LISTED, little),
        "dev": planned(
            SandboxRequest(policy(), ["make", "all"], WORKSPACE, environment={"CC": "gcc -g"}), host(), OPEN, little
        ),
        "dev-large": planned(SandboxRequest(policy(), ["make"], WORKSPACE), host(), OPEN, much),
        "custom": planned(
            SandboxRequest(own, ["node"], WORKSPACE, read_only={"/srv/engine": "/engine"}, noexec_workspace=True),
            host(version=1),
            LISTED,
            little,
        ),
        "degraded": planned(
            SandboxRequest(policy("strict"), ["node"], WORKSPACE, degraded=["seccomp", "noexec", "memory", "pids"]),
            host("seccomp", "noexec", "pids", weaker=("memory",)),
            LISTED,
            little,
        ),
    }


def told(spec: SandboxSpec) -> str:
    """Everything that is handed over, a word a line, option by option."""
    lines = ["# what is started", *spec.outer_words, spec.bwrap, *spec.argv]
    if spec.outer is not None:
        lines += ["# what is mounted first", *spec.outer.table().decode().splitlines()]
    lines.append("# words for bubblewrap")
    for word in bwrap_words(spec, 4242):
        if word.startswith("--") or not lines[-1].startswith("--"):
            lines.append(word)
        else:
            lines[-1] += f"  {word}"
    lines += ["# told of it", f"isolation_level {spec.isolation_level}"]
    lines += [f"enforced {name}: {by}" for name, by in sorted(spec.enforced.items())]
    lines += [f"warning {warning}" for warning in spec.warnings]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for name, spec in cases().items():
        with open(f"{HERE}/{name}.txt", "w", encoding="utf-8") as file:
            file.write(told(spec))

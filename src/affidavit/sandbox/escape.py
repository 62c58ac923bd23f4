"""Runs the escape suite inside the very sandbox that a policy yields, with the probe program and its interpreter added.

What it finds is compared with what the policy promises. A leak is something that got through and must not; as much a
fault is what must go on working and does not, and what was not shown either way is said to be that.
"""

from __future__ import annotations

import os
import tempfile

from ..kernel.conformance import PROBES
from ..kernel.probes import Ended, Said, judged
from .fixtures import Fixtures
from .gaps import Gaps
from .prepare import prepare
from .request import SandboxRequest
from .runner import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Literal

    from ..kernel.compare import Seen
    from ..kernel.probes import Decision, Probe
    from .abilities import AbilityName
    from .observation import Observation

    Verdict = Literal["held", "works", "leak", "broken", "not shown", "not tried"]

#: Of what a probe says; the rest of a flood is measured, not read.
_MOST_REPORT = 1 << 18


class Finding:
    """One probe, what was expected of it under the policy, and what was seen."""

    __slots__ = ("expected", "missing", "probe", "seen", "witnessed")

    def __init__(
        self,
        probe: Probe,
        expected: Decision,
        seen: Seen | None,
        *,
        missing: str | None = None,
        witnessed: Iterable[str] = (),
    ) -> None:
        self.probe = probe
        self.expected = expected
        self.seen = seen
        #: What the host lacks for the probe to show anything; then it was not tried.
        self.missing = missing
        #: What the host saw of it.
        self.witnessed = tuple(witnessed)

    @property
    def verdict(self) -> Verdict:
        if self.seen is None:
            return "not tried"
        observed = self.seen.decision
        if observed is None:
            return "not shown"
        if observed != self.expected:
            return "leak" if observed == "allow" else "broken"
        return "held" if observed == "deny" else "works"

    @property
    def is_fault(self) -> bool:
        return self.verdict in ("leak", "broken", "not shown")


def escape_suite(
    policy: Mapping[str, Any],
    *,
    probes: Iterable[Probe] = PROBES,
    degraded: Iterable[AbilityName] = (),
    fixtures: Fixtures | None = None,
    each: Callable[[Finding], None] | None = None,
) -> list[Finding]:
    """Every probe in a sandbox of its own, one after the other; `each` hears of one as soon as it is done. A sandbox
    that cannot be had raises, with its gaps (RUN_E005)."""
    if fixtures is None:
        with Fixtures() as made:
            return escape_suite(policy, probes=probes, degraded=degraded, fixtures=made, each=each)
    findings = []
    agreed = tuple(degraded)
    for probe in probes:
        missing = fixtures.missing(probe, policy)
        expected = probe.expected(policy)
        if missing is None:
            seen, witnessed = try_inside(fixtures, probe, policy, degraded=agreed)
            finding = Finding(probe, expected, seen, witnessed=witnessed)
        else:
            finding = Finding(probe, expected, None, missing=missing)
        findings.append(finding)
        if each is not None:
            each(finding)
    return findings


def try_inside(
    fixtures: Fixtures, probe: Probe, policy: Mapping[str, Any], *, degraded: Iterable[AbilityName] = ()
) -> tuple[Seen, list[str]]:
    """What was observed of one probe, and what the host saw of it."""
    with fixtures.trying(probe, policy, inside=True) as trying, tempfile.TemporaryFile(dir=fixtures.folder) as kept:
        request = SandboxRequest(
            policy,
            trying.argv,
            trying.workspace,
            read_only=trying.mounts,
            also_commands=(fixtures.interpreter,),
            degraded=degraded,
            timeout_ms=probe.limits.get("timeout_ms"),
            max_memory_bytes=probe.limits.get("max_memory_bytes"),
            max_cpu_seconds=probe.limits.get("max_cpu_seconds"),
            max_pids=probe.limits.get("max_pids"),
        )
        spec = prepare(request)
        if isinstance(spec, Gaps):
            raise spec.error()
        with open(os.devnull, "wb") as nowhere:
            observed = run(spec, stdout=kept.fileno(), stderr=nowhere.fileno())
        kept.seek(0)
        said = Said(kept.read(_MOST_REPORT))
        witnessed = trying.witnessed(said)
        if observed.stdout.size > spec.limits.max_output_bytes:
            witnessed.append("more output was kept than the policy allows")
        return judged(probe, said, _ended(observed), witnessed=bool(witnessed), command=trying.argv), witnessed


def _ended(observed: Observation) -> Ended:
    status = observed.status if observed.started else None
    return Ended(observed.outcome, signal=observed.signal, status=status)

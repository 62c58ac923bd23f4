"""`affidavit selftest [--policy P]`: tries to get out of the sandbox that a policy yields (contracts 5)."""

from __future__ import annotations

import errno

from ...contracts.policy import BUILT_IN_NAMES, built_in
from ...errors import UsageError
from ...kernel.conformance import PROBES
from ...sandbox.escape import Finding, escape_suite
from ...sandbox.fixtures import PROGRAM, Fixtures
from ...shown import plain
from ..args import Option, Verb, suggestion
from ..degraded import ALLOW_DEGRADED, degraded_of
from ..profile import profile_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...kernel.probes import Probe
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "selftest",
    "Tries to get out of the very sandbox that a policy yields, and tells what held. Each probe runs in a sandbox of "
    f"its own, to which only the probe program ({PROGRAM}, read-only) and its interpreter are added. It aims at files, "
    "listeners and a process that are made for it; nothing else on this host is touched.",
    options=(
        Option("--policy", "the profile", value="NAME", choices=BUILT_IN_NAMES, default="default"),
        Option("--policy-file", "a profile of your own instead", value="FILE"),
        ALLOW_DEGRADED,
        Option("--probe", "try only this one (can be given several times)", value="ID", many=True),
    ),
    examples=(
        ("affidavit selftest", "try everything under the profile default"),
        ("affidavit selftest --policy strict --json", "the same for a program, under strict"),
        ("affidavit selftest --probe mount_a_file_system --probe read_own_file", "try two things"),
    ),
    statuses=(
        (0, "nothing got out, and what must work works"),
        (1, "a leak; or something is broken, or was not shown either way"),
        (2, "could not run: no such sandbox can be had here"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer="`ok`, `policy`, `degraded`, `program`, `interpreter`, `counts` and `probes`, each with `verdict`",
)

_STYLES = {"held": "good", "works": "good", "leak": "bad", "broken": "bad", "not shown": "bad", "not tried": "quiet"}


def run(args: Args, out: Output) -> int:
    policy = profile_of(args) or built_in(args.text("--policy") or "default")
    degraded = degraded_of(args)
    probes = _probes(args.texts("--probe"))
    with Fixtures() as fixtures:
        if not out.for_program:
            out.lines(_head(policy, fixtures, len(probes)))
        told = _Table(out)
        findings = escape_suite(policy, probes=probes, degraded=degraded, fixtures=fixtures, each=told.add)
        interpreter = fixtures.interpreter
    faults = [finding for finding in findings if finding.is_fault]
    counts = {verdict: sum(finding.verdict == verdict for finding in findings) for verdict in _STYLES}
    if out.for_program:
        out.result(
            {
                "ok": not faults,
                "policy": policy["name"],
                "degraded": sorted(degraded),
                "program": PROGRAM,
                "interpreter": interpreter,
                "counts": counts,
                "probes": [_row(finding) for finding in findings],
            }
        )
    else:
        summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
        out.lines([("", ""), ("bad" if faults else "good", summary)])
    return 1 if faults else 0


def _probes(names: list[str]) -> list[Probe]:
    known = {probe.probe_id: probe for probe in PROBES}
    for name in names:
        if name not in known:
            raise UsageError("USAGE", f"no probe is called {plain(name)!r}{suggestion(name, known)}")
    return [probe for probe in PROBES if not names or probe.probe_id in names]


def _head(policy: dict[str, Any], fixtures: Fixtures, count: int) -> list[tuple[str, str]]:
    return [
        ("head", f"{count} probes under the policy {policy['name']}"),
        ("quiet", f"by {PROGRAM} and its interpreter {plain(fixtures.interpreter)}"),
    ]


class _Table:
    """A line for each probe as soon as it is done, under its operation."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._operation = ""

    def add(self, finding: Finding) -> None:
        if self._out.for_program:
            return
        lines = []
        if finding.probe.operation != self._operation:
            self._operation = finding.probe.operation
            lines.append(("head", f"\n{self._operation:<36}  expected  observed"))
        observed = (finding.seen and finding.seen.decision) or "-"
        told = f"  {finding.probe.name:<34}  {finding.expected:<8}  {observed:<8}  {finding.verdict:<9}  "
        self._out.lines([*lines, (_STYLES[finding.verdict], (told + _why(finding)).rstrip())])


def _why(finding: Finding) -> str:
    """What was answered, or what is missing."""
    if finding.seen is None:
        return f"needs: {finding.missing}"
    if finding.witnessed:
        return "; ".join(finding.witnessed)
    words = [finding.seen.kind or ""]
    if finding.seen.errno:
        words.insert(0, errno.errorcode.get(finding.seen.errno, str(finding.seen.errno)))
    return ", ".join(word for word in words if word)


def _row(finding: Finding) -> dict[str, Any]:
    seen = finding.seen
    return {
        "probe_id": finding.probe.probe_id,
        "operation": finding.probe.operation,
        "target": finding.probe.target,
        "expected": finding.expected,
        "observed": seen and seen.decision,
        "errno": seen and seen.errno,
        "stage": seen and seen.answer()["failure_stage"],
        "kind": seen and seen.kind,
        "witnessed": [*finding.witnessed],
        "missing": finding.missing,
        "controls": [*finding.probe.controls],
        "verdict": finding.verdict,
    }

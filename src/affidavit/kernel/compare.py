"""What was seen against what was expected: the documents of a plan run that follow from its recordings. Pure.

Everything here is a function of recorded values, so it is tested on recordings alone, and anybody can work it out
again from a bundle.
"""

from __future__ import annotations

from ..contracts.baseline_results import SCHEMA_VERSION as BASELINE_VERSION
from ..contracts.mismatch_packets import SCHEMA_VERSION as PACKET_VERSION
from ..contracts.mismatch_packets import reason_of
from ..contracts.mismatch_summary import counted
from ..contracts.oracle_results import SCHEMA_VERSION as ORACLE_VERSION
from ..contracts.path_witnesses import RECORD_VERSION, differs, normalized_path
from ..contracts.path_witnesses import SCHEMA_VERSION as WITNESSES_VERSION
from ..contracts.runtime_results import SCHEMA_VERSION as RESULTS_VERSION
from ..contracts.summary import SCHEMA_VERSION as SUMMARY_VERSION
from ..shown import plain
from .matrix import expectation_id, expected

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from .matrix import Resolved

    Row = dict[str, Any]


class Seen:
    """What one probe reported: whether it reached its operation, and what the kernel answered. `stage` and `kind` say
    where and why it stopped when it did not reach it."""

    __slots__ = ("command", "errno", "exit_code", "kind", "observed", "observed_errno", "reached", "requested", "stage")

    def __init__(
        self,
        *,
        reached: bool,
        errno: int | None = None,
        requested: str | None = None,
        observed: str | None = None,
        observed_errno: int | None = None,
        stage: str | None = None,
        kind: str | None = None,
        exit_code: int | None = None,
        command: tuple[str, ...] = (),
    ) -> None:
        self.reached = reached
        self.errno = errno
        self.requested = requested
        self.observed = observed
        self.observed_errno = observed_errno
        self.stage = stage
        self.kind = kind
        self.exit_code = exit_code
        self.command = command

    @property
    def decision(self) -> str | None:
        """Never from an exit code: an operation that was not reached is neither allowed nor denied."""
        if not self.reached:
            return None
        return "deny" if self.errno else "allow"

    def answer(self) -> Row:
        """`runtime_result`."""
        if not self.reached:
            stage = self.stage or "bootstrap"
            return {"status": "blocked", "errno": self.errno, "failure_stage": stage, "failure_kind": self.kind}
        if self.errno:
            return {"status": "errno", "errno": self.errno, "failure_stage": "probe", "failure_kind": self.kind}
        return {"status": "success", "errno": None, "failure_stage": None, "failure_kind": None}


class Recording:
    """All that the lanes of one run recorded. The keys of `scenario` and `baseline` are pairs of profile and probe."""

    __slots__ = ("baseline", "channel", "oracle", "resolved", "run_id", "scenario", "world_id")

    def __init__(
        self,
        resolved: Resolved,
        *,
        world_id: str,
        run_id: str,
        channel: str,
        scenario: dict[tuple[str, str], Seen],
        baseline: dict[tuple[str, str], Seen],
        oracle: dict[tuple[str, str], tuple[str | None, str]],
    ) -> None:
        self.resolved = resolved
        self.world_id = world_id
        self.run_id = run_id
        self.channel = channel
        self.scenario = scenario
        self.baseline = baseline
        #: the decision, and the stage at which the profile settles it
        self.oracle = oracle

    def frame(self, schema_version: str) -> Row:
        return {"schema_version": schema_version, "world_id": self.world_id, "run_id": self.run_id}


def _key(profile: Row, probe: Row) -> tuple[str, str]:
    return profile["profile_id"], probe["probe_id"]


def runtime_results(recording: Recording) -> Row:
    """`runtime_results.json`."""
    results: Row = {}
    for profile in recording.resolved.profiles.values():
        results[profile["profile_id"]] = {
            "schema_version": RESULTS_VERSION,
            "run_id": recording.run_id,
            "profile_path": profile["profile_path"],
            "probes": [],
        }
    for profile, probe in recording.resolved.pairs("scenario"):
        seen = recording.scenario[_key(profile, probe)]
        wanted = expected(profile, probe)
        results[profile["profile_id"]]["probes"].append(
            {
                "name": probe["name"],
                "expectation_id": expectation_id(profile, probe),
                "operation": probe["operation"],
                "path": seen.requested,
                "expected": wanted,
                "actual": seen.decision,
                "match": None if seen.decision is None else seen.decision == wanted,
                "runtime_result": seen.answer(),
                "exit_code": seen.exit_code,
                "command": [*seen.command],
            }
        )
    for result in results.values():
        witnessed = [probe["actual"] is not None for probe in result["probes"]]
        result["status"] = "ok" if all(witnessed) else "partial" if any(witnessed) else "blocked"
    return results


def normalized_events(recording: Recording) -> list[Row]:
    """`runtime_events.normalized.json`, by expectation."""
    events = []
    for profile, probe in recording.resolved.pairs("scenario"):
        seen = recording.scenario[_key(profile, probe)]
        wanted, expectation = expected(profile, probe), expectation_id(profile, probe)
        answer = seen.answer()
        event: Row = {
            "world_id": recording.world_id,
            "run_id": recording.run_id,
            "profile_id": profile["profile_id"],
            "scenario_id": expectation,
            "expectation_id": expectation,
            "operation": probe["operation"],
            "target": probe["target"],
            "expected": wanted,
            "actual": seen.decision,
            "match": None if seen.decision is None else seen.decision == wanted,
            "intended_op_witnessed": seen.reached,
            "runtime_status": answer["status"],
            "errno": answer["errno"],
            "failure_stage": answer["failure_stage"],
            "failure_kind": answer["failure_kind"],
            "policy_layers": [profile["mode"]],
        }
        if seen.requested is not None or seen.observed is not None:
            normalized, _ = normalized_path(seen.requested, seen.observed)
            event |= {
                "requested_path": seen.requested,
                "observed_path": seen.observed,
                "normalized_path": normalized,
            }
        events.append(event)
    return events


def baseline_results(recording: Recording) -> Row:
    """`baseline_results.json`."""
    rows = []
    for profile, probe in recording.resolved.pairs("baseline"):
        seen = recording.baseline[_key(profile, probe)]
        row: Row = {
            "name": f"baseline:{profile['profile_id']}:{probe['name']}",
            "profile_id": profile["profile_id"],
            "probe_name": probe["name"],
            "operation": probe["operation"],
            "target": probe["target"],
            "status": seen.decision,
            "exit_code": seen.exit_code,
        }
        if seen.decision is None:
            row["error"] = seen.kind or "the operation was not reached"
        rows.append(row)
    return {**recording.frame(BASELINE_VERSION), "results": rows}


def oracle_results(recording: Recording) -> Row:
    """`oracle_results.json`."""
    rows = []
    for profile, probe in recording.resolved.pairs("oracle"):
        decision, stage = recording.oracle[_key(profile, probe)]
        rows.append(
            {
                "expectation_id": expectation_id(profile, probe),
                "operation": probe["operation"],
                "argument": probe["target"],
                "decision": decision,
                "stage": stage,
            }
        )
    return {**recording.frame(ORACLE_VERSION), "results": rows}


def canonicalization(seen: Seen) -> Row:
    """Whether the kernel's spelling of the path is another than the one asked for."""
    return {"alias_pair": differs(seen.requested, seen.observed), "nofirmlink_differs": None}


def path_witnesses(recording: Recording) -> Row:
    """`path_witnesses.json`: a record for each probe that asked for a path."""
    records = []
    for lane, all_seen in (("baseline", recording.baseline), ("scenario", recording.scenario)):
        for profile, probe in recording.resolved.pairs(lane):
            seen = all_seen.get(_key(profile, probe))
            if seen is None or (seen.requested is None and seen.observed is None):
                continue
            normalized, source = normalized_path(seen.requested, seen.observed)
            records.append(
                {
                    "schema_version": RECORD_VERSION,
                    "lane": lane,
                    "profile_id": profile["profile_id"],
                    "scenario_id": expectation_id(profile, probe),
                    "operation": probe["operation"],
                    "requested_path": seen.requested,
                    "observed_path": seen.observed,
                    "observed_path_source": "unavailable" if seen.observed is None else "proc_fd_readlink",
                    "observed_path_errno": seen.observed_errno,
                    "observed_path_nofirmlink": None,
                    "observed_path_nofirmlink_source": "unavailable",
                    "observed_path_nofirmlink_errno": None,
                    "normalized_path": normalized,
                    "normalized_path_source": source,
                    "canonicalization": canonicalization(seen),
                    "decision": seen.decision,
                }
            )
    return {**recording.frame(WITNESSES_VERSION), "records": records}


#: What stopped a probe before its operation, by the stage at which it did.
_STOPPED = {"preflight": "preflight_blocked", "apply": "apply_gate", "probe": "op_not_witnessed"}

#: The profile lets the probe program itself not start.
EXEC_DENIED = "exec denied"


def mismatch_type(seen: Seen, wanted: str) -> str | None:
    """What kind of mismatch it is, None where it is none."""
    if not seen.reached:
        stage = seen.stage or "bootstrap"
        if stage == "bootstrap":
            return "bootstrap_deny_process_exec" if seen.kind == EXEC_DENIED else "bootstrap_failed"
        return _STOPPED[stage]
    if seen.decision == wanted:
        return None
    if canonicalization(seen)["alias_pair"]:
        return "canonicalization_boundary"
    return "unexpected_deny" if wanted == "allow" else "unexpected_allow"


def mismatch_summary(recording: Recording, generated_by: str) -> Row:
    """`mismatch_summary.json`."""
    rows = []
    if recording.scenario:
        for profile, probe in recording.resolved.pairs("scenario"):
            seen = recording.scenario[_key(profile, probe)]
            wanted = expected(profile, probe)
            kind = mismatch_type(seen, wanted)
            if kind is not None:
                rows.append(
                    {
                        "profile_id": profile["profile_id"],
                        "expectation_id": expectation_id(profile, probe),
                        "operation": probe["operation"],
                        "path": seen.requested,
                        "expected": wanted,
                        "actual": seen.decision,
                        "mismatch_type": kind,
                    }
                )
    return {
        "world_id": recording.world_id,
        "generated_by": generated_by,
        "mismatches": rows,
        "counts": counted(rows),
    }


def mismatch_packets(recording: Recording, run_manifest: str) -> list[Row]:
    """The lines of `mismatch_packets.jsonl`: each mismatch with all that the other lanes say about it."""
    packets = []
    for profile, probe in recording.resolved.pairs("scenario") if recording.scenario else ():
        key = _key(profile, probe)
        seen, wanted = recording.scenario[key], expected(profile, probe)
        if seen.decision == wanted:
            continue
        bare, oracle = recording.baseline.get(key), recording.oracle.get(key)
        baseline = None if bare is None else {"status": bare.decision}
        told = None if oracle is None else {"decision": oracle[0], "stage": oracle[1]}
        paths = canonicalization(seen)
        packets.append(
            {
                "schema_version": PACKET_VERSION,
                "expectation_id": expectation_id(profile, probe),
                "run_context": {
                    "run_id": recording.run_id,
                    "channel": recording.channel,
                    "world_id": recording.world_id,
                    "run_manifest": run_manifest,
                },
                "decision_event": {
                    "profile_id": profile["profile_id"],
                    "operation": probe["operation"],
                    "actual": seen.decision,
                    **seen.answer(),
                },
                "expected": wanted,
                "baseline": baseline,
                "oracle_check": told,
                "canonicalization": paths,
                "mismatch_reason": reason_of(seen.decision, baseline, told, paths),
            }
        )
    return packets


def summary(
    recording: Recording,
    *,
    plan_digest: str,
    lanes: dict[str, bool],
    counts: dict[str, int],
    dry_run: bool,
    failed: bool,
) -> Row:
    """`summary.json`."""
    planned = sum(1 for _ in recording.resolved.pairs("scenario"))
    unseen = any(not seen.reached for seen in recording.scenario.values())
    status = "failed" if failed else "dry" if dry_run else "partial" if unseen else "ok"
    return {
        **recording.frame(SUMMARY_VERSION),
        "status": status,
        "plan_id": recording.resolved.plan["plan_id"],
        "plan_digest": plan_digest,
        "channel": recording.channel,
        "lanes": lanes,
        "profile_count": len(recording.resolved.profiles),
        "scenario_count": planned,
        "mismatch_counts": counts,
        "dry_run": dry_run,
    }


def summary_text(told: Row, mismatches: Iterable[Row]) -> str:
    """`summary.md`: the summary for a person."""
    lines = [
        f"# {_cell(told['plan_id'])}: {told['status']}",
        "",
        f"{tried_by(told)}, channel {told['channel']}.",
        "",
    ]
    members = ("expectation_id", "operation", "expected", "actual", "mismatch_type")
    rows = ["| " + " | ".join(_cell(row[member]) for member in members) + " |" for row in mismatches]
    if rows:
        lines += ["| expectation | operation | expected | actual | mismatch |", "|---|---|---|---|---|", *rows]
    else:
        tried = told["lanes"]["scenario"] and told["scenario_count"]
        lines.append("Everything that was tried was as expected." if tried else "Nothing was tried.")
    return "\n".join(lines) + "\n"


def tried_by(told: Row) -> str:
    """How much a run was to try."""
    probes, profiles = told["scenario_count"], told["profile_count"]
    return f"{probes} probe{'s' * (probes != 1)} under {profiles} profile{'s' * (profiles != 1)}"


def _cell(value: str | None) -> str:
    """Text in a table: it can neither end its cell nor its line."""
    return "-" if value is None else plain(value).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")

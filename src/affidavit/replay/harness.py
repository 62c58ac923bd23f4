"""Replays a run of the harness, from its run directory or from a pack: what was proposed is carried out again on a copy
of the workspace that the run began with. What the record lacks for that is told by name."""

from __future__ import annotations

import os
import tempfile

from ..canon.jcs import canonical
from ..canon.profiles import RAW
from ..canon.reader import read
from ..contracts import pack
from ..contracts.proposal import command_of
from ..harness.acceptance import judge_tests
from ..harness.changes import Changes, open_output_below
from ..harness.operations import carry_out
from ..harness.workspace import Limits, copy_workspace
from ..kernel.decide import decide
from ..kernel.propose import propose
from ..sandbox.gaps import Gaps
from ..sandbox.prepare import prepare
from ..sandbox.request import SandboxRequest
from ..sandbox.runner import run
from ..sandbox.setting import WORKSPACE
from ..store import durable, fs
from .again import run_again
from .hold import copy_in_another_order
from .means import Means, cannot, place_for
from .recorded import RESULTS, Recorded, digest_text, results
from .result import Replayed
from .subject import Failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..sandbox.abilities import AbilityName
    from ..sandbox.observation import Observation
    from .conditions import Conditions, Source, Variation
    from .normalise import Normalisers

_EXECUTED = "harness run"
_DECIDED = "decision"


def replay_harness(
    path: str | os.PathLike[str],
    workspace: str | os.PathLike[str] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    times: int = 1,
    vary: Sequence[Variation] = (),
    normalisers: Normalisers | None = None,
    degraded: Sequence[AbilityName] = (),
    progress: Callable[[str], None] = lambda _told: None,
) -> Replayed:
    """The run at `path`, a run directory, an out folder or a pack. Where something was executed it is executed again on
    a copy of `workspace`; where something was only decided it is decided again."""
    recorded = Recorded(os.fspath(path))
    if not all(check.status == "pass" for check in recorded.checks):
        return Replayed(_EXECUTED, recorded.checks, [], [])
    given = dict(environment or {})
    if recorded.execution is None:
        missing = _missing_to_decide(recorded)
        subject: DecisionSubject | HarnessSubject | None = None if missing else DecisionSubject(recorded)
    else:
        missing = _missing_to_execute(recorded, workspace, given)
        subject = None if missing else HarnessSubject(recorded, os.fspath(workspace or ""), given, stdin, degraded)
    what = _EXECUTED if recorded.execution is not None else _DECIDED
    if subject is None:
        return Replayed(what, recorded.checks, [], missing)
    outcome = run_again(subject, times=times, vary=vary, normalisers=normalisers, progress=progress)
    return Replayed(what, recorded.checks, [], missing, outcome)


def _missing_to_decide(recorded: Recorded) -> list[str]:
    if recorded.intent is None:
        return ["the intent: a pack does not carry it, the run's directory does"]
    if recorded.run["model_mode"] != "none":
        return ["the model's answers: what it said entered the decision"]
    return []


def _missing_to_execute(
    recorded: Recorded, workspace: str | os.PathLike[str] | None, given: Mapping[str, str]
) -> list[str]:
    missing: list[str] = []
    if pack.BUNDLE not in recorded.documents:
        missing.append(f"{pack.BUNDLE}: what was proposed")
    if workspace is None:
        missing.append("the workspace: name the folder that the run began with by --workspace DIR (an empty one if so)")
    if not recorded.was_sandboxed():
        missing.append("a sandbox: the run had none, so nothing of the host was held still")
    declared = {name for command in _commands(recorded) for name in command.get("env", {})}
    unknown = [name for name in recorded.variables() if name not in given and name not in declared]
    return missing + [f"the variable {name}: give it by --env {name}=VALUE" for name in unknown]


def _commands(recorded: Recorded) -> list[dict[str, Any]]:
    bundle = recorded.documents.get(pack.BUNDLE)
    if bundle is None:
        return []
    return [command_of(action) for action in propose(bundle)["actions"] if action["type"] == "execute_command"]


class DecisionSubject:
    """What the kernel answered to an intent. It knows no clock and no chance: no condition can make a difference."""

    def __init__(self, recorded: Recorded) -> None:
        assert recorded.intent is not None
        self._intent: Any = read(recorded.intent)
        self._policy = recorded.run["policy"]
        self.sealed_at: str | None = None
        run = recorded.run
        self.sealed = {"kind": canonical(run["kernel_result_kind"])}
        if pack.BUNDLE in recorded.documents:
            self.sealed[pack.BUNDLE] = canonical(recorded.documents[pack.BUNDLE])

    def cannot(self, _condition: Variation | Source) -> str:
        return "the kernel decides by the intent and the policy alone"

    def run(self, _conditions: Conditions) -> dict[str, bytes] | Failed:
        outcome = decide(self._intent, self._policy)
        made = {"kind": canonical(outcome.kind)}
        if outcome.kind != "REFUSE":
            made[pack.BUNDLE] = canonical(outcome.bundle)
        return made


class HarnessSubject:
    """What was carried out, as something that can be carried out again."""

    def __init__(
        self,
        recorded: Recorded,
        workspace: str,
        given: Mapping[str, str],
        stdin: bytes,
        degraded: Sequence[AbilityName],
    ) -> None:
        self._policy = recorded.run["policy"]
        self._proposal = propose(recorded.documents[pack.BUNDLE])
        self._workspace = workspace
        self._given = given
        self._stdin = stdin
        self._degraded = degraded
        self._by_digest = recorded.is_pack
        self.sealed = recorded.made()
        self.sealed_at: str | None = recorded.run["completed_at"]

    def cannot(self, condition: Variation | Source) -> str:
        if condition == "cwd":
            return f"commands always run in {WORKSPACE}"
        return cannot(condition)

    def run(self, conditions: Conditions) -> dict[str, bytes] | Failed:
        with tempfile.TemporaryDirectory(prefix="affidavit-replay-", dir=place_for(conditions)) as scratch:
            return _Again(self, conditions, scratch).carry_out()

    def _shown(self, data: bytes) -> bytes:
        return digest_text(RAW.digest(data).content_hash) if self._by_digest else data


class _Again:
    """One execution, in a directory of its own."""

    def __init__(self, subject: HarnessSubject, conditions: Conditions, scratch: str) -> None:
        self._subject = subject
        self._conditions = conditions
        self._scratch = scratch
        self._means = Means(conditions, scratch)
        self._said = {"stdout": b"", "stderr": b""}
        self._rows: list[dict[str, Any]] = []

    def carry_out(self) -> dict[str, bytes] | Failed:
        subject = self._subject
        original = subject._workspace
        if "order" in self._conditions.varied:
            original = os.path.join(self._scratch, "original")
            os.mkdir(original)
            copy_in_another_order(subject._workspace, original, self._conditions.attempt)
        place = os.path.join(self._scratch, "workspace")
        os.mkdir(place, 0o755)
        copied = copy_workspace(original, place, out=self._scratch, limits=Limits())
        _, reasons = carry_out(place, subject._proposal)
        if reasons:
            return Failed("; ".join(reasons))
        if why := self._run_commands(place):
            return Failed(why)
        exit_codes = {row["test_id"]: row["exit_code"] for row in self._rows}
        self._rows += judge_tests(place, subject._proposal, exit_codes)
        left = Changes(copied, subject._policy["allowed_write_roots"]).collect()
        made = {name: subject._shown(data) for name, data in self._said.items()}
        top = durable.open_directory(place)
        try:
            for path, _ in left.outputs:
                made["outputs/" + path] = subject._shown(_content(top, path))
        finally:
            os.close(top)
        if RESULTS in subject.sealed:
            made[RESULTS] = results(self._rows)
        return made

    def _run_commands(self, place: str) -> str:
        """In order, until a required one does not end with 0; why no sandbox could be made, if none could."""
        given = self._subject._stdin
        left_ms = self._subject._policy["timeout_ms"]
        for action in self._subject._proposal["actions"]:
            if action["type"] != "execute_command":
                continue
            command = command_of(action)
            stdin, given = (command["stdin"].encode(), given) if "stdin" in command else (given, b"")
            observation = self._run_one(place, command, stdin, max(left_ms, 1))
            if observation.sandbox_failed:
                return f"no sandbox could be made: {observation.why}"
            left_ms -= observation.duration_ms
            status = observation.status
            self._rows.append({"test_id": command["id"], "exit_code": status, "passed": status == 0})
            stopped = observation.outcome in ("interrupted", "over_output_cap", "timed_out")
            if (action["required"] and status != 0) or stopped or left_ms <= 0:
                break
        return ""

    def _run_one(self, place: str, command: dict[str, Any], stdin: bytes, timeout_ms: int) -> Observation:
        environment = {**command.get("env", {}), **self._subject._given}
        spec = prepare(
            SandboxRequest(
                self._subject._policy,
                self._means.argv(command["argv"]),
                place,
                environment=self._means.environment(environment),
                stdin=stdin,
                timeout_ms=timeout_ms,
                degraded=self._subject._degraded,
                read_only=self._means.read_only,
                also_commands=self._means.also_commands,
                setting=self._conditions.setting(WORKSPACE),
            )
        )
        if isinstance(spec, Gaps):
            raise spec.error()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, self._means.inherited():
            observation = run(spec, stdout=out.fileno(), stderr=err.fileno())
            for name, file in (("stdout", out), ("stderr", err)):
                file.seek(0)
                self._said[name] += file.read()
        return observation


def _content(top: int, path: str) -> bytes:
    opened = open_output_below(top, path)
    try:
        pieces: list[bytes] = []
        while piece := os.read(opened, fs.CHUNK):
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        os.close(opened)

"""Carries a proposal out in a copy of the workspace: file operations, commands in order, tests, and what was left.

Nothing that ran goes unrecorded: a command that fails, is stopped or is killed ends the commands, and everything up to
there is evidence. Only what keeps a sandbox from being built or started is an error (RUN_E005).
"""

from __future__ import annotations

import os

from ..canon.order import in_order
from ..contracts.proposal import command_of
from ..errors import AffidavitError
from ..sandbox.gaps import Gaps
from ..sandbox.host import probe_host
from ..sandbox.prepare import prepare
from ..sandbox.record import runner_record
from ..sandbox.remembered import forget
from ..sandbox.request import SEARCH, SandboxRequest
from ..sandbox.runner import run
from ..sandbox.tools import find_tools
from ..shown import plain
from ..store.scratch import Scratch
from .acceptance import judge_tests
from .changes import Changes
from .errors import SANDBOX, RunError, because
from .operations import carry_out
from .workspace import Stopped, copy_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..sandbox.observation import Observation
    from ..sandbox.spec import SandboxSpec
    from .changes import Left
    from .identity import Clock
    from .interrupt import Interrupt
    from .request import Request
    from .streams import Streams
    from .workspace import Copied

#: What the sandbox has of the host; other absolute paths lead nowhere inside.
_INSIDE = ("/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/sbin", "/tmp", "/usr", "/workspace")  # noqa: S108


class Ran:
    """One command that was run: its id, what was seen, and the digests of what it said."""

    __slots__ = ("command_id", "observation", "required", "stderr_sha256", "stdout_sha256", "tail")

    def __init__(
        self, command_id: str, observation: Observation, digests: tuple[str, str], *, required: bool, tail: bytes
    ) -> None:
        self.command_id = command_id
        self.observation = observation
        self.stdout_sha256, self.stderr_sha256 = digests
        self.required = required
        #: The end of its standard error, for whoever explains to a person what went wrong.
        self.tail = tail

    def result(self) -> dict[str, Any]:
        status = self.observation.status
        return {
            "test_id": self.command_id,
            "passed": status == 0,
            "exit_code": status,
            "stdout_sha256": self.stdout_sha256,
            "stderr_sha256": self.stderr_sha256,
        }


class Executed:
    """All that was done and seen."""

    __slots__ = (
        "actions",
        "breaches",
        "commands",
        "duration_ms",
        "is_whole",
        "left",
        "spec",
        "started_ms",
        "tests",
        "variables",
        "warnings",
    )

    def __init__(self) -> None:
        self.actions: list[dict[str, Any]] = []
        self.commands: list[Ran] = []
        self.tests: list[dict[str, Any]] = []
        #: What speaks against the run beyond results that are not 0.
        self.breaches: list[str] = []
        self.warnings: set[str] = set()
        self.left: Left | None = None
        self.is_whole = True
        #: Of the first command: the limits of all, before any of them used something up.
        self.spec: SandboxSpec | None = None
        self.variables: set[str] = set()
        self.started_ms = 0
        self.duration_ms = 0

    @property
    def is_truncated(self) -> bool:
        """A cap was reached: something may have been said or written that was not kept."""
        return any(
            ran.observation.over_output_cap or ran.observation.stdout.truncated or ran.observation.stderr.truncated
            for ran in self.commands
        )

    def runner(self, cache: str) -> dict[str, Any] | None:
        """runner.json; None where no runner was needed, as nothing was run."""
        if self.spec is None:
            return None
        tools = find_tools(SEARCH, os.path.join(cache, "tools.json") if cache else None)
        record = runner_record(
            self.spec,
            [ran.observation for ran in self.commands],
            started_at=self.started_ms,
            duration_ms=self.duration_ms,
            warnings=sorted(self.warnings),
            tools=tools,
        )
        record["context"]["env_allowlist"] = in_order(self.variables)
        return record


class Execution:
    """One execution, in a scratch copy that is gone when this is left."""

    __slots__ = ("_clock", "_copied", "_done", "_interrupt", "_proposal", "_request", "_scratch", "_streams")

    def __init__(
        self, request: Request, proposal: dict[str, Any], clock: Clock, streams: Streams, interrupt: Interrupt | None
    ) -> None:
        self._request = request
        self._proposal = proposal
        self._clock = clock
        self._streams = streams
        self._interrupt = interrupt
        self._done = Executed()

    @property
    def workspace(self) -> str:
        return self._copied.path

    @property
    def so_far(self) -> Executed:
        """What was done until now, also where the rest cannot be."""
        return self._done

    def run(self, scratch: Scratch) -> Executed:
        """Everything up to the collection of what was left. Raises RUN_E005."""
        done = self._done
        began_ms = self._clock.elapsed_ms
        done.started_ms = self._clock.started_ms + began_ms
        place = os.path.join(scratch.path, "workspace")
        os.mkdir(place, 0o755)
        try:
            self._copied = self._copy(place)
        except Stopped:
            self._cut_short("Interrupted before anything was run")
            return done
        try:
            self._carry_out()
        except AffidavitError as error:
            raise error if isinstance(error, RunError) else because(SANDBOX, error) from error
        done.duration_ms = self._clock.elapsed_ms - began_ms
        return done

    def _copy(self, place: str) -> Copied:
        request = self._request
        copied = copy_workspace(
            request.workspace,
            place,
            out=request.out,
            limits=request.limits,
            is_stopped=lambda: self._interrupt is not None and self._interrupt.was_asked,
        )
        for root in request.policy["allowed_write_roots"]:
            if any(root.rstrip("/") == path or root.startswith(path + "/") for path in copied.excluded):
                raise RunError(
                    SANDBOX,
                    f"the write root {plain(root)} of policy {request.policy['name']} is a folder of runs, and what is "
                    "written there could be no output; name another --out",
                    cause="WRITE_ROOT_IS_OUT",
                )
        for path, what in copied.skipped:
            self._done.warnings.add(f"workspace.skipped {plain(path)}: {what}")
        return copied

    def _carry_out(self) -> None:
        done, proposal = self._done, self._proposal
        done.actions, reasons = carry_out(self.workspace, proposal)
        done.breaches += reasons
        if reasons:
            done.is_whole = False
        else:
            self._commands()
        exit_codes = {ran.command_id: ran.observation.status for ran in done.commands}
        done.tests = judge_tests(self.workspace, proposal, exit_codes)
        self._collect()

    def _commands(self) -> None:
        """In order, until a required one does not end with 0: what comes after it was meant for what it would have
        made."""
        left_ms = self._request.timeout_ms
        given = self._request.stdin
        actions = [action for action in self._proposal["actions"] if action["type"] == "execute_command"]
        for index, action in enumerate(actions):
            if self._interrupt is not None and self._interrupt.was_asked:
                self._cut_short("Interrupted")
                return
            command = command_of(action)
            if "stdin" in command:
                stdin = command["stdin"].encode()
            else:
                stdin, given = given, b""
            ran = self._command(command, stdin, left_ms, required=action["required"])
            left_ms -= ran.observation.duration_ms
            stopped = ran.observation.outcome in ("interrupted", "over_output_cap", "timed_out")
            if (ran.required and ran.observation.status != 0) or stopped or left_ms <= 0:
                if index + 1 < len(actions):
                    self._done.is_whole = False
                return

    def _command(self, command: dict[str, Any], stdin: bytes, left_ms: int, *, required: bool) -> Ran:
        request, done = self._request, self._done
        name = command["id"]
        argv = request.real_argv or tuple(command["argv"])
        if any(_leads_outside(word) for word in argv[1:]):
            done.warnings.add(f"command.absolute_path {name}: the host is not visible inside")
        probe_host(request.cache)  # which `prepare` then knows of
        environment = {**command.get("env", {}), **request.environment, **request.secrets.values}
        spec = prepare(
            SandboxRequest(
                request.policy,
                argv,
                self.workspace,
                environment=environment,
                stdin=stdin,
                timeout_ms=left_ms,
                degraded=request.degraded,
                no_sandbox=request.no_sandbox,
                noexec_workspace=request.noexec_workspace,
                max_memory_bytes=request.bounds.memory_bytes,
                max_cpu_seconds=request.bounds.cpu_seconds,
                max_pids=request.bounds.pids,
            )
        )
        if isinstance(spec, Gaps):
            raise self._gaps(spec)
        stdout, stderr, live = self._streams.begin()
        descriptor = None if self._interrupt is None else self._interrupt.descriptor
        try:
            observation = run(spec, stdout=stdout, stderr=stderr, live=live, interrupt=descriptor)
        except OSError as error:  # a cgroup, a namespace, a process: what was found before is no longer so
            forget(request.cache)
            told = f"{plain(str(error.filename))}: {error.strerror}" if error.filename else str(error)
            raise RunError(SANDBOX, f"command {name} could not be run in a sandbox: {told}", command=name) from error
        if observation.sandbox_failed:
            raise RunError(
                SANDBOX,
                f"the sandbox of command {name} {'ended before it did' if observation.started else 'did not start'}: "
                f"{request.secrets.replaced(observation.why)}",
                command=name,
            )
        if done.spec is None:
            done.spec = spec
        done.variables |= set(spec.environment)
        ran = Ran(name, observation, self._streams.end(observation), required=required, tail=self._streams.tail)
        done.commands.append(ran)
        done.breaches += _breaches(ran)
        return ran

    def _gaps(self, gaps: Gaps) -> RunError:
        error = gaps.error()
        names = [gap.name for gap in gaps.gaps]
        message = error.message
        if all(name in ("memory", "pids", "seccomp", "noexec") for name in names):
            message += f"; --allow-degraded {','.join(names)} runs without it, and the record says so"
        return RunError(SANDBOX, message, **{name: value for name, value in error.details.items() if name != "rule_id"})  # type: ignore[arg-type]

    def _cut_short(self, reason: str) -> None:
        self._done.breaches.append(reason)
        self._done.is_whole = False

    def _collect(self) -> None:
        done = self._done
        left = done.left = Changes(self._copied, self._request.policy["allowed_write_roots"]).collect()
        done.breaches += [f"Not all outputs could be collected: {told}" for told in left.unseen]
        done.warnings |= {f"output.left_out {path}: {what}" for path, what in left.left_out}
        told = {result["path"] for result in done.actions}
        for path, digest in left.removed:
            if path in told:
                continue
            if digest is None:
                done.warnings.add(f"output.removed {plain(path)}: the original was changed meanwhile")
            else:
                done.actions.append({"path": path, "action": "delete", "sha256": digest, "exit_code": 0})


def _breaches(ran: Ran) -> list[str]:
    """What was seen against a command that its exit status does not tell."""
    seen, name = ran.observation, ran.command_id
    told: list[str] = []
    if seen.outcome == "interrupted":
        told.append(f'Interrupted while command "{name}" was running')
    if seen.over_output_cap:
        told.append(
            f'PL6: command "{name}" left or said more than max_output_files or max_total_output_bytes allow; '
            "let it write less, or choose a profile that allows more"
        )
    if ran.required and seen.status != 0:
        if seen.oom_killed:
            told.append(f'Command "{name}" was killed for want of memory (limit max_memory_bytes)')
        told += [
            f'Command "{name}" was denied: {denial.mechanism} ({plain(denial.what)})'
            for denial in seen.denials
            if denial.mechanism not in ("exec", "memory")
        ]
    return told


def _leads_outside(word: str) -> bool:
    """An absolute path of the host that is not visible inside."""
    return (
        word.startswith("/") and len(word) > 1 and not any(word == top or word.startswith(top + "/") for top in _INSIDE)
    )

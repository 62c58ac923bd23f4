"""An accepted plan becomes an execution: carried out, its evidence built and checked, judged by the kernel, and every
document of it in the run's directory."""

from __future__ import annotations

from ..canon.profiles import KERNEL
from ..contracts.proposal import command_of
from ..contracts.run import sandbox_id
from ..kernel.judge import judge
from ..kernel.propose import propose
from ..store.scratch import Scratch
from .errors import RunError
from .evidence import evidence_of, patch_of, require_sound_evidence, require_sound_patch
from .execute import Execution
from .outputs import store_outputs
from .streams import NAMES, Streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.writer import Writer
    from .execute import Executed, Ran
    from .identity import Clock
    from .interrupt import Interrupt
    from .request import Request
    from .streams import Show


class Enacted:
    """What an execution comes to: the member of the run result, the judgement, the files that tell of it."""

    __slots__ = ("commands", "execution", "files", "reasons")

    def __init__(self, execution: dict[str, Any], reasons: list[str], commands: list[Ran], files: list[str]) -> None:
        self.execution = execution
        self.reasons = reasons
        self.commands = commands
        self.files = files


def enact(
    request: Request,
    bundle: dict[str, Any],
    writer: Writer,
    clock: Clock,
    *,
    show: Show | None,
    interrupt: Interrupt | None,
) -> Enacted:
    """Carries out what the bundle proposes. Raises RUN_E005, RUN_E006, RUN_E007."""
    proposal = propose(bundle)
    with Scratch(request.out) as scratch, Streams(writer.directory, request.secrets, show) as streams:
        execution = Execution(request, proposal, clock, streams, interrupt)
        try:
            done = execution.run(scratch)
        except RunError:
            _keep_what_ran(request, proposal, execution.so_far, writer, clock)
            raise
        outputs: list[dict[str, Any]] = []
        if done.left is not None:
            outputs, withheld = store_outputs(
                writer, done.left, workspace=execution.workspace, scratch=scratch.path, secrets=request.secrets
            )
            done.breaches += withheld
        digests = streams.digests()
    files = [*NAMES, *_documents(request, proposal, done, writer)]
    evidence = _evidence(proposal, done, clock)
    require_sound_evidence(evidence, proposal)
    writer.put_json("evidence.json", evidence)
    judgement = judge(proposal, evidence, request.policy, outputs, done.breaches)
    cmd = _cmd(proposal)
    total = sum(output["size_bytes"] for output in outputs)
    is_over = len(outputs) > request.policy["max_output_files"] or total > request.policy["max_total_output_bytes"]
    member = {
        "sandbox_id": sandbox_id(KERNEL.digest(bundle).content_hash, request.policy, cmd),
        "cmd": cmd,
        "exit_code": judgement.exit_code,
        "stdout_sha256": digests[0],
        "stderr_sha256": digests[1],
        "outputs": outputs,
        "total_output_bytes": total,
        "output_truncated": done.is_truncated or is_over,
    }
    reasons = [request.secrets.replaced(reason) for reason in judgement.reasons]
    return Enacted(member, reasons, done.commands, [*files, "evidence.json"])


def _keep_what_ran(request: Request, proposal: dict[str, Any], done: Executed, writer: Writer, clock: Clock) -> None:
    """A run that fails after some of its commands ran says so of these: nothing that ran goes unrecorded."""
    if done.commands:
        done.is_whole = False
        done.duration_ms = clock.elapsed_ms - (done.started_ms - clock.started_ms)
        writer.put_json("evidence.json", _evidence(proposal, done, clock))
        writer.put_json("runner.json", done.runner(request.cache))


def _documents(request: Request, proposal: dict[str, Any], done: Executed, writer: Writer) -> list[str]:
    """patch.json, and runner.json where something ran; their names."""
    removed = {
        result["path"]: result["sha256"]
        for result in done.actions
        if result["action"] == "delete" and result["exit_code"] == 0
    }
    patch = patch_of(proposal, removed)
    require_sound_patch(patch, request.policy)
    writer.put_json("patch.json", patch)
    done.warnings = {request.secrets.replaced(warning) for warning in done.warnings}
    runner = done.runner(request.cache)
    if runner is None:
        return ["patch.json"]
    writer.put_json("runner.json", runner)
    return ["patch.json", "runner.json"]


def _evidence(proposal: dict[str, Any], done: Executed, clock: Clock) -> dict[str, Any]:
    began = done.started_ms - clock.started_ms
    return evidence_of(
        proposal,
        done.actions,
        [*(ran.result() for ran in done.commands), *done.tests],
        is_whole=done.is_whole,
        started_at=clock.after(began),
        completed_at=clock.after(began + done.duration_ms),
        duration_ms=done.duration_ms,
    )


def _cmd(proposal: dict[str, Any]) -> list[str]:
    """The words of the only command, else the proposal that all of them are of (contracts 2.2)."""
    commands = [command_of(action) for action in proposal["actions"] if action["type"] == "execute_command"]
    if len(commands) != 1:
        return ["proposal", proposal["id"]]
    words: list[str] = commands[0]["argv"]
    return words

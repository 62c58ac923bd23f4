"""The use case: an intent becomes a committed run, whatever comes of it.

    finished = run_intent("intent.json", policy="strict")
    finished.accepted, finished.result["decision"]["reasons"], finished.directory

What is wrong with the question (RUN_E001 to RUN_E004) leaves nothing behind. From the moment the run directory is there
a run ends committed: with its result, or as failed with the error.
"""

from __future__ import annotations

import os
import sys

from .. import __version__
from ..contracts.run_status import HARNESS
from ..errors import AffidavitError, UsageError
from ..kernel.decide import decide
from ..sandbox.programs import find_program
from ..sandbox.world import world_id
from ..shown import plain
from ..store.ledger import entry_of_run
from ..store.writer import begin
from .errors import INTERNAL, RunError, because
from .identity import Clock, new_run_id
from .intent import parse_intent, read_intent
from .profile import named_profile, sound_profile
from .request import DEFAULT_OUT, Request
from .result import require_sound, run_result
from .secrets import Secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..contracts.policy import ModelMode
    from ..kernel.outcome import Outcome
    from ..sandbox.abilities import AbilityName
    from ..store.writer import Writer
    from .execute import Ran
    from .interrupt import Interrupt
    from .request import Mode
    from .streams import Show

#: What runs of this process are called in the store.
CHANNEL = "direct"


class Finished:
    """A run that was committed: its result, the kernel's answer, the commands that ran, and where all of it stands."""

    __slots__ = ("commands", "directory", "outcome", "result")

    def __init__(self, result: dict[str, Any], outcome: Outcome, commands: list[Ran], directory: str) -> None:
        self.result = result
        self.outcome = outcome
        self.commands = commands
        self.directory = directory

    @property
    def accepted(self) -> bool:
        accepted: bool = self.result["decision"]["accepted"]
        return accepted


def run_intent(
    intent: str | os.PathLike[str] | bytes,
    *,
    policy: str | dict[str, Any] = "default",
    mode: Mode = "plan-only",
    out: str | os.PathLike[str] = DEFAULT_OUT,
    workspace: str | os.PathLike[str] = ".",
    environment: Mapping[str, str] | None = None,
    secrets: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout_ms: int | None = None,
    degraded: Iterable[AbilityName] = (),
    model_mode: ModelMode = "none",
    model_recording: str | os.PathLike[str] = "",
    model_adapter: str = "",
    model_key: str = "",
) -> Finished:
    """Runs an intent, a file or its bytes, under a profile, by its name or one of your own. Raises RunError."""
    read = parse_intent(intent) if isinstance(intent, bytes) else read_intent(os.fspath(intent))
    profile = named_profile(policy) if isinstance(policy, str) else sound_profile(policy)
    session = None
    if model_mode != "none":
        from .model_session import open_session

        session = open_session(
            profile, model_mode, recording=os.fspath(model_recording), adapter=model_adapter, key=model_key
        )
    request = Request(
        read,
        profile,
        mode=mode,
        out=os.fspath(out),
        workspace=os.fspath(workspace),
        environment=environment,
        secrets=Secrets(secrets or {}),
        stdin=stdin,
        timeout_ms=timeout_ms,
        degraded=degraded,
        session=session,
        model_key={"model_key": model_key} if model_key else None,
    )
    finished = perform(request)
    if model_mode == "record":
        from .modelled import keep_recording

        keep_recording(finished.directory, os.fspath(model_recording))
    return finished


def perform(request: Request, *, show: Show | None = None, interrupt: Interrupt | None = None) -> Finished:
    """The run that was asked for, committed. `show` is given what commands say, as it comes and without secrets."""
    if sys.getfilesystemencoding() != "utf-8":
        raise UsageError("USAGE", "file names are read in another encoding than UTF-8 here: start Python with -X utf8")
    clock = Clock()
    try:
        with _begin(request, clock) as writer:
            return _run(request, clock, writer, show, interrupt)
    except RunError:
        raise
    except AffidavitError as error:
        raise because(INTERNAL, error) from error
    except OSError as error:  # what no module had a better word for: a full disk, too many open files
        about = f"{plain(os.fsdecode(error.filename))}: " if isinstance(error.filename, str | bytes) else ""
        raise RunError(INTERNAL, f"{about}{error.strerror or error}", cause="OS_ERROR") from error


def _begin(request: Request, clock: Clock) -> Writer:
    return begin(
        request.out,
        new_run_id(clock.started_ms),
        plan_id=HARNESS,
        plan_digest=request.intent.sha256.removeprefix("sha256:"),
        world_id=world_id(find_program("bwrap"), request.cache),
        channel=CHANNEL,
    )


def _run(request: Request, clock: Clock, writer: Writer, show: Show | None, interrupt: Interrupt | None) -> Finished:
    writer.put("intent.json", request.intent.raw)
    writer.put_json("policy.json", request.policy)
    expected = ["run.json", "policy.json", "intent.json"]
    outcome = decide(request.intent.document, request.policy)
    if request.session is not None:
        from .modelled import MODEL_IO, decide_with_model

        outcome = decide_with_model(request, request.session, outcome, writer)
        expected.append(MODEL_IO)
    if outcome.kind != "REFUSE":
        writer.put_json("bundle.json", outcome.bundle)
        expected.append("bundle.json")
    enacted = None
    if outcome.kind == "BUNDLE" and request.mode == "execute-sandbox":
        from .enact import enact

        enacted = enact(request, outcome.bundle, writer, clock, show=show, interrupt=interrupt)
        expected += enacted.files
    result = run_result(
        run_id=writer.run_id,
        started_at=clock.started(),
        completed_at=clock.after(clock.elapsed_ms),
        kernel_version=__version__,
        policy=request.policy,
        intent=request.intent.reference(),
        outcome=outcome,
        execution=enacted.execution if enacted else None,
        reasons=enacted.reasons if enacted else [],
        model_mode=request.model_mode,
    )
    require_sound(result)
    writer.put_json("run.json", result)
    writer.commit(expected=expected, ledger=entry_of_run(result))
    return Finished(result, outcome, enacted.commands if enacted else [], writer.directory)

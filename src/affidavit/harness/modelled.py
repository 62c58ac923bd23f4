"""A run that a model has a part in: what it was asked and answered is a document of the run, also of one that fails."""

from __future__ import annotations

import os

from ..canon.jcs import canonical
from ..kernel.decide import decide
from ..kernel.outcome import Refuse
from ..store import durable, fs
from ..store.publish import publish_file
from .model_session import MOST_BYTES, require_sound_session
from .model_work import is_undeclared, propose_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..kernel.outcome import Outcome
    from ..store.writer import Writer
    from .model_session import Recording, Replay
    from .request import Request

MODEL_IO = "model_io.json"


def decide_with_model(request: Request, session: Recording | Replay, outcome: Outcome, writer: Writer) -> Outcome:
    """The kernel's answer with the work that a model proposes, where the intent is clear and declares none. An answer
    that holds a secret is not kept, and refuses the run."""
    document = request.intent.document
    try:
        if outcome.kind == "BUNDLE" and is_undeclared(document):
            outcome = decide(propose_work(session, document, request.policy), request.policy)
    finally:
        recorded = session.document()
        holds_secret = request.hidden.stands_in(canonical(recorded).decode())
        holds_secret = holds_secret or any(
            request.hidden.stands_in(interaction["response_content"]) for interaction in recorded["interactions"]
        )
        if holds_secret:
            recorded = {**recorded, "interactions": []}
        require_sound_session(recorded)
        writer.put_json(MODEL_IO, recorded)
    if holds_secret:
        return Refuse([f"{MODEL_IO}: the model's answer holds a secret, and nothing of it is kept"])
    return outcome


def keep_recording(directory: str, target: str) -> None:
    """Copies a run's recording to where its caller wants to replay it from; what is there is not replaced."""
    run = durable.open_directory(directory)
    try:
        data = fs.read_member(run, MODEL_IO, MOST_BYTES)
    finally:
        os.close(run)
    publish_file(os.path.dirname(target) or ".", os.path.basename(target), [data])

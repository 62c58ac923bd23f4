"""What a model was asked in one run: recorded as it answers, or answered from what was recorded (MI1-MI12).

A replay asks nobody. It answers a prompt only with what stands at the same index under the same prompt's hash; for
everything else it fails, and says so.
"""

from __future__ import annotations

import os
import time

from ..canon.profiles import RAW
from ..canon.reader import read
from ..contracts.model_io import MOST_INTERACTIONS, verify_model_io
from ..errors import ParseError, UsageError
from ..shown import plain
from ..values import timestamp
from .errors import INTERNAL, POLICY, SANDBOX, RunError, because
from .input import read_file
from .model import DEFAULT_TIMEOUT
from .model_named import adapter_named
from .profile import require_model_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..contracts.policy import ModelMode
    from .model import Adapter

SCHEMA_VERSION = "1.0.0"
#: A recording holds at most 100 MB of answers, escaped at worst.
MOST_BYTES = 128 * 1024 * 1024


class Recording:
    """A session with a model."""

    mode: ModelMode = "record"

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._interactions: list[dict[str, Any]] = []
        self._created = _now()

    def ask(self, prompt: str) -> str:
        if len(self._interactions) == MOST_INTERACTIONS:
            raise RunError(SANDBOX, f"expected at most {MOST_INTERACTIONS} questions to a model (MI4)", rule_id="MI4")
        began = time.monotonic()
        answer = self._adapter.ask(prompt)
        interaction: dict[str, Any] = {
            "i": len(self._interactions),
            "prompt_hash": RAW.digest(prompt.encode()).content_hash,
            "response_hash": RAW.digest(answer.text.encode("utf-8", "surrogatepass")).content_hash,
            "response_content": answer.text,
            "latency_ms": round((time.monotonic() - began) * 1000),
        }
        counted = {"tokens_input": answer.tokens_input, "tokens_output": answer.tokens_output}
        interaction |= {member: count for member, count in counted.items() if count is not None}
        self._interactions.append(interaction)
        return answer.text

    def document(self) -> dict[str, Any]:
        """model_io.json."""
        return {
            "model_io_schema_version": SCHEMA_VERSION,
            "adapter_id": self._adapter.adapter_id,
            "model_id": self._adapter.model_id,
            "mode": self.mode,
            "interactions": self._interactions,
            "created_at_utc": self._created,
            "ended_at_utc": _now(),
        }


class Replay:
    """A session that was recorded."""

    mode: ModelMode = "replay"

    def __init__(self, recorded: dict[str, Any]) -> None:
        self._recorded = recorded
        self._asked = 0

    def ask(self, prompt: str) -> str:
        index = self._asked
        asked = RAW.digest(prompt.encode()).content_hash
        interactions = self._recorded["interactions"]
        if index >= len(interactions):
            raise _miss(index, asked, f"a recording of {len(interactions)} questions")
        found = interactions[index]
        if found["prompt_hash"] != asked:
            raise _miss(index, asked, f"{found['prompt_hash']}: the question was another one")
        self._asked += 1
        text: str = found["response_content"]
        return text

    def document(self) -> dict[str, Any]:
        """model_io.json: what was asked of the recording, and nothing of when it was made."""
        members = ("i", "prompt_hash", "response_hash", "response_content")
        return {
            "model_io_schema_version": SCHEMA_VERSION,
            "adapter_id": self._recorded["adapter_id"],
            "model_id": self._recorded["model_id"],
            "mode": self.mode,
            "interactions": [
                {member: interaction[member] for member in members}
                for interaction in self._recorded["interactions"][: self._asked]
            ],
        }


def open_session(
    policy: dict[str, Any],
    mode: ModelMode,
    *,
    recording: str = "",
    adapter: str = "",
    key: str = "",
    timeout: float = DEFAULT_TIMEOUT,
) -> Recording | Replay | None:
    """The session that a caller asks for; None where no model is to be asked. Raises RUN_E004 for what the policy does
    not allow (PL4, PL5) and for a recording that is none, UsageError for what could not be recorded."""
    require_model_mode(policy, mode, has_recording=bool(recording))
    if mode == "none":
        return None
    if mode == "replay":
        return Replay(read_recording(read_file(recording, POLICY, MOST_BYTES), recording))
    if not adapter:
        raise UsageError(
            "USAGE", "to record a model it must be named: --model-adapter command:ARGV, or openai:URL#MODEL"
        )
    if os.path.lexists(recording):
        raise UsageError("USAGE", f"{plain(recording)}: is there already, and a recording replaces nothing")
    if not os.path.isdir(os.path.dirname(recording) or "."):
        raise UsageError("USAGE", f"{plain(recording)}: there is no such directory to record to")
    return Recording(adapter_named(adapter, key=key, timeout=timeout))


def _miss(index: int, asked: str, found: str) -> RunError:
    return RunError(
        SANDBOX,
        f"the recording has no answer: expected at index {index} the prompt {asked}, found {found}; record it anew",
        cause="MODEL_REPLAY_MISS",
        index=index,
        prompt_hash=asked,
    )


def read_recording(raw: bytes, path: str) -> dict[str, Any]:
    """A recording that holds MI1 to MI12. Raises RUN_E004: what was recorded is part of what a run may rely on."""
    try:
        document: Any = read(raw, max_bytes=MOST_BYTES)
    except ParseError as error:
        raise because(POLICY, error, plain(path)) from None
    report = verify_model_io(document)
    if not report.ok:
        first = report.findings[0]
        raise RunError(
            POLICY,
            f"{plain(path)}: {first.rule_id}: {first.path or 'the document'}: {first.message}",
            rule_id=first.rule_id,
            pointer=first.path,
        )
    recording: dict[str, Any] = document
    return recording


def require_sound_session(document: dict[str, Any]) -> None:
    """Raises RUN_E007 with the rule that our own recording breaks."""
    report = verify_model_io(document, level="strict")
    if not report.ok:
        first = report.findings[0]
        raise RunError(
            INTERNAL,
            f"the model session breaks {first.rule_id} at {first.path}: {first.message}",
            rule_id=first.rule_id,
        )


def _now() -> str:
    return timestamp(time.time_ns() // 1_000_000)

"""What a model is to the harness: somebody who answers a prompt, or does not."""

from __future__ import annotations

import os

from ..errors import UsageError
from ..shown import plain
from .errors import SANDBOX, RunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Adapter(Protocol):
        """Asks one model. Raises RUN_E005 where it gives no answer; a cut-off answer is none."""

        @property
        def adapter_id(self) -> str: ...
        @property
        def model_id(self) -> str: ...
        def ask(self, prompt: str) -> Answer: ...


#: Of one question, the retries included.
DEFAULT_TIMEOUT = 120.0


class Answer:
    """What a model said, and what it counted while it did."""

    __slots__ = ("text", "tokens_input", "tokens_output")

    def __init__(self, text: str, tokens_input: int | None = None, tokens_output: int | None = None) -> None:
        self.text = text
        self.tokens_input = tokens_input
        self.tokens_output = tokens_output


def no_answer(adapter: str, why: str) -> RunError:
    return RunError(SANDBOX, f"the model gave no answer ({plain(adapter)}): {why}", cause="MODEL_NO_ANSWER")


def key_from(variable: str) -> str:
    """The value of the variable that a caller named; absent or empty is wrong usage and not no key."""
    value = os.environ.get(variable, "")
    if not value:
        raise UsageError("USAGE", f"--model-key-env {plain(variable)}: there is no such variable here, or it is empty")
    return value

"""What a run was asked to do: a value, sound before anything is written."""

from __future__ import annotations

from .profile import require_model_mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from ..contracts.policy import ModelMode
    from .intent import Intent

    Mode = Literal["plan-only", "execute-sandbox"]

#: Where runs are committed unless somebody says otherwise.
DEFAULT_OUT = ".affidavit"


class Request:
    """One run. Raises RUN_E004 for what the policy does not allow."""

    __slots__ = ("intent", "mode", "model_mode", "out", "policy")

    def __init__(
        self,
        intent: Intent,
        policy: dict[str, Any],
        *,
        mode: Mode = "plan-only",
        out: str = DEFAULT_OUT,
        model_mode: ModelMode = "none",
        model_recording: str = "",
    ) -> None:
        require_model_mode(policy, model_mode, has_recording=bool(model_recording))
        self.intent = intent
        self.policy = policy
        self.mode: Mode = mode
        self.out = out
        self.model_mode: ModelMode = model_mode

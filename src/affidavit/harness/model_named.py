"""Who may be asked for work that an intent leaves undeclared, by name: `command:ARGV` and `openai:BASE_URL#MODEL`."""

from __future__ import annotations

from ..errors import UsageError
from ..shown import plain
from .model import DEFAULT_TIMEOUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .model import Adapter


def adapter_named(name: str, *, key: str = "", timeout: float = DEFAULT_TIMEOUT) -> Adapter:
    """The adapter of this name. `key` is what a server wants to see, if it does; it is recorded nowhere."""
    kind, colon, rest = name.partition(":")
    if colon and kind == "command":
        from .model_command import CommandAdapter

        return CommandAdapter(rest, timeout)
    if colon and kind == "openai":
        from .model_http import HttpAdapter

        return HttpAdapter(rest, key, timeout)
    raise UsageError("USAGE", f"--model-adapter: expected command:ARGV or openai:BASE_URL#MODEL, found {plain(name)!r}")

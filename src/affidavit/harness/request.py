"""What a run was asked to do: a value, sound before anything is written."""

from __future__ import annotations

from ..contracts.intent import is_variable
from ..contracts.runner import FIXED_VARIABLES, FORBIDDEN_PREFIXES
from ..errors import UsageError
from ..sandbox.request import MAX_MEMORY_BYTES, MAX_PIDS
from ..shown import plain
from .errors import INVALID_INTENT, POLICY, RunError
from .secrets import Secrets
from .workspace import Limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Literal

    from ..contracts.policy import ModelMode
    from ..sandbox.abilities import AbilityName
    from .intent import Intent
    from .model_session import Recording, Replay

    Mode = Literal["plan-only", "execute-sandbox"]

#: Where runs are committed unless somebody says otherwise.
DEFAULT_OUT = ".affidavit"
#: What a caller may agree to do without (contracts 2.9).
DEGRADABLE: tuple[AbilityName, ...] = ("memory", "pids", "seccomp", "noexec")
#: Milliseconds; a runner record can tell of no shorter one (RN5).
_LEAST_TIMEOUT = 1000


class Bounds:
    """What a caller lowers of the sandbox's fixed limits; None leaves one as it is."""

    __slots__ = ("cpu_seconds", "memory_bytes", "pids")

    def __init__(
        self, *, memory_bytes: int | None = None, cpu_seconds: int | None = None, pids: int | None = None
    ) -> None:
        for what, wanted, most in (("bytes of memory", memory_bytes, MAX_MEMORY_BYTES), ("processes", pids, MAX_PIDS)):
            if wanted is not None and wanted > most:
                raise UsageError("USAGE", f"expected at most {most} {what}, which nothing raises, found {wanted}")
        if 0 in (memory_bytes, cpu_seconds, pids):
            raise UsageError("USAGE", "expected a limit of at least 1, found 0")
        self.memory_bytes = memory_bytes
        self.cpu_seconds = cpu_seconds
        self.pids = pids


class Request:
    """One run. Raises RUN_E004 for what the policy does not allow, UsageError for what makes no sense."""

    __slots__ = (
        "bounds",
        "cache",
        "degraded",
        "environment",
        "hidden",
        "intent",
        "limits",
        "mode",
        "model_mode",
        "no_sandbox",
        "noexec_workspace",
        "out",
        "policy",
        "real_argv",
        "secrets",
        "session",
        "stdin",
        "timeout_ms",
        "workspace",
    )

    def __init__(
        self,
        intent: Intent,
        policy: dict[str, Any],
        *,
        mode: Mode = "plan-only",
        out: str = DEFAULT_OUT,
        workspace: str = ".",
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
        secrets: Secrets | None = None,
        stdin: bytes = b"",
        timeout_ms: int | None = None,
        degraded: Iterable[AbilityName] = (),
        no_sandbox: bool = False,
        noexec_workspace: bool = False,
        bounds: Bounds | None = None,
        real_argv: tuple[str, ...] = (),
        session: Recording | Replay | None = None,
        model_key: Mapping[str, str] | None = None,
        cache: str = "",
    ) -> None:
        self.intent = intent
        self.policy = policy
        self.mode: Mode = mode
        self.out = out
        self.workspace = workspace
        self.limits = limits or Limits()
        self.environment = dict(environment or {})
        self.secrets = secrets or Secrets({})
        #: For the first command that declares no standard input of its own.
        self.stdin = stdin
        self.timeout_ms = policy["timeout_ms"] if timeout_ms is None else timeout_ms
        self.degraded = tuple(degraded)
        self.no_sandbox = no_sandbox
        #: Files that came with the workspace may not be executed either.
        self.noexec_workspace = noexec_workspace
        self.bounds = bounds or Bounds()
        #: The words of the one command of `run -- CMD`, where the intent tells them with secrets replaced.
        self.real_argv = real_argv
        #: A folder for what can be asked again, such as the version of a program; empty: it is asked again.
        self.cache = cache
        self.session = session
        self.model_mode: ModelMode = session.mode if session is not None else "none"
        #: What may not stand in a model's answer: the secrets, and the key that its server was shown.
        self.hidden = Secrets({**self.secrets.values, **(model_key or {})})
        self._check()

    def _check(self) -> None:
        most = self.policy["timeout_ms"]
        if not _LEAST_TIMEOUT <= self.timeout_ms <= most:
            raise RunError(
                POLICY,
                f"PL6: expected a timeout from {_LEAST_TIMEOUT / 1000:g} to {most / 1000:g} seconds (timeout_ms of "
                f"policy {self.policy['name']}), found {self.timeout_ms / 1000:g}; choose a profile that allows more",
                rule_id="PL6",
            )
        if self.no_sandbox and not (
            self.policy["allow_network"]
            and not self.policy["allowed_commands"]
            and not self.policy["allowed_write_roots"]
        ):
            raise RunError(
                POLICY,
                f"PL6: without a sandbox nothing that policy {self.policy['name']} limits could be enforced; "
                "--sandbox none takes a --policy-file with allow_network true, allowed_commands [] and "
                "allowed_write_roots []",
                rule_id="PL6",
            )
        for name in self.environment.keys() | self.secrets.values.keys():
            if not is_variable(name) or name in FIXED_VARIABLES or name.startswith(FORBIDDEN_PREFIXES):
                raise UsageError(
                    "USAGE",
                    f"a command cannot be given the variable {plain(name)}: expected a name [A-Za-z_][A-Za-z0-9_]*, "
                    f"none of {', '.join(FIXED_VARIABLES)}, and no prefix {', '.join(FORBIDDEN_PREFIXES)} (RN8)",
                )
        unknown = [gap for gap in self.degraded if gap not in DEGRADABLE]
        if unknown:
            raise UsageError("USAGE", f"--allow-degraded: expected {', '.join(DEGRADABLE)}, found {unknown[0]!r}")
        if self.secrets and any(self.secrets.stands_in(text) for text in _texts(self.intent.document)):
            raise RunError(
                INVALID_INTENT,
                f"{self.intent.path}: holds the value of a secret, and is committed with the run; "
                "let the command read it from its variable",
            )


def _texts(value: Any) -> Iterator[str]:
    """Every text in a document, names of members too."""
    waiting = [value]
    while waiting:
        this = waiting.pop()
        if type(this) is str:
            yield this
        elif type(this) is dict:
            waiting += (*this.keys(), *this.values())
        elif type(this) is list:
            waiting += this

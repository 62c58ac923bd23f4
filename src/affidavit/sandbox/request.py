"""What a caller wants to run, as a pure value: nothing of the host is in it but the directories it names."""

from __future__ import annotations

from ..contracts.runner import FORBIDDEN_PREFIXES
from ..errors import UsageError
from ..shown import plain
from .setting import USUAL, WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from .abilities import AbilityName
    from .setting import Setting

__all__ = ["FIXED_ENVIRONMENT", "MAX_MEMORY_BYTES", "MAX_PIDS", "SEARCH", "WORKSPACE", "SandboxRequest"]

#: Fixed, never from the host's size: two hosts enforce the same (contracts 2.8).
MAX_MEMORY_BYTES = 2 * 1024**3
MAX_PIDS = 512

#: Where programs are looked for, on the host and inside. A caller may put folders of its own before them.
SEARCH = ("/usr/local/bin", "/usr/bin", "/bin")

#: Members of every sandbox's environment; a caller may not set them to anything else.
FIXED_ENVIRONMENT = {
    "HOME": "/tmp",  # noqa: S108 -- inside, private
    "PATH": ":".join(SEARCH),
    **USUAL.environment(),
}


class SandboxRequest:
    """One command, the policy it runs under, and the directory it runs in."""

    __slots__ = (
        "also_commands",
        "argv",
        "degraded",
        "environment",
        "max_cpu_seconds",
        "max_memory_bytes",
        "max_pids",
        "no_sandbox",
        "noexec_workspace",
        "policy",
        "read_only",
        "search",
        "setting",
        "stdin",
        "timeout_ms",
        "workspace",
    )

    def __init__(
        self,
        policy: Mapping[str, Any],
        argv: Sequence[str],
        workspace: str,
        *,
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout_ms: int | None = None,
        max_memory_bytes: int | None = None,
        max_cpu_seconds: int | None = None,
        max_pids: int | None = None,
        degraded: Iterable[AbilityName] = (),
        noexec_workspace: bool = False,
        read_only: Mapping[str, str] | None = None,
        also_commands: Sequence[str] = (),
        search: Sequence[str] = (),
        no_sandbox: bool = False,
        setting: Setting = USUAL,
    ) -> None:
        #: A valid policy document (contracts 2.1); whoever read it verified it.
        self.policy = policy
        self.argv = tuple(argv)
        #: A directory of the host; inside it is /workspace and the current directory. What the command writes there is
        #: there when it ended.
        self.workspace = workspace
        self.environment = dict(environment or {})
        self.stdin = stdin
        #: Options may lower a limit, never raise it.
        self.timeout_ms = _at_most(policy["timeout_ms"], timeout_ms)
        self.max_memory_bytes = _at_most(MAX_MEMORY_BYTES, max_memory_bytes)
        self.max_cpu_seconds = _at_most(2 * -(-self.timeout_ms // 1000), max_cpu_seconds)
        self.max_pids = _at_most(MAX_PIDS, max_pids)
        #: What the caller agrees to do without, should the host not have it (contracts 2.9).
        self.degraded = frozenset(degraded)
        #: Files that came with the workspace may not be executed either.
        self.noexec_workspace = noexec_workspace
        #: More of the host to show, read-only: {its path: the path inside}.
        self.read_only = dict(read_only or {})
        #: Commands to provide beyond the policy's, with their companions: the self-test's interpreter. Names or paths.
        self.also_commands = tuple(also_commands)
        #: Folders in which to look for commands first: the caller's PATH.
        self.search = (*search, *SEARCH)
        self.no_sandbox = no_sandbox
        #: Another than the usual one, to see whether that makes a difference.
        self.setting = setting
        self._check()

    def _check(self) -> None:
        if not self.argv or not self.argv[0]:
            raise UsageError("SANDBOX_REQUEST", "expected a command, found none")
        texts = (*self.argv, *self.environment, *self.environment.values(), *self.read_only.values())
        if any("\0" in text for text in texts):
            raise UsageError("SANDBOX_REQUEST", "expected words without NUL: the kernel ends a word there")
        for name, value in self.environment.items():
            if name.startswith(FORBIDDEN_PREFIXES):
                raise UsageError("SANDBOX_ENVIRONMENT", f"the variable {plain(name)} may carry secrets (RN8)")
            if not name or "=" in name:
                raise UsageError("SANDBOX_ENVIRONMENT", f"expected the name of a variable, found {plain(name)!r}")
            if FIXED_ENVIRONMENT.get(name, value) != value:
                raise UsageError("SANDBOX_ENVIRONMENT", f"the variable {plain(name)} is fixed inside a sandbox")
        if self.no_sandbox and not (
            self.policy["allow_network"]
            and not self.policy["allowed_commands"]
            and not self.policy["allowed_write_roots"]
        ):
            raise UsageError(
                "SANDBOX_NONE",
                "no sandbox is only for a custom policy with allow_network true and both lists empty: nothing else "
                "that a policy asks for could be enforced",
            )


def _at_most(bound: int, wanted: int | None) -> int:
    if wanted is None:
        return bound
    if wanted < 1:
        raise UsageError("SANDBOX_REQUEST", f"expected a limit of at least 1, found {wanted}")
    return min(bound, wanted)

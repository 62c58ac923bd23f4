"""What was seen of one run in a sandbox: every outcome ends in one of these, and every one can be sealed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from ..values import Digest

    StreamName = Literal["stdout", "stderr"]
    Outcome = Literal[
        "exited",
        "signalled",
        "timed_out",
        "oom_killed",
        "over_output_cap",
        "interrupted",
        "not_found",
        "not_executable",
        "sandbox_failed",
        "sandbox_killed",
    ]

#: What a shell says of each (contracts 2.2).
TIMED_OUT = 124
NOT_EXECUTABLE = 126
NOT_FOUND = 127


class Captured:
    """One stream: the bytes that were kept, counted and digested as they came."""

    __slots__ = ("digest", "size", "truncated")

    def __init__(self, size: int, digest: Digest, *, truncated: bool) -> None:
        self.size = size
        #: RAW, of the kept bytes.
        self.digest = digest
        #: More came than was kept.
        self.truncated = truncated


class Denial:
    """Something the sandbox refused, seen for certain. What is refused with an error to the caller leaves no trace
    outside and is not claimed."""

    __slots__ = ("mechanism", "what")

    def __init__(self, mechanism: Literal["cpu", "exec", "memory", "pids", "seccomp"], what: str) -> None:
        self.mechanism = mechanism
        self.what = what

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Denial) and (self.mechanism, self.what) == (other.mechanism, other.what)

    def __hash__(self) -> int:
        return hash((self.mechanism, self.what))

    def __repr__(self) -> str:
        return f"Denial({self.mechanism!r}, {self.what!r})"


class Observation:
    """How a command ran. `outcome` is the one word; the members beside it are what it was told from."""

    __slots__ = (
        "argv",
        "cpu_ms",
        "denials",
        "duration_ms",
        "enforced",
        "exit_code",
        "outcome",
        "peak_memory_bytes",
        "signal",
        "started_at",
        "stderr",
        "stdout",
        "warnings",
        "why",
    )

    def __init__(
        self,
        *,
        argv: tuple[str, ...],
        outcome: Outcome,
        exit_code: int | None,
        signal: int | None,
        started_at: int,
        duration_ms: int,
        cpu_ms: int | None,
        peak_memory_bytes: int | None,
        stdout: Captured,
        stderr: Captured,
        denials: tuple[Denial, ...],
        enforced: Mapping[str, str],
        warnings: tuple[str, ...],
        why: str = "",
    ) -> None:
        self.argv = argv
        self.outcome = outcome
        #: What the command ended with, when it ended of itself.
        self.exit_code = exit_code
        #: The number of the signal that ended it, ours (at a limit) or another's. A program that exits with 128+n
        #: cannot be told from one that signal n killed: bubblewrap, like a shell, reports both as 128+n.
        self.signal = signal
        #: Milliseconds since the epoch, and from then on by a clock that nobody sets.
        self.started_at = started_at
        self.duration_ms = duration_ms
        #: Of all processes together, from their cgroup; None where there was none.
        self.cpu_ms = cpu_ms
        #: Of all processes together, from their cgroup; None where there was none: nobody measured it.
        self.peak_memory_bytes = peak_memory_bytes
        self.stdout = stdout
        self.stderr = stderr
        self.denials = denials
        #: What bound each limit: {"memory": "cgroup v1", "files": "tmpfs", ...}.
        self.enforced = enforced
        #: Sorted, without measurements: they are hashed (contracts 2.8).
        self.warnings = warnings
        #: One line for a person when the command did not run to its end.
        self.why = why

    @property
    def started(self) -> bool:
        """The command was executed, as far as anybody could see."""
        return self.outcome not in ("not_found", "not_executable", "sandbox_failed")

    @property
    def timed_out(self) -> bool:
        return self.outcome == "timed_out"

    @property
    def oom_killed(self) -> bool:
        """The kernel killed something of it for want of memory, whatever the command made of that."""
        return Denial("memory", "oom_kill") in self.denials

    @property
    def over_output_cap(self) -> bool:
        return self.outcome == "over_output_cap"

    @property
    def sandbox_failed(self) -> bool:
        """No command was at fault: a sandbox could not be made, or was taken away (RUN_E005)."""
        return self.outcome in ("sandbox_failed", "sandbox_killed")

    @property
    def status(self) -> int:
        """The one number of contracts 2.2: the exit code, 128+n for signal n, 124 timed out, 126/127 not startable."""
        if self.outcome == "timed_out":
            return TIMED_OUT
        if self.outcome == "not_found":
            return NOT_FOUND
        if self.outcome in ("not_executable", "sandbox_failed"):
            return NOT_EXECUTABLE
        if self.signal is not None:
            return 128 + self.signal
        assert self.exit_code is not None
        return self.exit_code

"""Runs what a spec describes and tells what was seen. Every end is an Observation; only a broken host raises.

The order matters: bubblewrap sets the sandbox up and waits; its first process inside is put into its cgroups and under
its limits; only then the command is let go and the clock starts. At a limit the first process inside is killed, and
the kernel takes everything in its process namespace with it: grandchildren, daemons, holders of our pipes.
"""

from __future__ import annotations

import os
import select
import signal
import time

from ..canon.order import in_order
from .cage import Cage
from .capture import Budget, Capture
from .gaps import SandboxUnavailable
from .launch import Descriptors, Launched
from .observation import Denial, Observation
from .outputs import LOOK_SECONDS, Outputs
from .status import Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, Self

    from .observation import Outcome, StreamName
    from .spec import SandboxSpec

    Stopped = Literal["", "timed_out", "over_output_cap", "interrupted"]

#: Setting up takes milliseconds; a host on which it takes this long will not do it.
SETUP_SECONDS = 30.0

_MOST_REASON = 300

#: util-linux 2.38, whose own child was killed by SIGKILL.
_UNSHARE_SAYS_KILLED = "unshare: sigprocmask unblock failed"

#: Between two looks whether bubblewrap has moved in.
_MOMENT = 0.0002


def run(
    spec: SandboxSpec,
    *,
    stdout: int,
    stderr: int,
    live: Callable[[StreamName, bytes], None] | None = None,
    interrupt: int | None = None,
) -> Observation:
    """Runs the command to its end. What it says goes to the descriptors `stdout` and `stderr`, and as it comes to
    `live`. The run is stopped, and observed as interrupted, as soon as the descriptor `interrupt` is readable; an
    exception, Ctrl-C's among them, ends everything inside before it goes on to the caller."""
    cage, outputs = Cage(spec), Outputs(spec)
    try:
        with Descriptors() as descriptors:
            outputs.open()
            try:
                cage.make()
            except OSError as error:
                raise SandboxUnavailable("RUN_E005", f"cannot make a cgroup for the run: {error.strerror}") from None
            with _Supervision(spec, cage, outputs, descriptors, interrupt) as supervision:
                supervision.capture(stdout, stderr, live)
                if supervision.wait_for_setup():
                    supervision.let_go()
                    supervision.wait_for_end()
                supervision.reap()
                outputs.collect()
                return supervision.observation()
    finally:
        outputs.close()
        cage.remove()


class _Supervision:
    """One run from its start to its end. Leaving it, however, leaves nothing running."""

    def __init__(
        self, spec: SandboxSpec, cage: Cage, outputs: Outputs, descriptors: Descriptors, interrupt: int | None
    ) -> None:
        self._spec = spec
        self._cage = cage
        self._outputs = outputs
        self._descriptors = descriptors
        self._interrupt = interrupt
        self._launched = Launched(spec, descriptors)
        self._status = Status()
        self._child: int | None = None  # a pidfd: a number may be another's by the time we kill
        self._captures: dict[int, Capture] = {}
        self._poll = select.poll()
        self._open: set[int] = set()
        self._stdin = memoryview(spec.stdin)
        self._stopped: Stopped = ""
        self._broken = ""
        self._wait_status: int | None = None
        self._over_cpu = False
        self._let_go = False
        self._started_at = 0
        self._began = self._ended = time.monotonic_ns()
        self._setup_deadline = time.monotonic() + SETUP_SECONDS
        self._said_first = self._said_aside = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._wait_status is None:
            self._kill()
            self.reap()

    def capture(self, stdout: int, stderr: int, live: Callable[[StreamName, bytes], None] | None) -> None:
        budget = Budget(self._spec.limits.max_output_bytes)

        def keep_reason(name: StreamName, piece: bytes) -> None:
            if name == "stderr" and len(self._said_first) < _MOST_REASON:
                self._said_first = (self._said_first + piece)[:_MOST_REASON]
            if live is not None:
                live(name, piece)

        launched = self._launched
        self._captures = {
            launched.out: Capture("stdout", launched.out, stdout, budget, keep_reason),
            launched.err: Capture("stderr", launched.err, stderr, budget, keep_reason),
        }
        for descriptor in (launched.out, launched.err, launched.status):
            self._listen(descriptor, select.POLLIN)
        if launched.aside is not None:
            self._listen(launched.aside, select.POLLIN)
        if self._interrupt is not None:
            self._poll.register(self._interrupt, select.POLLIN)

    def wait_for_setup(self) -> bool:
        """True when the first process inside waits to be let go."""
        if not self._spec.sandboxed:
            return True
        while self._status.child is None and self._is_setting_up():
            self._once(self._setup_deadline)
        return self._status.child is not None and not self._stopped

    def _is_setting_up(self) -> bool:
        if time.monotonic() >= self._setup_deadline and not self._broken:
            self._broken = f"the sandbox was not ready within {SETUP_SECONDS:.0f} seconds"
            self._kill()
        return self._launched.status in self._open and not self._stopped and not self._broken

    def let_go(self) -> None:
        if self._status.child is not None:
            try:
                child = self._launched.first_inside(self._status.child)
                self._child = self._descriptors.own(os.pidfd_open(child))
                self._cage.enter(child)
            except ProcessLookupError:  # it failed to set up and is gone; bubblewrap says why
                return
            if not self._outputs.enter(child, self._wait_a_moment):
                return
        self._started_at = time.time_ns() // 1_000_000
        self._began = time.monotonic_ns()
        self._let_go = True
        if self._spec.sandboxed:
            os.write(self._launched.go, b"\n")
            self._descriptors.close(self._launched.go)
        if self._launched.stdin is not None:
            self._listen(self._launched.stdin, select.POLLOUT)

    def wait_for_end(self) -> None:
        next_look = 0.0
        deadline = self._began / 1e9 + self._spec.limits.timeout_ms / 1000
        while self._open and not self._stopped:
            self._once(min(time.monotonic() + LOOK_SECONDS, deadline))
            if time.monotonic() >= deadline and self._open:
                self._stop("timed_out")
            elif time.monotonic() >= next_look:
                next_look = time.monotonic() + LOOK_SECONDS
                if self._outputs.look():
                    self._stop("over_output_cap")
                elif self._cage.is_over_cpu() and not self._over_cpu:
                    # what RLIMIT_CPU does to one process, to all of them
                    self._over_cpu = True
                    self._kill()
        self._ended = time.monotonic_ns()

    def reap(self) -> None:
        """Waits until nothing of the sandbox is left, and takes what it still said."""
        if self._wait_status is None:
            _, self._wait_status = os.waitpid(self._launched.pid, 0)
        if self._child is not None:
            # bubblewrap may have been killed itself: what it started dies with it, but not in the same instant
            gone = select.poll()  # not select, which knows no descriptor above 1023
            gone.register(self._child, select.POLLIN)
            gone.poll()
        grace = time.monotonic() + 1.0
        while self._open and self._once(grace):
            pass

    def _wait_a_moment(self) -> bool:
        time.sleep(_MOMENT)  # shorter than poll can wait
        self._once(0.0)
        return self._is_setting_up()

    def _once(self, deadline: float) -> bool:
        """One round of whatever is ready; False when nothing came until the deadline."""
        left = deadline - time.monotonic()
        ready = self._poll.poll(max(0.0, left * 1000))
        for descriptor, _ in ready:
            if descriptor == self._interrupt:
                self._poll.unregister(descriptor)
                self._interrupt = None
                self._stop("interrupted")
            elif descriptor == self._launched.stdin:
                self._feed(descriptor)
            elif descriptor == self._launched.status:
                piece = os.read(descriptor, 65536)
                self._status.feed(piece)
                if not piece:
                    self._deaf(descriptor)
            elif descriptor == self._launched.aside:
                piece = os.read(descriptor, 65536)
                self._said_aside = (self._said_aside + piece)[:_MOST_REASON]
                if piece:
                    self._launched.heard()
                if not piece:
                    self._deaf(descriptor)
            else:
                stream = self._captures[descriptor]
                if not stream.take():
                    self._deaf(descriptor)
                elif stream.truncated:
                    self._stop("over_output_cap")
        return bool(ready)

    def _feed(self, descriptor: int) -> None:
        try:
            self._stdin = self._stdin[os.write(descriptor, self._stdin[:65536]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it reads no further: its right
            self._stdin = self._stdin[:0]
        if not self._stdin:
            self._deaf(descriptor)
            self._descriptors.close(descriptor)

    def _listen(self, descriptor: int, events: int) -> None:
        self._poll.register(descriptor, events)
        self._open.add(descriptor)

    def _deaf(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._poll.unregister(descriptor)
            self._open.discard(descriptor)

    def _stop(self, why: Stopped) -> None:
        self._stopped = self._stopped or why
        self._kill()

    def _kill(self) -> None:
        if self._child is not None:
            try:
                signal.pidfd_send_signal(self._child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        elif self._wait_status is None:
            # not yet let go, or no sandbox: all that we started is one session. Not reaped, so its number is its own.
            os.killpg(self._launched.pid, signal.SIGKILL)

    def observation(self) -> Observation:
        outcome, exit_code, number, why = self._how_it_ended()
        denials = []
        if self._cage.oom_kills():
            denials.append(Denial("memory", "oom_kill"))
        if self._cage.refused_forks():
            denials.append(Denial("pids", "fork"))
        if self._over_cpu or (number == signal.SIGXCPU and outcome == "signalled"):
            denials.append(Denial("cpu", "limit"))
        if number == signal.SIGSYS and outcome == "signalled":
            denials.append(Denial("seccomp", "SIGSYS"))
        if outcome in ("not_found", "not_executable"):
            denials.append(Denial("exec", self._spec.argv[0]))
        out, err = (self._captures[at].captured() for at in (self._launched.out, self._launched.err))
        return Observation(
            argv=self._spec.argv,
            outcome=outcome,
            exit_code=exit_code,
            signal=number,
            started_at=self._started_at or time.time_ns() // 1_000_000,
            duration_ms=max(0, round((self._ended - self._began) / 1e6)),
            cpu_ms=self._cage.cpu_ms(),
            peak_memory_bytes=self._cage.peak_memory(),
            stdout=out,
            stderr=err,
            denials=tuple(denials),
            enforced=self._spec.enforced,
            warnings=tuple(in_order({*self._spec.warnings, *self._outputs.warnings})),
            why=why,
        )

    def _how_it_ended(self) -> tuple[Outcome, int | None, int | None, str]:
        """The outcome, the exit code or the signal, and what there is to say."""
        assert self._wait_status is not None
        code = self._status.exit_code if self._spec.sandboxed else _as_shells_say(self._wait_status)
        if self._stopped:
            return self._stopped, None, int(signal.SIGKILL), ""
        if self._broken:
            return "sandbox_failed", None, None, self._broken
        if code is None:
            return self._never_executed()
        outcome: Outcome = "exited"
        number = code - 128 if code - 128 in _FATAL else None
        if number is not None:
            killed_for_memory = number == signal.SIGKILL and self._cage.oom_kills() > 0
            outcome = "oom_killed" if killed_for_memory else "signalled"
        if self._outputs.over:
            outcome = "over_output_cap"
        return outcome, code if number is None else None, number, ""

    def _never_executed(self) -> tuple[Outcome, int | None, int | None, str]:
        """bubblewrap ended without an exit code of the command: what it said is on standard error, alone there."""
        assert self._wait_status is not None
        said = (self._said_aside.strip() or self._said_first).decode(errors="replace").strip().split("\n", 1)[0]
        if os.WIFSIGNALED(self._wait_status) or said.startswith(_UNSHARE_SAYS_KILLED):
            # unshare ends as its child did; of SIGKILL an older one cannot, and says so
            number = os.WTERMSIG(self._wait_status) if os.WIFSIGNALED(self._wait_status) else int(signal.SIGKILL)
            return "sandbox_killed", None, number, f"bubblewrap was killed by signal {number}"
        if self._let_go and said.startswith("bwrap: execvp "):
            missing = said.endswith(("No such file or directory", "Not a directory"))
            return "not_found" if missing else "not_executable", None, None, said.removeprefix("bwrap: execvp ")
        return "sandbox_failed", None, None, said or "bubblewrap ended and did not say why"


#: The signals that end a process when it does not handle them. Others cannot be why one ended.
_FATAL = frozenset(
    int(number)
    for number in signal.valid_signals()
    if number
    not in (
        signal.SIGCHLD,
        signal.SIGCONT,
        signal.SIGSTOP,
        signal.SIGTSTP,
        signal.SIGTTIN,
        signal.SIGTTOU,
        signal.SIGURG,
        signal.SIGWINCH,
    )
)


def _as_shells_say(wait_status: int) -> int:
    code = os.waitstatus_to_exitcode(wait_status)
    return code if code >= 0 else 128 - code

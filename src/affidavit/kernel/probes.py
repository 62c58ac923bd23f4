"""A probe as data, and what its report means (contracts 4.8). Pure.

A probe is one attempt under one policy. What is expected of it follows from the policy; what was observed is what the
probe program reported, how the process ended, and what was seen on the host: never an exit status.
"""

from __future__ import annotations

import errno

from ..contracts.probe_registry import SCHEMA_VERSION
from .compare import EXEC_DENIED, Seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, Literal

    Expectation = Literal[
        "always", "never", "with network", "with any command", "with any root", "outside noexec roots"
    ]
    Decision = Literal["allow", "deny"]
    Need = Literal[
        "listed command",
        "unlisted command",
        "no network",
        "memory cgroup",
        "room for a copy",
        "ipv6",
        "vsock",
        "route",
        "x86-64",
    ]

#: The operations of Linux (contracts/probing.py).
READ, WRITE, CREATE, UNLINK = "file-read-data", "file-write-data", "file-write-create", "file-write-unlink"
EXEC, FORK, SIGNAL = "process-exec", "process-fork", "signal"
OUTBOUND, BIND = "network-outbound", "network-bind"
MOUNT, PTRACE, SYSCTL = "mount", "ptrace", "sysctl-write"

#: A report line starts with it (sandbox/probe/program.py).
MARK = b"affidavit-probe "
_MOST_LINES = 16

#: What the kernel would have answered, had the process lived to hear it.
_ENDS = {
    "oom_killed": errno.ENOMEM,
    "over_output_cap": errno.EDQUOT,
    "timed_out": errno.ETIMEDOUT,
    "SIGKILL": errno.ENOMEM,
    "SIGSEGV": errno.ENOSYS,
    "SIGSYS": errno.EPERM,
    "SIGXCPU": errno.ETIME,
    "SIGXFSZ": errno.EFBIG,
}
#: Signals by their numbers, which are the same on both architectures that we know.
SIGNALS = {9: "SIGKILL", 11: "SIGSEGV", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS"}


class Probe:
    """One attempt. `driver` is its place in the probe program and the words it gets, split at blanks; `{name}` in a
    word stands for a fixture (sandbox/fixtures.py)."""

    __slots__ = (
        "allowed",
        "bare",
        "controls",
        "driver",
        "ends",
        "limits",
        "name",
        "needs",
        "operation",
        "oracle",
        "probe_id",
        "silence_allows",
        "target",
        "witnessed_only",
    )

    def __init__(
        self,
        probe_id: str,
        operation: str,
        driver: str,
        *,
        target: str | None = None,
        allowed: Expectation = "never",
        bare: bool = True,
        oracle: bool = True,
        controls: Iterable[str] = (),
        needs: Iterable[Need] = (),
        ends: Iterable[str] = (),
        limits: Mapping[str, int] | None = None,
        witnessed_only: bool = False,
        silence_allows: bool = False,
    ) -> None:
        self.probe_id = probe_id
        self.name = probe_id.replace("_", " ")
        self.operation = operation
        self.driver = driver
        words = driver.split()
        #: What the operation is aimed at: the driver's first word unless told.
        self.target = target or (words[1] if len(words) > 1 else None)
        self.allowed = allowed
        #: It may be tried without a sandbox: it can neither change the host nor exhaust it.
        self.bare = bare
        #: Whether the profile alone settles it.
        self.oracle = oracle
        #: Probes that make the same attempt where it must succeed: a denial of this one is not just a broken probe.
        self.controls = tuple(controls)
        #: What the host must have, else the probe would show nothing.
        self.needs = tuple(needs)
        #: How the process may be ended by what denies the operation.
        self.ends = tuple(ends)
        #: Limits of the request, lowered so that reaching them costs little. The mechanism is the same.
        self.limits = dict(limits or {})
        #: The kernel's answer to the process says nothing: it got through only if the host saw it.
        self.witnessed_only = witnessed_only
        #: Where it gets through, nobody is left to say so.
        self.silence_allows = silence_allows

    def expected(self, policy: Mapping[str, Any]) -> Decision:
        """What the policy makes of it."""
        if self.allowed == "with network":
            allows = bool(policy["allow_network"])
        elif self.allowed == "with any command":
            allows = not policy["allowed_commands"]
        elif self.allowed == "with any root":
            allows = not policy["allowed_write_roots"]
        elif self.allowed == "outside noexec roots":  # where all of the workspace is one, and commands are listed
            allows = bool(policy["allowed_write_roots"]) or not policy["allowed_commands"]
        else:
            allows = self.allowed == "always"
        return "allow" if allows else "deny"

    def row(self) -> dict[str, Any]:
        """The probe as a registry has it. The expectation there is that of a policy with every list and no network;
        other profiles have rules of their own (`rules`)."""
        return {
            "probe_id": self.probe_id,
            "name": self.name,
            "operation": self.operation,
            "target": self.target,
            "expected": self.expected(CLOSED),
            "supports_lanes": {"baseline": self.bare, "scenario": True, "oracle": self.oracle},
            "expected_primary_ops": [self.operation],
            "expected_predicates": [],
            "capabilities_required": list(self.needs),
            "controls_supported": list(self.controls),
            "driver": self.driver,
            **{name: told for name, told in self._more().items() if told},
        }

    def _more(self) -> dict[str, Any]:
        """What a registry tells of a probe only where there is something to tell (ours)."""
        return {
            "ends": list(self.ends),
            "limits": dict(self.limits),
            "witnessed_only": self.witnessed_only,
            "silence_allows": self.silence_allows,
        }


def probe_of(row: Mapping[str, Any]) -> Probe:
    """The probe that a registry's row tells: what is tried, and how its report is read. What is expected of it, the row
    and the profile's rules say."""
    return Probe(
        row["probe_id"],
        row["operation"],
        row.get("driver") or "",
        target=row["target"],
        allowed="always" if row["expected"] == "allow" else "never",
        bare=row["supports_lanes"].get("baseline", True),
        oracle=row["supports_lanes"].get("oracle", True),
        controls=row["controls_supported"],
        needs=row["capabilities_required"],
        ends=row.get("ends", ()),
        limits=row.get("limits", {}),
        witnessed_only=row.get("witnessed_only", False),
        silence_allows=row.get("silence_allows", False),
    )


#: The policy that a registry's expectations speak of.
CLOSED: dict[str, Any] = {"allow_network": False, "allowed_commands": ["node"], "allowed_write_roots": ["out"]}


def registry(registry_id: str, probes: Iterable[Probe]) -> dict[str, Any]:
    """The probes as a document (contracts/probe_registry.py)."""
    rows = {probe.probe_id: probe.row() for probe in probes}
    return {"schema_version": SCHEMA_VERSION, "registry_id": registry_id, "probes": rows}


def rules(policy: Mapping[str, Any], probes: Iterable[Probe]) -> list[dict[str, str]]:
    """`key_specific_rules` of the profile that is this policy: where it expects something else than CLOSED."""
    return [
        {"probe": probe.probe_id, "expected": probe.expected(policy)}
        for probe in probes
        if probe.expected(policy) != probe.expected(CLOSED)
    ]


class Said:
    """What a probe program reported. A line that is not of its form is not its report."""

    __slots__ = ("answered", "reached", "started", "stopped")

    def __init__(self, output: bytes) -> None:
        told: dict[str, dict[str, str]] = {}
        for line in output.split(b"\n"):
            if line.startswith(MARK) and len(told) < _MOST_LINES:
                event, *words = line[len(MARK) :].decode("ascii", "replace").split(" ")
                told.setdefault(event, dict(word.split("=", 1) for word in words if "=" in word))
        self.started = "started" in told
        self.stopped = told.get("stopped")
        self.reached = told.get("reached")
        self.answered = told.get("answered")

    @property
    def data(self) -> bytes:
        """What the attempt read, if it read anything."""
        return _bytes((self.answered or {}).get("data")) or b""

    @property
    def requested(self) -> str | None:
        return _text((self.reached or {}).get("requested"))

    @property
    def observed(self) -> str | None:
        return _text((self.answered or {}).get("observed"))

    @property
    def observed_errno(self) -> int | None:
        return _number((self.answered or {}).get("observed_errno"))

    @property
    def errno(self) -> int | None:
        return _number((self.answered or self.stopped or {}).get("errno"))

    @property
    def killed(self) -> str | None:
        """The signal that ended the child in which the operation was tried."""
        number = _number((self.answered or {}).get("killed"))
        return None if number is None else signal_name(number)


class Ended:
    """How the process of a probe ended, told by whoever ran it: its outcome in the sandbox's word
    (sandbox/observation.py), the signal that ended it, its exit status."""

    __slots__ = ("outcome", "signal", "status")

    def __init__(self, outcome: str, *, signal: int | None = None, status: int | None = None) -> None:
        self.outcome = outcome
        self.signal = signal
        self.status = status

    @property
    def word(self) -> str:
        return self.outcome if self.signal is None or self.outcome != "signalled" else signal_name(self.signal)


def judged(probe: Probe, said: Said, ended: Ended, *, witnessed: bool, command: tuple[str, ...] = ()) -> Seen:
    """What was observed. `witnessed`: the host saw that it got through, whatever the process was told."""

    def seen(
        *, reached: bool = True, errno: int | None = None, stage: str | None = None, kind: str | None = None
    ) -> Seen:
        return Seen(
            reached=reached,
            errno=errno,
            requested=said.requested,
            observed=said.observed,
            observed_errno=said.observed_errno,
            stage=stage,
            kind=kind,
            exit_code=ended.status,
            command=command,
        )

    if witnessed:
        return seen(kind="seen on the host")
    if not said.started:
        if ended.outcome in ("sandbox_failed", "sandbox_killed"):
            return seen(reached=False, stage="apply", kind=ended.outcome)
        not_started = ended.outcome in ("not_found", "not_executable")
        return seen(reached=False, stage="bootstrap", kind=EXEC_DENIED if not_started else ended.word)
    if said.reached is None:
        return seen(reached=False, errno=said.errno, stage="probe", kind="could not be prepared")
    if said.answered is None or said.errno is None:
        return _unanswered(probe, ended, seen)
    if said.killed is not None:
        return seen(errno=_ENDS.get(said.killed, errno.EPERM), kind=said.killed)
    if said.errno:
        return seen(errno=said.errno)
    if ended.word in probe.ends:  # it was done before the limit was noticed, and the run was condemned for it
        return seen(errno=_ENDS[ended.word], kind=ended.word)
    if probe.witnessed_only:
        return seen(errno=errno.ESRCH, kind="nothing was seen on the host")
    return seen()


def _unanswered(probe: Probe, ended: Ended, seen: Any) -> Seen:
    """The operation was reached, and nothing was heard after it."""
    told: Seen
    if ended.word in probe.ends or ended.word == "SIGSYS":
        told = seen(errno=_ENDS.get(ended.word, errno.EPERM), kind=ended.word)
    elif probe.silence_allows:
        told = seen(kind=f"no answer: {ended.word}")
    else:
        told = seen(reached=False, stage="probe", kind=f"no answer: {ended.word}")
    return told


def signal_name(number: int) -> str:
    return SIGNALS.get(number, f"signal {number}")


def _bytes(text: str | None) -> bytes | None:
    try:
        return None if text is None else bytes.fromhex(text)
    except ValueError:
        return None


def _text(text: str | None) -> str | None:
    told = _bytes(text)
    return None if told is None else told.decode("utf-8", "surrogateescape")


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None

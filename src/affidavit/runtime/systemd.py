"""The channel `systemd_clean` (contracts 4.9): a worker that the running systemd starts as a transient unit.

A unit is born of the manager: no seccomp filter, no no-new-privs, no namespace, limit, descriptor or variable of ours
comes along. The job goes to its standard input only once the manager has told who the unit is, so that it is still
there to be told about; the recording comes back over its standard output. Root asks the system's manager, everybody
else asks their own.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time

from ..contracts.run_manifest import unit_of
from ..sandbox.attempt import attempt
from ..sandbox.programs import find_program
from ..shown import plain
from .recording import Recorded
from .refused import WorkerFailed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .job import Job

CHANNEL = "systemd_clean"

#: A manager that takes this long to start a unit will not start it.
_START_SECONDS = 60.0
_MOST_BYTES = 256 << 20
_MOST_COMPLAINTS = 1 << 16
_MOST_REASON = 300

#: Runs the worker of this very package, wherever it lies: the manager knows nothing of how we were found.
_WORKER = "import sys; sys.path.insert(0, sys.argv[1]); from affidavit.runtime.worker import main; sys.exit(main())"


class Manager:
    """A running systemd, the system's or one user's."""

    __slots__ = ("pid", "uid")

    def __init__(self, pid: int, uid: int) -> None:
        self.pid = pid
        #: Whose it is; 0 for the system's.
        self.uid = uid

    @property
    def environment(self) -> dict[str, str]:
        """What its tools need to find it."""
        base = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C"}
        return base if self.uid == 0 else {**base, "XDG_RUNTIME_DIR": f"/run/user/{self.uid}"}

    @property
    def words(self) -> tuple[str, ...]:
        return () if self.uid == 0 else ("--user",)


def why_not() -> str:
    """Why no manager starts units for us here; empty where one does."""
    found = find()
    return found if isinstance(found, str) else ""


def find() -> Manager | str:
    """The manager, by connecting to it: who answers is told by the kernel. Or why there is none."""
    uid = os.geteuid()
    place = "/run/systemd/private" if uid == 0 else f"/run/user/{uid}/systemd/private"
    whose = "the system's systemd" if uid == 0 else "a systemd of this user"
    for program in ("systemd-run", "systemctl"):
        if find_program(program) is None:
            return f"the command {program} is missing: apt-get install systemd"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
            asking.connect(place)
            pid = int.from_bytes(asking.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[:4], sys.byteorder)
    except OSError as error:
        return f"{whose} does not run: {place}: {error.strerror}"
    if pid == 0:
        return f"{whose} runs in another process namespace, where it cannot tell us who its processes are"
    return Manager(pid, uid)


def unit_words(manager: Manager, run_id: str, seconds: int, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Pure: the words for systemd-run."""
    return (
        *manager.words,
        "--wait",
        "--pipe",
        "--collect",
        f"--unit={unit_of(CHANNEL, run_id)}",
        "--service-type=exec",
        "--property=KillMode=control-group",
        # should we be gone: nobody stops it then
        f"--property=RuntimeMaxSec={seconds}",
        "--",
        *argv,
    )


def longest(job: Job) -> int:
    """Seconds that the job may take: each probe of each lane up to its policy's time, and some for what is around."""
    each = [policy["timeout_ms"] // 1000 + 10 for policy in job.policies.values()]
    pairs = sum(1 for lane in ("baseline", "scenario") for _ in job.resolved.pairs(lane))
    return 120 + max(each, default=0) * (pairs + 1)


def work(run_id: str, job: Job) -> tuple[Recorded, dict[str, Any]]:
    """What the worker saw, and what the manager says of it. Leaves no unit behind, however it ends."""
    manager = find()
    if isinstance(manager, str):
        raise WorkerFailed(manager)
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    argv = (sys.executable, "-I", "-B", "-c", _WORKER, package)
    words = (_program("systemd-run"), *unit_words(manager, run_id, longest(job), argv))
    with (
        tempfile.TemporaryFile() as complaints,
        subprocess.Popen(  # noqa: S603 -- systemd-run, with words of our own
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=manager.environment,
            cwd="/",
            start_new_session=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            told = _started(manager, run_id, process)
            if told is not None:
                _hand_over(process.stdin, job.to_bytes())
            data = process.stdout.read(_MOST_BYTES + 1)
            status = process.wait()
        finally:
            if process.poll() is None:
                _systemctl(manager, "kill", "--signal=SIGKILL", unit_of(CHANNEL, run_id))
                process.kill()
        complaints.seek(0)
        why = _reason(complaints.read(_MOST_COMPLAINTS).decode(errors="replace"))
    if told is None or status != 0:
        raise WorkerFailed(f"the unit of systemd ended with status {status}: {plain(why) or 'it did not say why'}")
    if len(data) > _MOST_BYTES:
        raise WorkerFailed(f"the worker sent more than {_MOST_BYTES} bytes")
    return Recorded.from_bytes(data), told


def _reason(said: str) -> str:
    """systemd-run tells how the unit ended, after whatever the worker itself had to say."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    ended = [line for line in lines if line.startswith(("Main processes terminated", "Failed to"))]
    return (ended or lines or [""])[-1][:_MOST_REASON]


def _started(manager: Manager, run_id: str, process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
    """What the manager says of the unit once it runs; None when it will not."""
    unit = unit_of(CHANNEL, run_id)
    deadline = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        told = _systemctl(manager, "show", "--property=MainPID,InvocationID,ControlGroup,ActiveState,Id", unit)
        said = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
        if said.get("ActiveState") == "active" and said.get("MainPID", "0") not in ("", "0"):
            return {
                "pid": int(said["MainPID"]),
                "unit": said["Id"],
                "cgroup": said["ControlGroup"],
                "invocation_id": said["InvocationID"],
                "manager_pid": manager.pid,
            }
        time.sleep(0.01)
    return None


def _hand_over(stdin: Any, data: bytes) -> None:
    """A worker that is gone by now says why itself."""
    try:
        stdin.write(data)
        stdin.close()
    except BrokenPipeError:
        return


def _systemctl(manager: Manager, *words: str) -> str:
    where = [f"{name}={value}" for name, value in manager.environment.items()]
    return attempt(["/usr/bin/env", "-i", *where, _program("systemctl"), *manager.words, *words]).out


def _program(name: str) -> str:
    found = find_program(name)
    assert found is not None, "find() looked for it"
    return found

"""The job of the channel `launchd_clean` (contracts 4.9): its property list and the commands that run it. Pure.

A job that launchd starts inherits nothing of ours: not a sandbox profile, not an environment, not descriptors. Made and
golden-tested everywhere; started nowhere yet, as no macOS was at hand to verify it on (docs/explanation/channels.md).
"""

from __future__ import annotations

from ..contracts.run_manifest import unit_of
from ..errors import UsageError
from ..shown import plain

CHANNEL = "launchd_clean"
_LAUNCHCTL = "/bin/launchctl"

#: What a job's environment holds; launchd gives it nothing else of a user's.
ENVIRONMENT = {"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "UTC"}


class Job:
    """One run of a worker under launchd. Its files lie in `folder`, which only its owner may enter."""

    __slots__ = ("argv", "folder", "run_id", "uid")

    def __init__(self, run_id: str, argv: tuple[str, ...], folder: str, uid: int) -> None:
        if not argv or not all(path.startswith("/") for path in (argv[0], folder)):
            raise UsageError("USAGE", f"expected absolute paths: launchd has no current directory, {plain(folder)!r}")
        self.run_id = run_id
        self.argv = argv
        self.folder = folder
        self.uid = uid

    @property
    def label(self) -> str:
        return unit_of(CHANNEL, self.run_id)

    @property
    def domain(self) -> str:
        """The user's own: jobs there need no root, and no login window."""
        return f"user/{self.uid}"

    @property
    def target(self) -> str:
        return f"{self.domain}/{self.label}"

    def place(self, suffix: str) -> str:
        return f"{self.folder}/{self.label}.{suffix}"


def property_list(job: Job) -> bytes:
    """launchd.plist(5). It runs once, never again by itself, and everything it starts ends with it."""
    from plistlib import FMT_XML, dumps

    return dumps(
        {
            "Label": job.label,
            "ProgramArguments": list(job.argv),
            "EnvironmentVariables": ENVIRONMENT,
            "WorkingDirectory": job.folder,
            "StandardInPath": job.place("job"),
            "StandardOutPath": job.place("recording"),
            "StandardErrorPath": job.place("log"),
            "RunAtLoad": False,
            "KeepAlive": False,
            "LaunchOnlyOnce": True,
            "AbandonProcessGroup": False,
            "ProcessType": "Standard",
            "Umask": 0o077,
        },
        fmt=FMT_XML,
        sort_keys=True,
    )


def commands(job: Job) -> dict[str, tuple[str, ...]]:
    """What is run for it, in this order: made known, started, asked about while it runs, forgotten. The last one also
    after a failure, and when we are interrupted."""
    return {
        "bootstrap": (_LAUNCHCTL, "bootstrap", job.domain, job.place("plist")),
        "kickstart": (_LAUNCHCTL, "kickstart", "-p", job.target),
        "print": (_LAUNCHCTL, "print", job.target),
        "bootout": (_LAUNCHCTL, "bootout", job.target),
    }


def manager_of(printed: str, job: Job) -> dict[str, object] | None:
    """What launchd says of its job, from `launchctl print`: None where it does not say that this job runs."""
    lines = [line.strip() for line in printed.splitlines()]
    if not lines or lines[0].split(" = ")[0] != job.target:
        return None
    told = {name: value for name, _, value in (line.partition(" = ") for line in lines[1:])}
    pid = told.get("pid", "")
    if told.get("state") != "running" or not (pid.isascii() and pid.isdigit()):
        return None
    # launchd is process 1, the parent of its jobs
    return {"pid": int(pid), "unit": job.label, "cgroup": None, "invocation_id": None, "manager_pid": 1}

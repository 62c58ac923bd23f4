"""Runs an engine's entrypoint in the sandbox: from the engine's folder, which is read-only, without network, with the
limits of profile `default`; the input on standard input, the output document on standard output (contracts 3)."""

from __future__ import annotations

import os
import tempfile

from ..contracts.policy import built_in
from ..errors import ReadFailed
from ..sandbox.gaps import Gaps
from ..sandbox.prepare import prepare
from ..sandbox.request import SandboxRequest
from ..sandbox.runner import run
from ..sandbox.setting import Setting
from ..shown import plain
from ..store import fs
from .failed import EngineError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..sandbox.abilities import AbilityName
    from ..sandbox.observation import Observation
    from ..sandbox.spec import SandboxSpec

#: Where the engine's folder is inside.
PLACE = "/engine"

#: What an engine sees beside what every sandbox has. Hashes of strings are seeded: an engine that iterates over a set
#: gives the same twice, and a replay may ask whether another seed makes a difference.
ENVIRONMENT = {"PYTHONHASHSEED": "0"}

_DEGRADED = "sandbox.degraded."
_TAIL = 400
_LONGEST_HEAD = 256
_VERSION_MS = 10_000
_LONGEST_VERSION = 200


class Ran:
    """How an entrypoint ended, and what it said."""

    __slots__ = ("degraded", "environment", "observation", "stderr", "stdout")

    def __init__(self, observation: Observation, stdout: bytes, stderr: bytes, spec: SandboxSpec) -> None:
        self.observation = observation
        self.stdout = stdout
        self.stderr = stderr
        self.environment = dict(spec.environment)
        #: What the host lacked and the caller agreed to go on without.
        self.degraded = [warning.removeprefix(_DEGRADED) for warning in spec.warnings if warning.startswith(_DEGRADED)]

    @property
    def worked(self) -> bool:
        return self.observation.outcome == "exited" and self.observation.exit_code == 0

    def why(self) -> str:
        """What went wrong, with the last of what it said about it."""
        observation = self.observation
        told = f"{observation.outcome.replace('_', ' ')}, status {observation.status}"
        if observation.why:
            told += f": {observation.why}"
        last = plain(" ".join(self.stderr[-_TAIL:].decode(errors="replace").split()))
        return f"{told}: {last}" if last else told


def engine_policy(engine: str, entrypoint: Sequence[str]) -> dict[str, Any]:
    """The limits of `default`, the entrypoint's command and nothing else to start, nowhere to write but /tmp."""
    commands = _interpreters(engine, entrypoint[0]) if "/" in entrypoint[0] else [entrypoint[0]]
    return built_in("default") | {"name": "engine", "allowed_commands": commands, "allowed_write_roots": ["tmp"]}


def _interpreters(engine: str, command: str) -> list[str]:
    """What interprets a script of the engine's own. A binary has none that could be named, and gets what the host has:
    its libraries may be anywhere."""
    folder = fs.open_root(os.path.realpath(engine))
    try:
        opened = fs.open_below(folder, command.removeprefix("./"))
        try:
            head = os.read(opened, _LONGEST_HEAD)
        finally:
            os.close(opened)
    except ReadFailed:
        return [command]  # which is not there: starting it says so
    finally:
        fs.close(folder)
    words = os.fsdecode(head[2:].split(b"\n", 1)[0]).split() if head.startswith(b"#!") else []
    is_env = bool(words) and os.path.basename(words[0]) == "env"
    return words[:1] + [word for word in words[1:] if is_env and not word.startswith("-") and "=" not in word][:1]


def execute(
    engine: str,
    entrypoint: Sequence[str],
    stdin: bytes,
    *,
    setting: Setting | None = None,
    environment: Mapping[str, str] = ENVIRONMENT,
    read_only: Mapping[str, str] | None = None,
    also_commands: Sequence[str] = (),
    degraded: Sequence[AbilityName] = (),
    timeout_ms: int | None = None,
) -> Ran:
    """One run of the entrypoint. Raises SandboxUnavailable for what this host cannot enforce, EngineError where no
    sandbox could be started; however the program ends is a Ran."""
    setting = setting or Setting(directory=PLACE)
    with tempfile.TemporaryDirectory(prefix="affidavit-engine-") as scratch:
        request = SandboxRequest(
            engine_policy(engine, entrypoint),
            entrypoint,
            scratch,
            environment=environment,
            stdin=stdin,
            read_only={os.path.realpath(engine): setting.directory, **(read_only or {})},
            also_commands=also_commands,
            degraded=degraded,
            timeout_ms=timeout_ms,
            setting=setting,
        )
        spec = prepare(request)
        if isinstance(spec, Gaps):
            raise spec.error()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            observation = run(spec, stdout=out.fileno(), stderr=err.fileno())
            out.seek(0)
            err.seek(0)
            ran = Ran(observation, out.read(), err.read(), spec)
    if observation.sandbox_failed:
        raise EngineError("SANDBOX_FAILED", f"no sandbox could be made for the engine: {observation.why}")
    return ran


def interpreter_of(
    engine: str, entrypoint: Sequence[str], *, degraded: Sequence[AbilityName] = ()
) -> dict[str, str] | None:
    """The command that interprets the engine and the version that it tells of itself; None where the engine's own file
    is the command."""
    command = entrypoint[0]
    if "/" in command:
        return None
    ran = execute(engine, [command, "--version"], b"", degraded=degraded, timeout_ms=_VERSION_MS)
    said = (ran.stdout or ran.stderr).decode(errors="replace").split("\n")[0].strip() if ran.worked else ""
    return {"command": command, "version": said[:_LONGEST_VERSION]}

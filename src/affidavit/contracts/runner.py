"""runner.json: how an execution was performed (seed 001, RN1-RN12; contracts 2.8)."""

from __future__ import annotations

from ..canon.profiles import KERNEL
from ..rules.checks import INSTANT, does_not_climb, every, is_relative, sorted_texts
from ..rules.engine import examine, hashed
from ..rules.model import Contract, Fault, Report, Rule
from ..rules.shape import Arr, Bool, Int, Obj, OneOf, Text, non_empty
from ..shown import shown
from ..values import DIGITS, LOWER_ALNUM, is_locale, is_semver, made_of, parse_timestamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..rules.shape import Shape
    from ..values import Level

#: RN8: variables that carry secrets or steer the tools that run.
FORBIDDEN_PREFIXES = ("SSH_", "NPM_", "GIT_", "AWS_", "OPENAI_", "ANTHROPIC_")
#: Variables that a sandbox sets, to the same values everywhere; nobody else may.
FIXED_VARIABLES = ("HOME", "LANG", "PATH", "TZ")

#: RN11: the members that identify the run's conditions. Timing and ephemeral notes are none of them.
CORE = (
    "runner_schema_version",
    "runner_id",
    "runner_version",
    "platform",
    "sandbox",
    "limits",
    "commands",
    "write_roots",
    "context",
    "exit",
    "warnings",
)


def is_runner_id(text: str) -> bool:
    """`runner_\\d{8}_\\d{6}_[a-z0-9]+` (RN2)."""
    parts = text.split("_")
    return (
        len(parts) == 4
        and parts[0] == "runner"
        and (len(parts[1]), len(parts[2])) == (8, 6)
        and made_of(parts[1] + parts[2], DIGITS)
        and made_of(parts[3], LOWER_ALNUM)
    )


def new_runner_id(epoch_seconds: int, random: bytes) -> str:
    """A runner_id of that second; eight random bytes keep the ids of one second apart on any number of machines."""
    from time import gmtime, strftime

    return f"runner_{strftime('%Y%m%d_%H%M%S', gmtime(epoch_seconds))}_{random.hex()}"


def _is_node_version(text: str) -> bool:
    return text[:1] == "v" and is_semver(text[1:])


def _is_signal(text: str) -> bool:
    """Uppercase, as in SIGTERM or SIGRTMIN+1 (RN10)."""
    return made_of(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-") and text[0].isalpha()


def _shape(_level: Level) -> Shape:
    return Obj(
        {
            "runner_schema_version": OneOf("1.0.0", rule="RN1"),
            "runner_id": Text(is_runner_id, "runner_YYYYMMDD_HHMMSS_ and lowercase letters or digits", rule="RN2"),
            "runner_version": non_empty("RN2"),
            "platform": Obj(
                {
                    "os": OneOf("linux", "darwin", "win32"),
                    "arch": OneOf("x64", "arm64", "ia32"),
                    "node_version": Text(_is_node_version, "v and a semantic version"),
                    "npm_version": Text(is_semver, "a semantic version"),
                },
                rule="RN3",
            ),
            "sandbox": Obj(
                {
                    "backend": OneOf("process", "container", "vm", "none"),
                    "isolation_level": OneOf("strict", "standard", "none"),
                    "network_blocked": Bool(),
                    "filesystem_readonly": Bool(),
                },
                rule="RN4",
            ),
            "limits": Obj(
                {
                    "timeout_ms": Int(1000, 600_000),
                    "max_output_files": Int(1, 10_000),
                    "max_total_output_bytes": Int(1024, 1_073_741_824),
                },
                {"max_memory_bytes": Int(1), "max_cpu_seconds": Int(1)},
                rule="RN5",
            ),
            "commands": Obj(
                {"allowlist": Arr(Text()), "blocklist": Arr(Text()), "shell": non_empty()},
                {"companions": Arr(Text())},
                rule="RN6",
            ),
            "write_roots": Arr(Text(), rule="RN7"),
            "context": Obj(
                {
                    "working_dir": OneOf("."),
                    "env_allowlist": Arr(Text()),
                    "locale": Text(is_locale, "a locale such as C.UTF-8 or en_US.UTF-8"),
                    "timezone": non_empty(),
                },
                rule="RN8",
            ),
            "timing": Obj(
                {"started_at": INSTANT, "completed_at": INSTANT, "duration_ms": Int()},
                {"phases": Arr(Obj({"name": Text(), "started_at": INSTANT, "duration_ms": Int(0)}))},
                rule="RN9",
            ),
            "exit": Obj(
                {"code": Int(0, 255), "oom_killed": Bool(), "timeout_killed": Bool()},
                {"signal": Text(_is_signal, "an uppercase signal name")},
                rule="RN10",
            ),
        },
        {"warnings": Arr(Text(), rule="SCHEMA"), "ephemeral": Obj({}, rule="SCHEMA")},
    )


def _no_sandbox_has_no_backend(isolation_level: str, backend: str) -> Iterator[Fault]:
    if isolation_level == "none" and backend != "none":
        yield Fault('"none", as isolation_level says', shown(backend), field=1)


def _do_not_overlap(allowlist: list[str], blocklist: list[str]) -> Iterator[Fault]:
    allowed = set(allowlist)
    for index, name in enumerate(blocklist):
        if name in allowed:
            yield Fault("no command that is in the allowlist too", shown(name), index, field=1)


def _is_no_secret(name: str) -> bool:
    return not name.startswith(FORBIDDEN_PREFIXES)


def _durations_agree(started_at: str, completed_at: str, duration_ms: int) -> Iterator[Fault]:
    elapsed = _millis(completed_at) - _millis(started_at)
    if elapsed < 0:
        yield Fault("an instant not before started_at", shown(completed_at), field=1)
    if abs(duration_ms - elapsed) > 1:
        yield Fault(f"{elapsed}, completed_at - started_at, give or take 1", shown(duration_ms), field=2)


def _phases_in_order(phases: list[dict[str, Any]]) -> Iterator[Fault]:
    """Compared as instants: with and without milliseconds the texts do not sort as the times do."""
    for index in range(1, len(phases)):
        before, this = phases[index - 1]["started_at"], phases[index]["started_at"]
        if _millis(this) < _millis(before):
            yield Fault(f"phases by started_at, this one not before {before}", shown(this), index, "started_at")


def _millis(instant: str) -> int:
    millis = parse_timestamp(instant)
    assert millis is not None  # the shape let only instants through
    return millis


RUNNER = Contract(
    "runner record",
    "runner",
    _shape,
    (
        Rule("SCHEMA", "every section is there, objects are objects and lists are lists"),
        Rule("SCHEMA", "warnings are sorted", sorted_texts, needs=("warnings",)),
        Rule("RN1", "runner_schema_version is 1.0.0"),
        Rule("RN2", "runner_id has its form, runner_version is not empty"),
        Rule("RN3", "platform is complete and known"),
        Rule("RN4", "sandbox members are known values"),
        Rule(
            "RN4",
            "no isolation means no backend",
            _no_sandbox_has_no_backend,
            needs=("sandbox.isolation_level", "sandbox.backend"),
        ),
        Rule("RN5", "limits are within their bounds"),
        Rule("RN6", "the allow-list is sorted", sorted_texts, needs=("commands.allowlist",)),
        Rule("RN6", "the block-list is sorted", sorted_texts, needs=("commands.blocklist",)),
        Rule("RN6", "companions are sorted", sorted_texts, needs=("commands.companions",)),
        Rule(
            "RN6",
            "allow-list and block-list do not overlap",
            _do_not_overlap,
            needs=("commands.allowlist", "commands.blocklist"),
        ),
        Rule("RN7", "write roots are sorted", sorted_texts, needs=("write_roots",)),
        Rule("RN7", "write roots are relative", every("a relative path", is_relative), needs=("write_roots",)),
        Rule("RN7", "no write root climbs", every('a path without ".."', does_not_climb), needs=("write_roots",)),
        Rule("RN8", "working_dir is the dot, the locale is a locale"),
        Rule("RN8", "variable names are sorted", sorted_texts, needs=("context.env_allowlist",)),
        Rule(
            "RN8",
            "no variable may carry a secret",
            every(f"a name without the prefixes {', '.join(FORBIDDEN_PREFIXES)}", _is_no_secret),
            needs=("context.env_allowlist",),
        ),
        Rule(
            "RN9",
            "the duration is the time between start and end",
            _durations_agree,
            needs=("timing.started_at", "timing.completed_at", "timing.duration_ms"),
        ),
        Rule("RN9", "phases stand in the order of their start", _phases_in_order, needs=("timing.phases",)),
        Rule("RN10", "the exit status is a number from 0 to 255, signals are uppercase, kills are told"),
        Rule("RN11", "the runner hash leaves timing and ephemeral notes out", behaviour=True),
        Rule("RN12", "the record survives parsing and writing unchanged", behaviour=True),
    ),
)


#: Seed 001's example record.
EXAMPLE: dict[str, Any] = {
    "runner_schema_version": "1.0.0",
    "runner_id": "runner_20260106_120000_abc123",
    "runner_version": "0.3.15",
    "platform": {"os": "linux", "arch": "x64", "node_version": "v24.11.1", "npm_version": "10.9.2"},
    "sandbox": {
        "backend": "process",
        "isolation_level": "standard",
        "network_blocked": True,
        "filesystem_readonly": False,
    },
    "limits": {"timeout_ms": 60000, "max_output_files": 500, "max_total_output_bytes": 52428800},
    "commands": {"allowlist": ["node", "npm", "npx"], "blocklist": [], "shell": "/bin/sh"},
    "write_roots": ["build", "dist", "out", "tmp"],
    "context": {
        "working_dir": ".",
        "env_allowlist": ["LANG", "LC_ALL", "NODE_ENV", "TZ"],
        "locale": "en_US.UTF-8",
        "timezone": "UTC",
    },
    "timing": {
        "started_at": "2026-01-06T12:00:00.000Z",
        "completed_at": "2026-01-06T12:00:05.000Z",
        "duration_ms": 5000,
    },
    "exit": {"code": 0, "oom_killed": False, "timeout_killed": False},
}


def verify_runner(value: object, *, level: Level = "spec") -> Report:
    """RN1-RN12. `facts["runner_hash"]` is there only when the record is valid."""
    return hashed(examine(RUNNER, value, level), value, "RN12", "runner_hash", CORE)


def runner_hash(record: dict[str, Any]) -> str:
    """The KERNEL hash of RunnerCore (RN11)."""
    return KERNEL.digest({name: record[name] for name in CORE if name in record}).content_hash

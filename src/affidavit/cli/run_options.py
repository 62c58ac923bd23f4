"""The command line of `affidavit run`, and the request that it makes."""

from __future__ import annotations

import os

from ..errors import ReadFailed, UsageError
from ..harness.errors import NO_FILE, POLICY, RunError
from ..harness.intent import intent_of_command, parse_intent, read_intent
from ..harness.model import DEFAULT_TIMEOUT, key_from
from ..harness.profile import custom_profile, named_profile
from ..harness.request import DEFAULT_OUT, DEGRADABLE, Bounds, Request
from ..harness.secrets import Secrets
from ..harness.workspace import MOST_BYTES, MOST_ENTRIES, Limits
from ..shown import plain
from ..values import DIGITS, made_of
from .args import Argument, Option
from .input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..contracts.policy import ModelMode
    from ..harness.intent import Intent
    from ..harness.model_session import Recording, Replay
    from ..harness.request import Mode
    from .args import Args

_WORKSPACE_LIMITS = (("--max-workspace-bytes", MOST_BYTES), ("--max-workspace-entries", MOST_ENTRIES))
#: Of standard input for a command.
_MOST_STDIN = 1 << 30

ARGUMENTS = (
    Argument("INTENT", "the intent's file; - reads standard input", optional=True),
    Argument("COMMAND", "a program and its arguments", optional=True, many=True, after_dashes=True),
)
OPTIONS = (
    Option(
        "--mode",
        "how far to go (without it: plan-only, which executes nothing; for a command execute-sandbox)",
        value="MODE",
        choices=("plan-only", "execute-sandbox"),
    ),
    Option("--policy", "strict, default or dev (without it: default; for a command dev)", value="NAME"),
    Option("--policy-file", "a profile of your own", value="FILE"),
    Option("--workspace", "the directory that commands get a copy of", value="DIR", default="."),
    Option("--out", "the folder that runs are committed to", value="OUT", default=DEFAULT_OUT),
    Option("--keep", "copy the outputs to this directory, too, replacing what is there", value="DIR"),
    Option(
        "--env",
        "a variable for the commands; without a value, the one that it has here (its value is not recorded)",
        value="NAME[=VALUE]",
        many=True,
    ),
    Option(
        "--secret",
        "a variable for the commands whose value is replaced by [secret:NAME] wherever it would be recorded",
        value="NAME",
        many=True,
    ),
    Option("--stdin", "what the first command reads; - is standard input", value="FILE"),
    Option("--timeout", "for all commands together; at most the policy's", value="SECONDS"),
    Option("--show-output", "show what commands say on standard error, also when that is no terminal"),
    Option("--exit-code", "child: end with the command's own status", value="WHOSE", choices=("child", "verdict")),
    Option(
        "--allow-degraded",
        f"run without what this host cannot enforce, and say so in the record ({', '.join(DEGRADABLE)})",
        value="GAP[,GAP]",
        many=True,
    ),
    Option(
        "--sandbox",
        "none: no sandbox, for a --policy-file with allow_network true and both lists empty",
        value="HOW",
        choices=("auto", "none"),
        default="auto",
    ),
    Option(
        "--model-mode",
        "whether a model proposes the work that an intent leaves undeclared: record asks one, replay asks a recording",
        value="MODE",
        choices=("none", "record", "replay"),
        default="none",
    ),
    Option("--model-recording", "the recording that is written, or replayed", value="FILE"),
    Option("--model-adapter", "who is asked: command:ARGV, or openai:BASE_URL#MODEL", value="NAME"),
    Option("--model-key-env", "the variable that holds the server's key, which is recorded nowhere", value="NAME"),
    Option("--model-timeout", "for each question", value="SECONDS", default=f"{DEFAULT_TIMEOUT:g}"),
    Option("--noexec-workspace", "execute no file that came with the workspace either"),
    Option("--max-memory", "lower the memory limit, which is 2 GiB for all processes together", value="BYTES"),
    Option("--max-cpu-seconds", "lower the limit of processor time, which is twice the timeout", value="N"),
    Option("--max-processes", "lower the limit of processes, which is 512", value="N"),
    Option("--max-workspace-bytes", "how much is copied at most", value="N", default=str(MOST_BYTES)),
    Option("--max-workspace-entries", "how many files and directories", value="N", default=str(MOST_ENTRIES)),
)


def request_of(args: Args) -> Request:
    """What the command line asks for. Raises UsageError and RUN_E001 to RUN_E004."""
    command = args.arguments("COMMAND")
    path = args.argument("INTENT")
    if (path is None) == (not command):
        raise UsageError("USAGE", "expected an intent's file, or -- and a command, and not both")
    if path == "-" and args.text("--stdin") == "-":
        raise UsageError("USAGE", "standard input cannot be both the intent and what its command reads")
    secrets = _secrets(args)
    declared, passed = _variables(args)
    stdin_path = args.text("--stdin")
    stdin = _input(stdin_path, NO_FILE, _MOST_STDIN) if stdin_path is not None else b""
    if command:
        # typed here as the command's words are, and told where they are
        words = [secrets.replaced(word) for word in command]
        intent = intent_of_command(words, {name: secrets.replaced(value) for name, value in declared.items()}, stdin)
    else:
        assert path is not None
        intent = _read(path)
    policy = _policy(args, "dev" if command else "default")
    key_name = args.text("--model-key-env")
    key = key_from(key_name) if key_name is not None else ""
    mode: Mode = args.text("--mode") or ("execute-sandbox" if command else "plan-only")  # type: ignore[assignment]
    return Request(
        intent,
        policy,
        mode=mode,
        out=args.text("--out") or DEFAULT_OUT,
        workspace=args.text("--workspace") or ".",
        limits=Limits(*(_number(args, option) or most for option, most in _WORKSPACE_LIMITS)),
        environment={**declared, **passed},
        secrets=secrets,
        stdin=stdin,
        timeout_ms=_milliseconds("--timeout", args),
        degraded=[gap for text in args.texts("--allow-degraded") for gap in text.split(",")],  # type: ignore[misc]
        no_sandbox=args.text("--sandbox") == "none",
        noexec_workspace=args.has("--noexec-workspace"),
        bounds=Bounds(
            memory_bytes=_number(args, "--max-memory"),
            cpu_seconds=_number(args, "--max-cpu-seconds"),
            pids=_number(args, "--max-processes"),
        ),
        real_argv=tuple(command),
        session=_session(args, policy, key),
        model_key={key_name: key} if key_name else None,
        cache=_cache(),
    )


def _session(args: Args, policy: dict[str, Any], key: str) -> Recording | Replay | None:
    mode: ModelMode = args.text("--model-mode") or "none"  # type: ignore[assignment]  # one of its choices
    if mode == "none":
        return None
    from ..harness.model_session import open_session

    return open_session(
        policy,
        mode,
        recording=args.text("--model-recording") or "",
        adapter=args.text("--model-adapter") or "",
        key=key,
        timeout=(_milliseconds("--model-timeout", args) or 0) / 1000,
    )


def _cache() -> str:
    """The user's folder for what can be asked again (XDG Base Directory Specification); none where there is no home."""
    above = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.environ.get("HOME") or "", ".cache")
    is_there = os.path.isabs(above) and os.path.isdir(os.path.dirname(above))
    return os.path.join(above, "affidavit") if is_there else ""


def _read(path: str) -> Intent:
    return parse_intent(_input(path, NO_FILE), path) if path == "-" else read_intent(path)


def _policy(args: Args, default: str) -> dict[str, Any]:
    name, path = args.text("--policy"), args.text("--policy-file")
    if name and path:
        raise UsageError("USAGE", "--policy names a profile and --policy-file brings one: give one of them")
    if path:
        return custom_profile(_input(path, POLICY), path)
    return named_profile(name or default)


def _secrets(args: Args) -> Secrets:
    values = {}
    for name in args.texts("--secret"):
        if "=" in name:
            raise UsageError("USAGE", f"--secret takes a name and no value: {plain(name.split('=')[0])} is read here")
        values[name] = _here("--secret", name)
    return Secrets(values)


def _variables(args: Args) -> tuple[dict[str, str], dict[str, str]]:
    """Those given with their value, and those that have one here."""
    declared: dict[str, str] = {}
    passed: dict[str, str] = {}
    for text in args.texts("--env"):
        name, equals, value = text.partition("=")
        if equals:
            declared[name] = value
        else:
            passed[name] = _here("--env", name)
    return declared, passed


def _here(option: str, name: str) -> str:
    value = os.environ.get(name)
    if value is None:
        raise UsageError("USAGE", f"{option} {plain(name)}: there is no such variable here")
    return value


def _milliseconds(option: str, args: Args) -> int | None:
    text = args.text(option)
    if text is None:
        return None
    whole, _, part = text.partition(".")
    if not made_of(whole, DIGITS) or (part and not made_of(part, DIGITS)) or len(text) > 12:
        raise UsageError("USAGE", f"{option}: expected seconds, found {plain(text)!r}")
    return int(whole) * 1000 + int((part + "000")[:3])


def _number(args: Args, option: str) -> int | None:
    text = args.text(option)
    if text is None:
        return None
    if not made_of(text, DIGITS) or len(text) > 18:
        raise UsageError("USAGE", f"{option}: expected a number, found {plain(text)!r}")
    return int(text)


def _input(path: str, code: str, max_bytes: int | None = None) -> bytes:
    try:
        data = read_input(path) if max_bytes is None else read_input(path, max_bytes=max_bytes)
    except ReadFailed as error:
        raise RunError(code, error.message) from None
    if max_bytes is not None and len(data) > max_bytes:
        raise RunError(code, f"{plain(path)}: expected at most {max_bytes} bytes, found more")
    return data

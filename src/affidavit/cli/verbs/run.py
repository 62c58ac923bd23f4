"""`affidavit run INTENT` and `affidavit run -- COMMAND` (seed 000; contracts 2.2, 2.9)."""

from __future__ import annotations

from ...errors import ReadFailed, UsageError
from ...harness.errors import NO_FILE, POLICY, RunError
from ...harness.intent import intent_of_command, parse_intent, read_intent
from ...harness.profile import custom_profile, named_profile
from ...harness.request import DEFAULT_OUT, Request
from ...harness.run import perform
from ..args import Argument, Option, Verb
from ..input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...harness.intent import Intent
    from ...harness.request import Mode
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "run",
    "Decides what an intent comes to, and commits the answer with its evidence. An intent is a file; or it is one "
    "command, given after --. Writes the run result as canonical JSON when no person is looking.",
    options=(
        Option("--mode", "how far to go; plan-only executes nothing", value="MODE", choices=("plan-only",)),
        Option("--policy", "strict, default or dev (without it: default, for a command dev)", value="NAME"),
        Option("--policy-file", "a profile of your own", value="FILE"),
        Option("--out", "the folder that runs are committed to", value="OUT", default=DEFAULT_OUT),
    ),
    arguments=(
        Argument("INTENT", "the intent's file; - reads standard input", optional=True),
        Argument("COMMAND", "a program and its arguments", optional=True, many=True, after_dashes=True),
    ),
    examples=(
        ("affidavit run intent.json", "decide, and show what would be done"),
        ("affidavit run --policy strict intent.json", "under another profile"),
    ),
    statuses=((0, "accepted"), (1, "rejected"), (2, "error, wrong usage")),
    exits={"io": 2, "parse": 2, "usage": 2, "refused": 2, "internal": 2},
)


def run(args: Args, out: Output) -> int:
    command = args.arguments("COMMAND")
    intent = _intent(args, command)
    mode: Mode = args.text("--mode") or "plan-only"  # type: ignore[assignment]  # one of its choices
    policy = _policy(args, "dev" if command else "default")
    finished = perform(Request(intent, policy, mode=mode, out=args.text("--out") or DEFAULT_OUT))
    if out.for_program:
        out.result(finished.result)
    if out.person_reads_errors or not out.for_program:
        from ..run_summary import summary

        lines = summary(finished)
        if not out.for_program:
            out.lines(lines)
        else:
            for style, text in lines:
                out.say(text, style)
    return 0 if finished.accepted else 1


def _intent(args: Args, command: list[str]) -> Intent:
    path = args.argument("INTENT")
    if (path is None) == (not command):
        raise UsageError("USAGE", "expected an intent's file, or -- and a command, and not both")
    if command:
        return intent_of_command(command, {}, b"")
    assert path is not None
    return parse_intent(_input(path, NO_FILE), path) if path == "-" else read_intent(path)


def _policy(args: Args, default: str) -> dict[str, Any]:
    name, path = args.text("--policy"), args.text("--policy-file")
    if name and path:
        raise UsageError("USAGE", "--policy names a profile and --policy-file brings one: give one of them")
    if path:
        return custom_profile(_input(path, POLICY), path)
    return named_profile(name or default)


def _input(path: str, code: str) -> bytes:
    try:
        return read_input(path)
    except ReadFailed as error:
        raise RunError(code, error.message) from None

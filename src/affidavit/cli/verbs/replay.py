"""`affidavit replay RUN_BUNDLE/<id> --engine DIR` (seed 002, Replay Rules; contracts 3)."""

from __future__ import annotations

from ...errors import UsageError
from ...shown import plain
from ..args import Argument, Option, Verb
from ..degraded import ALLOW_DEGRADED, degraded_of
from ..input import read_input
from ..named_run import FROM, run_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ...replay.conditions import Variation
    from ...replay.result import Replayed
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "replay",
    "Runs something again from its evidence and says whether the same came of it: identical (byte for byte), "
    "equivalent (equal after the normalisers that were asked for) or different, with the first place where it differs "
    "and, where that can be told, the cause. Of a sealed run of an engine the conditions R1-R6 are checked first.",
    options=(
        Option("--engine", "the engine's folder: a sealed run holds its contracts, not its program", value="DIR"),
        Option(
            "--workspace", "the folder that a run of the harness began with; it is copied, never written", value="DIR"
        ),
        Option("--env", "a variable that the run's commands were given", value="NAME=VALUE", many=True),
        Option("--stdin", "what the run's first command was given on standard input", value="FILE"),
        Option("--allow-versions", "exact other versions that may stand for the recorded ones", value="FILE"),
        ALLOW_DEGRADED,
        FROM,
        Option("--times", "run it so many times", value="N", default="1"),
        Option(
            "--vary",
            "also run it under other conditions: all, or some of tz,locale,hostname,cwd,uid,hashseed,time,order,pid",
            value="LIST",
        ),
        Option(
            "--normalise",
            "a difference that counts for none: key-order, float-tolerance=BOUND, timestamps=POINTER,.. or line-order",
            value="HOW",
            many=True,
        ),
    ),
    arguments=(
        Argument("RUN", "a sealed run, a pack, or a run as `show` takes it (without it the latest)", optional=True),
    ),
    examples=(
        ("affidavit replay RUN_BUNDLE/run-0001 --engine my-engine", "check R1-R6 and run the engine again"),
        (
            "affidavit replay RUN_BUNDLE/run-0001 --engine my-engine --vary all --times 5",
            "look for what the result silently depends on",
        ),
        (
            "affidavit replay RUN_BUNDLE/run-0001 --engine my-engine --normalise float-tolerance=1e-9",
            "where the last bits may differ",
        ),
        (
            "affidavit replay --workspace .",
            "run the latest run's commands again, on a copy of the workspace",
        ),
    ),
    statuses=(
        (0, "identical; equivalent when normalisers were asked for"),
        (1, "different"),
        (2, "not replayable: a condition failed, or something is missing"),
        (3, "wrong usage"),
    ),
    exits={"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2},
    answer=(
        "`ok`, `replayed`, `verdict` (`identical`, `equivalent`, `different` or why it is not replayable), "
        "`checks` by id (`status`), `missing`, `violations`; when something was run also its outputs, the runs, "
        "what was varied, and the cause of a difference."
    ),
)

_STATUS = {"identical": 0, "equivalent": 0, "different": 1}
_NOT_REPLAYABLE = 2
_MOST_TIMES = 10_000


def run(args: Args, out: Output) -> int:
    from ...replay.normalise import Normalisers

    path = run_of(args)
    common: dict[str, Any] = {
        "times": _times(args.text("--times") or ""),
        "vary": _variations(args.text("--vary")),
        "normalisers": Normalisers(args.texts("--normalise")),
        "degraded": degraded_of(args),
        "progress": (lambda told: out.say(told, "quiet")) if out.person_reads_errors else (lambda _told: None),
    }
    replayed = _engine_run(path, args, common) if _is_engine_run(path) else _harness_run(path, args, common)
    _tell(out, replayed)
    return _STATUS.get(replayed.verdict, _NOT_REPLAYABLE)


def _is_engine_run(path: str) -> bool:
    from ..recognise import holds

    return holds("ENGINE_MANIFEST.json", "RUN_META.json", "SHA256SUMS.txt")(path)


def _engine_run(path: str, args: Args, common: dict[str, Any]) -> Replayed:
    from ...replay.engine import replay_engine
    from ...replay.versions import Allowed

    _refuse(args, "a sealed run of an engine", "--workspace", "--env", "--stdin")
    allowed = args.text("--allow-versions")
    versions = Allowed() if allowed is None else Allowed(read_input(allowed))
    return replay_engine(path, args.text("--engine"), allowed=versions, **common)


def _harness_run(path: str, args: Args, common: dict[str, Any]) -> Replayed:
    from ...replay.harness import replay_harness

    _refuse(args, "a run of the harness", "--engine", "--allow-versions")
    environment: dict[str, str] = {}
    for text in args.texts("--env"):
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError("USAGE", f"--env: expected NAME=VALUE, found {plain(text)!r}")
        environment[name] = value
    stdin = args.text("--stdin")
    given = b"" if stdin is None else read_input(stdin)
    return replay_harness(path, args.text("--workspace"), environment=environment, stdin=given, **common)


def _refuse(args: Args, what: str, *options: str) -> None:
    """An option that would say nothing is a mistake of whoever gave it."""
    for option in options:
        if args.has(option):
            raise UsageError("USAGE", f"{option} says nothing about {what}")


def _times(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= _MOST_TIMES:
        raise UsageError("USAGE", f"--times: expected a number from 1 to {_MOST_TIMES}, found {plain(text)!r}")
    return int(text)


def _variations(text: str | None) -> list[Variation]:
    from ...replay.conditions import VARIATIONS

    if text is None:
        return []
    if text == "all":
        return list(VARIATIONS)
    found = [name for name in VARIATIONS if name in text.split(",")]
    unknown = [word for word in text.split(",") if word not in VARIATIONS]
    if unknown:
        told = f"expected all or some of {', '.join(VARIATIONS)}, found {plain(unknown[0])!r}"
        raise UsageError("USAGE", f"--vary: {told}")
    return found


def _tell(out: Output, replayed: Replayed) -> None:
    if out.for_program:
        out.result(replayed.as_json())
        return
    style = "good" if replayed.verdict in _STATUS and _STATUS[replayed.verdict] == 0 else "bad"
    lines = [(style, replayed.verdict.replace("_", " "))]
    for check in replayed.checks:
        lines.append(("" if check.status == "pass" else "rule", f"  {check.id}  {check.status.replace('_', ' ')}"))
        lines += [("", f"      {plain(told)}") for told in check.told]
    for found in replayed.findings:
        lines.append(("rule", f"  {found.rule_id}  {plain(found.path)}: {plain(found.message)}"))
    lines += [("rule", f"  missing: {told}") for told in replayed.missing]
    outcome = replayed.outcome
    if outcome is not None:
        lines.append(("", f"  runs: {outcome.tries}"))
        lines += [("quiet", f"  normaliser: {plain(told)}") for told in outcome.declared]
        if outcome.varied:
            lines.append(("quiet", f"  varied: {', '.join(outcome.varied)}"))
        lines += [("quiet", f"  not varied: {name}: {plain(why)}") for name, why in outcome.not_varied.items()]
        for one in outcome.compared:
            where = f" at {plain(one.place)}" if one.place else ""
            lines.append(("", f"  {plain(one.name)}: {one.verdict}{where}"))
            if one.verdict != "identical":
                lines += [("", f"      sealed    {plain(one.sealed)}"), ("", f"      replayed  {plain(one.replayed)}")]
        for cause in outcome.causes:
            sure = "" if cause.certain else ", probably"
            lines.append(("rule", f"  cause{sure}: {cause.name}: {plain(cause.told)}"))
    out.lines(lines)

"""What `engine run` and `engine seal` share: their options, what they read, and how they tell what came of it."""

from __future__ import annotations

from ..canon.reader import read
from ..shown import plain
from .args import Argument, Option
from .input import read_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..engine.sealing import Refusal, Sealed
    from ..kernel.seal import Given
    from .args import Args
    from .output import Output

ENGINE = Argument("DIR", "the engine's folder, which holds ENGINE_MANIFEST.json")

OPTIONS = (
    Option("--input", "the run's input, RUN_INPUT.json; - reads standard input", value="FILE"),
    Option("--parameters", "the input's `parameters`, if it lacks them", value="FILE"),
    Option("--context", "the input's `context`, if it lacks it", value="FILE"),
    Option("--upstream", "a sealed run whose result the engine takes", value="RUN", many=True),
    Option("--out", "the folder in which the run is sealed", value="DIR", default="RUN_BUNDLE"),
    Option("--project-id", "the input's `project_id`, if it lacks it", value="ID"),
    Option("--run-id", "the input's `run_id`, if it lacks it; without either one is made", value="ID"),
    Option("--separate-parameters", "write the parameters to a file of their own, too"),
)

STATUSES = ((0, "sealed"), (1, "refused: nothing was sealed"), (2, "error"), (3, "wrong usage"))
#: A refusal to seal is a value and says 1 itself; what is raised is an error, a host that cannot isolate among them.
EXITS = {"io": 2, "parse": 2, "usage": 3, "refused": 2, "internal": 2}


def given_of(args: Args) -> tuple[Given | None, Refusal | None]:
    """What was given beside the input, or why it may not be."""
    from ..engine.sealing import Refusal
    from ..engine.upstream import upstream_results
    from ..kernel.seal import Given

    items, findings = upstream_results(args.texts("--upstream"))
    if findings:
        return None, Refusal(findings, [])
    return (
        Given(
            run_id=args.text("--run-id"),
            project_id=args.text("--project-id"),
            parameters=tuple(read(read_input(path)) for path in args.texts("--parameters")[-1:]),
            context=tuple(read(read_input(path)) for path in args.texts("--context")[-1:]),
            upstream=items,
        ),
        None,
    )


def tell(out: Output, outcome: Sealed | Refusal) -> int:
    """Says what came of it; returns the exit status."""
    from ..engine.sealing import Sealed

    for told in () if out.for_program else outcome.warnings:
        out.say(f"warning: {told.rule_id}: {plain(told.path)}: {told.message}", "rule")
    if isinstance(outcome, Sealed):
        if out.for_program:
            out.result(outcome.as_json())
        elif not out.quiet:
            lines = [(f"  {name}: {plain(str(value))}") for name, value in outcome.facts.items()]
            out.lines([("good", f"sealed {plain(outcome.path)}"), *(("", line) for line in lines)])
        return 0
    if out.for_program:
        from ..rules.report import violation

        out.result({"ok": False, "violations": [violation(found) for found in outcome.findings]})
    else:
        out.lines([("bad", "refused: nothing was sealed")])
        for found in outcome.findings:
            within = f"  {plain(found.within)}" if found.within else ""
            out.lines(
                [
                    ("rule", f"  {found.rule_id}  {plain(found.path)}{within}"),
                    ("", f"      expected {plain(found.expected)}"),
                    ("", f"      found    {plain(found.found)}"),
                ]
            )
        ids = dict.fromkeys(found.within.partition(":")[0] or found.rule_id for found in outcome.findings)
        out.lines([("quiet", f"  what the rules say: affidavit explain {' '.join(ids)}")])
    return 1

"""`affidavit explain ID...`: what a rule says, from the specification that is installed with the command."""

from __future__ import annotations

from ...errors import UsageError
from ...shown import plain
from ..args import Argument, Verb, suggestion
from ..specifications import Clause, clauses, introduction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..args import Args
    from ..output import Output

VERB = Verb(
    "explain",
    "Tells what a rule says, by the id that a finding names. Where several documents have a rule of that id, all are "
    "told; runner:RN6 names one. A document's name tells what the document is, no name which there are.",
    arguments=(Argument("ID", "a rule's id, or a document's name", optional=True, many=True),),
    examples=(
        ("affidavit explain RN6", "one rule"),
        ("affidavit explain run:SCHEMA", "a rule of one document"),
        ("affidavit explain pack", "a document and its rules"),
    ),
    statuses=((0, "told"), (1, "no such rule, wrong usage")),
    exits={"io": 1, "parse": 1, "usage": 1, "refused": 1, "internal": 1},
    answer=("`rules`, or without an id `documents` (the rule ids of each)."),
)


def run(args: Args, out: Output) -> int:
    known = clauses()
    wanted = args.arguments("ID")
    if not wanted:
        return _overview(known, out)
    found: list[Clause] = []
    introductions: list[tuple[str, str]] = []
    for name in wanted:
        mine = [clause for clause in known if name in (clause.rule_id, clause.qualified, clause.document)]
        if not mine:
            names = {name for clause in known for name in (clause.rule_id, clause.qualified, clause.document)}
            near = suggestion(name, sorted(names)) or "; affidavit explain lists all"
            raise UsageError("USAGE", f"no rule and no document {plain(name)!r}{near}")
        if mine[0].document == name:
            introductions.append((name, introduction(name)))
        found += mine
    if out.json:
        out.result({"rules": [clause.as_json() for clause in found]})
        return 0
    lines: list[tuple[str, str]] = []
    for _, text in introductions:
        lines += [("", text), ("", "")]
    for clause in found:
        lines += [("rule", f"{clause.qualified}  {clause.title}"), ("", ""), ("", clause.text), ("", "")]
    out.lines(lines[:-1])
    return 0


def _overview(known: list[Clause], out: Output) -> int:
    ids: dict[str, list[str]] = {}
    for clause in known:
        ids.setdefault(clause.document, []).append(clause.rule_id)
    if out.json:
        out.result({"documents": ids})
        return 0
    width = max(map(len, ids))
    out.lines([("", f"{document:<{width}}  {' '.join(rules)}") for document, rules in ids.items()])
    return 0

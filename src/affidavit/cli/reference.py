"""The command reference and the manual page, from the tables that parse the command line.

`make reference` writes both; a test compares what is in the repository with what would be written.
"""

from __future__ import annotations

import sys

from .. import __version__
from .args import COMMON, option_help, shown_option, usage
from .registry import all_verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .args import Option, Verb

_INTRODUCTION = """\
# Commands

Made from the tables that parse the command line (`make reference`).

Every command writes one canonical JSON object and a line end to standard output when that is no terminal, or with
`--json`; on a terminal a readable form stands instead. An error is one JSON line on standard error,
`{"code", "message", "details"?}`, or prose where a person reads it. A closed pipe ends a command with status 141, an
interrupt with 130.
"""


def markdown() -> str:
    verbs = all_verbs()
    lines = [_INTRODUCTION, "| command | what it does |", "|---|---|"]
    lines += [f"| [`{verb.name}`](#{verb.name.replace(' ', '-')}) | {_cell(summary)} |" for verb, summary in verbs]
    lines += ["", "## Common options", "", *_options(COMMON)]
    for verb, _ in verbs:
        lines += ["", *_section(verb)]
    return "\n".join(lines) + "\n"


def _section(verb: Verb) -> Iterator[str]:
    yield f"## {verb.name}"
    yield ""
    yield f"`{usage(verb)}`"
    yield ""
    yield verb.description
    if verb.arguments:
        yield ""
        yield "| argument | |"
        yield "|---|---|"
        for argument in verb.arguments:
            yield f"| `{argument.name}` | {_cell(argument.help)} |"
    if verb.options:
        yield ""
        yield from _options(verb.options)
    yield ""
    yield "| exit status | |"
    yield "|---|---|"
    for status, meaning in verb.statuses:
        yield f"| {status} | {_cell(meaning)} |"
    if verb.answer:
        yield ""
        yield f"Answer: {verb.answer}"
    yield ""
    for command, meaning in verb.examples:
        yield f"- `{command}`: {meaning}"


def _options(options: tuple[Option, ...]) -> Iterator[str]:
    yield "| option | |"
    yield "|---|---|"
    for option in options:
        yield f"| `{shown_option(option)}` | {_cell(option_help(option))} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


_WHAT = (
    "Runs an intent, an engine or a plan under a policy in a real sandbox, seals what happened into a "
    "content-addressed bundle that is committed atomically, and lets anyone verify it, replay it, pack it, apply it, "
    "promote it."
)
_HOW = (
    "Every command writes one canonical JSON object to standard output when that is no terminal, or with --json; on a "
    "terminal a readable form stands instead. An error is one JSON line on standard error, or prose where a person "
    "reads it."
)


def man_page() -> str:
    """roff in the man(7) macros."""
    lines = [
        f'.TH AFFIDAVIT 1 "" "affidavit {__version__}" "User Commands"',
        ".SH NAME",
        r"affidavit \- run under a policy, seal what happened, verify it",
        ".SH SYNOPSIS",
        r".B affidavit",
        r".I COMMAND",
        r"[\fIOPTION\fR]... [\fIARGUMENT\fR]...",
        ".SH DESCRIPTION",
        _roff(_WHAT),
        ".PP",
        _roff(_HOW),
        ".SH COMMON OPTIONS",
        *_man_options(COMMON),
        ".SH COMMANDS",
    ]
    for verb, _ in all_verbs():
        lines += [f".SS {_roff(usage(verb))}", _roff(verb.description), *_man_options(verb.options)]
        statuses = "; ".join(f"{status} {meaning}" for status, meaning in verb.statuses)
        lines += [".PP", _roff(f"Exit status: {statuses}.")]
    lines += [
        ".SH ENVIRONMENT",
        ".TP",
        r"\fBNO_COLOR\fR",
        "Any value turns colour off, unless --color says otherwise.",
        ".TP",
        r"\fBFORCE_COLOR\fR",
        "Any value turns colour on where standard output is no terminal.",
    ]
    return "\n".join(lines) + "\n"


def _man_options(options: tuple[Option, ...]) -> Iterator[str]:
    for option in options:
        yield ".TP"
        yield rf"\fB{_roff(shown_option(option))}\fR"
        yield _roff(option_help(option))


def _roff(text: str) -> str:
    """Text that no line of which is a request, with the hyphens of options kept as they are."""
    told = text.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + told if told.startswith((".", "'")) else told


if __name__ == "__main__":
    sys.stdout.write(man_page() if sys.argv[1:] == ["man"] else markdown())

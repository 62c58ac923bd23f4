"""The command `affidavit`: finds the verb, loads it and nothing else, and turns what it raises into an exit status."""

from __future__ import annotations

import sys

from .. import __version__
from ..errors import AffidavitError, UsageError, WriteFailed
from .stdout import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from .args import Verb
    from .output import Output

#: Statuses outside a verb's own table, as shells have them.
CLOSED_PIPE = 141
INTERRUPTED = 130
USAGE = 2


def main(argv: list[str] | None = None) -> int:
    """Runs one command line; returns its exit status."""
    if argv is None:
        _start_again_in_utf8()
    words = sys.argv[1:] if argv is None else argv
    try:
        return _main(words)
    except BrokenPipeError:
        return CLOSED_PIPE  # whoever read our output has seen enough
    except KeyboardInterrupt:
        return INTERRUPTED
    except WriteFailed as error:  # of help and version; a verb's own are told in _run_verb
        from .output import Output

        Output().error(error)
        return USAGE


def _start_again_in_utf8() -> None:
    """In a locale of another encoding Python reads file names in that, and what is recorded would depend on it. Only a
    new interpreter can be told otherwise; the words go to it byte for byte."""
    if sys.getfilesystemencoding() != "utf-8" and sys.executable:
        import os

        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 -- ourselves


def _main(words: list[str]) -> int:
    if words == ["--version"]:
        # before anything else is imported: asking for the version is how scripts probe for the command
        write(f"affidavit {__version__}\n".encode())
        return 0
    from .output import Output

    # common options may stand before the verb as well as after it
    before: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-") and rest[0] not in ("--help", "-h", "--version"):
        word = rest.pop(0)
        before.append(word)
        if word == "--color" and rest:
            before.append(rest.pop(0))
    if not rest:
        Output().always_say(overview())
        return USAGE
    name = rest.pop(0)
    if name in ("--help", "-h", "help") and not rest:
        Output().lines([("", overview())])
        return 0
    if name == "--version":
        return _main(["--version"])
    if name == "help":
        name, *rest = [*rest, "--help"]
    return _run_verb(*_verb_of(name, before, rest))


def _verb_of(name: str, before: list[str], rest: list[str]) -> tuple[str, list[str]]:
    """The verb's name and its words: a verb of two words (`policy show`) is one entry of the table as well."""
    from .registry import MODULES

    if name not in MODULES and rest and f"{name} {rest[0]}" in MODULES:
        return f"{name} {rest[0]}", before + rest[1:]
    return name, before + rest


def _run_verb(name: str, words: list[str]) -> int:
    from .output import Output
    from .registry import MODULES

    if name not in MODULES:
        return _unknown(name, words)
    module = _load(MODULES[name])
    verb: Verb = module.VERB
    from .args import help_text, parse

    out = Output(json="--json" in words, text="--text" in words)  # until the command line is known to be sound
    args = None
    try:
        args = parse(verb, words)
        out = Output(
            json=args.has("--json"),
            text=args.has("--text"),
            color=args.text("--color") or "auto",
            quiet=args.has("--quiet"),
            verbose=args.has("--verbose"),
        )
        if args.has("--help"):
            out.lines([("", help_text(verb))])
            return 0
        status: int = module.run(args, out)
    except AffidavitError as error:
        _tell(error, verb, out)
        sarif = args.text("--sarif") if args is not None else None
        if args is not None and sarif is not None and error.kind in ("io", "parse"):
            from .sarif import tell_error

            tell_error(sarif, args.argument(verb.arguments[0].name) or "-", error, out)
        return verb.exits[error.kind]
    return status


def _unknown(name: str, words: list[str]) -> int:
    """Says what there is that was probably meant. `affidavit policy` alone asks what policy can do, and is told."""
    from ..shown import plain
    from .args import suggestion
    from .output import Output
    from .registry import MODULES

    group = [verb for verb in MODULES if verb.startswith(name + " ")]
    if group and words and words[0] in ("--help", "-h"):
        Output().lines([("", overview(name + " "))])
        return 0
    if group and words and not words[0].startswith("-"):
        name = f"{name} {words[0]}"
        told = f"unknown command {plain(name)!r}{suggestion(name, group)}"
    elif group:
        told = f"expected one of {', '.join(group)}"
    else:
        told = f"unknown command {plain(name)!r}{suggestion(name, MODULES)}"
    Output().error(UsageError("USAGE", f"{told}; affidavit --help lists all commands"))
    return USAGE


def _load(module: str) -> ModuleType:
    # __import__, not importlib: that is another import
    __import__(f"{__package__}.verbs.{module}")
    return sys.modules[f"{__package__}.verbs.{module}"]


def _tell(error: AffidavitError, verb: Verb, out: Output) -> None:
    """A verifier's answer goes where its reader looks for it (contracts 5); every other error to standard error."""
    if verb.is_verifier and out.for_program and not isinstance(error, WriteFailed):
        out.result({"ok": False, "error": {"code": error.code, "message": error.message}})
        if not out.person_reads_errors:
            return
    out.error(error)


def overview(group: str = "") -> str:
    """`affidavit --help`, or of one group of verbs."""
    from .registry import SECTIONS, VERBS

    width = max(len(name) for name, _, _ in VERBS)
    listed: list[str] = []
    for heading, verbs in SECTIONS:
        rows = [f"  {name:<{width}}  {summary}" for name, _, summary in verbs if name.startswith(group)]
        if rows:
            listed += [f"{heading}:", *rows, ""]
    told = "\n".join(listed)
    return (
        "usage: affidavit COMMAND [OPTION]... [ARGUMENT]...\n\n"
        "Runs things under a policy, seals what happened, and lets anyone verify it.\n\n"
        f"{told}\n"
        "affidavit COMMAND --help tells all about one command; affidavit --version tells this version.\n\n"
        "examples:\n"
        "  affidavit run -- make test        run a command on a copy of this directory, and seal what happened\n"
        "  affidavit show                    look at it\n"
        "  affidavit verify .affidavit       verify it"
    )

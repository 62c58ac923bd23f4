"""Command lines as data: a verb declares its options and arguments; parsing, help and completion read the same table.

Not argparse: importing it takes as long as a whole verification (ADR 0006).
"""

from __future__ import annotations

from ..errors import UsageError
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Option:
    """`--name`, or `--name VALUE` when `value` names what it takes."""

    __slots__ = ("choices", "default", "help", "many", "name", "short", "value")

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002 -- what it is called everywhere
        *,
        value: str = "",
        short: str = "",
        choices: tuple[str, ...] = (),
        default: str | None = None,
        many: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.value = value
        self.short = short
        self.choices = choices
        self.default = default
        self.many = many


class Argument:
    """A positional argument. With `after_dashes` it is what follows `--`, options and all, and nothing else is."""

    __slots__ = ("after_dashes", "help", "many", "name", "optional")

    def __init__(
        self,
        name: str,
        help: str,  # noqa: A002
        *,
        optional: bool = False,
        many: bool = False,
        after_dashes: bool = False,
    ) -> None:
        self.name = name
        self.help = help
        self.optional = optional
        self.many = many
        self.after_dashes = after_dashes


class Verb:
    """A verb's command line, its help, and its exit statuses by kind of error."""

    __slots__ = (
        "answer",
        "arguments",
        "description",
        "examples",
        "exits",
        "is_verifier",
        "name",
        "options",
        "statuses",
    )

    def __init__(
        self,
        name: str,
        description: str,
        *,
        options: tuple[Option, ...] = (),
        arguments: tuple[Argument, ...] = (),
        examples: tuple[tuple[str, str], ...] = (),
        statuses: tuple[tuple[int, str], ...],
        exits: dict[str, int],
        is_verifier: bool = False,
        answer: str = "",
    ) -> None:
        self.name = name
        self.description = description
        #: What a program reads on standard output, for the reference: members of the JSON object, in backquotes.
        self.answer = answer
        self.options = options
        self.arguments = arguments
        self.examples = examples
        self.statuses = statuses
        self.exits = exits
        self.is_verifier = is_verifier


COMMON = (
    Option("--json", "write one canonical JSON object, also on a terminal"),
    Option("--text", "write the readable form, also where nobody is looking"),
    Option("--quiet", "say only what was asked for", short="-q"),
    Option("--verbose", "say more", short="-v"),
    Option("--color", "colour the readable form", value="WHEN", choices=("auto", "always", "never"), default="auto"),
    Option("--help", "show this help", short="-h"),
)


class Args:
    """What a command line said."""

    __slots__ = ("_options", "_values")

    def __init__(self, options: dict[str, list[str]], values: dict[str, list[str]]) -> None:
        self._options = options
        self._values = values

    def has(self, option: str) -> bool:
        return option in self._options

    def text(self, option: str) -> str | None:
        """The option's value; of one given several times, the last."""
        found = self._options.get(option)
        return found[-1] if found else None

    def texts(self, option: str) -> list[str]:
        return self._options.get(option, [])

    def argument(self, name: str) -> str | None:
        found = self._values.get(name)
        return found[0] if found else None

    def arguments(self, name: str) -> list[str]:
        return self._values.get(name, [])


def parse(verb: Verb, words: list[str]) -> Args:
    """Options may stand anywhere before `--`; what follows it is taken as it is."""
    named = {option.name: option for option in (*verb.options, *COMMON)}
    short = {option.short: option for option in named.values() if option.short}
    options: dict[str, list[str]] = {}
    plain_words: list[str] = []
    after_dashes: list[str] = []
    has_own = any(argument.after_dashes for argument in verb.arguments)
    rest = iter(words)
    for word in rest:
        if word == "--":
            (after_dashes if has_own else plain_words).extend(rest)
            break
        if word == "-" or not word.startswith("-"):
            plain_words.append(word)
            continue
        for option, joined in _spelled(word, named, short):
            value = next(rest, None) if option.value and joined is None else joined
            if option.value and value is None:
                raise UsageError("USAGE", f"{option.name} takes a value: {option.name} {option.value}")
            if value is not None and not option.value:
                raise UsageError("USAGE", f"{option.name} takes no value, found {plain(value)!r}")
            if value is not None and option.choices and value not in option.choices:
                wanted = ", ".join(option.choices)
                raise UsageError("USAGE", f"{option.name}: expected one of {wanted}, found {plain(value)!r}")
            options.setdefault(option.name, []).append(value or "")
    for option in named.values():
        if option.default is not None:
            options.setdefault(option.name, [option.default])
    if "--help" in options:
        return Args(options, {})
    return Args(options, _placed(verb, plain_words, after_dashes))


def _spelled(word: str, named: dict[str, Option], short: dict[str, Option]) -> Iterable[tuple[Option, str | None]]:
    """The options in one word: `--name`, `--name=value`, `-q`, `-qv`, `-oVALUE`."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        if name not in named:
            raise _unknown("option", name, named)
        return [(named[name], value if equals else None)]
    found: list[tuple[Option, str | None]] = []
    for at in range(1, len(word)):
        letter = "-" + word[at]
        if letter not in short:
            raise _unknown("option", letter, short)
        if short[letter].value:
            found.append((short[letter], word[at + 1 :] or None))
            break
        found.append((short[letter], None))
    return found


def _placed(verb: Verb, words: list[str], after_dashes: list[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    left = list(words)
    for argument in verb.arguments:
        if argument.after_dashes:
            taken = after_dashes
        elif argument.many:
            taken, left = left, []
        else:
            taken, left = left[:1], left[1:]
        if not taken and not argument.optional:
            raise UsageError("USAGE", f"{argument.name} is missing: {usage(verb)}")
        values[argument.name] = taken
    if left:
        raise UsageError("USAGE", f"unexpected argument {plain(left[0])!r}: {usage(verb)}")
    return values


def _unknown(what: str, name: str, known: Iterable[str]) -> UsageError:
    return UsageError("USAGE", f"unknown {what} {plain(name)!r}{suggestion(name, known)}")


def suggestion(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def usage(verb: Verb) -> str:
    """The verb's one-line usage."""
    words = ["affidavit", verb.name, *(["[OPTION]..."] if verb.options else [])]
    for argument in verb.arguments:
        word = argument.name + ("..." if argument.many else "")
        if argument.after_dashes:
            word = f"-- {word}"
        words.append(f"[{word}]" if argument.optional else word)
    return " ".join(words)


_WIDTH = 100


def help_text(verb: Verb) -> str:
    """The verb's help, from the same table that parses."""
    lines = [f"usage: {usage(verb)}", "", *_folded(verb.description, _WIDTH)]
    if verb.arguments:
        lines += ["", "arguments:", *_table([(argument.name, argument.help) for argument in verb.arguments])]
    for title, options in (("options:", verb.options), ("common options:", COMMON)):
        if options:
            lines += ["", title, *_table([(shown_option(option), option_help(option)) for option in options])]
    lines += ["", "exit status:", *_table([(str(number), meaning) for number, meaning in verb.statuses])]
    if verb.examples:
        lines += ["", "examples:"]
        for command, meaning in verb.examples:
            lines += [f"  {command}", f"      {meaning}"]
    return "\n".join(lines)


def shown_option(option: Option) -> str:
    spelled = f"{option.short}, {option.name}" if option.short else option.name
    return f"{spelled} {option.value}" if option.value else spelled


def option_help(option: Option) -> str:
    notes = []
    if option.choices:
        notes.append(" | ".join(option.choices))
    if option.default is not None:
        notes.append(f"default {option.default}")
    if option.many:
        notes.append("may be repeated")
    return option.help + (f" ({'; '.join(notes)})" if notes else "")


def _table(rows: list[tuple[str, str]]) -> list[str]:
    width = max(len(left) for left, _ in rows)
    lines: list[str] = []
    for left, right in rows:
        first, *more = _folded(right, _WIDTH - width - 4)
        lines.append(f"  {left:<{width}}  {first}")
        lines += [" " * (width + 4) + line for line in more]
    return lines


def _folded(text: str, width: int) -> list[str]:
    """The text in lines of at most `width`, broken between words."""
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] += (" " if lines[-1] else "") + word
    return lines

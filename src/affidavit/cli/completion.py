"""Completion scripts for bash, zsh and fish, from the tables that parse the command line.

The scripts are complete in themselves: pressing TAB starts no program of ours.
"""

from __future__ import annotations

from .args import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .args import Option, Verb


def options_of(verb: Verb) -> tuple[Option, ...]:
    return (*verb.options, *COMMON)


def groups_of(verbs: list[tuple[Verb, str]]) -> dict[str, list[tuple[str, str]]]:
    """Of the verbs of two words: the first word, and each second one with its summary."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for verb, summary in verbs:
        first, space, second = verb.name.partition(" ")
        if space:
            groups.setdefault(first, []).append((second, summary))
    return groups


def first_words(verbs: list[tuple[Verb, str]]) -> list[tuple[str, str]]:
    """What may stand first, each once, with what is said of it."""
    found: dict[str, str] = {}
    groups = groups_of(verbs)
    for verb, summary in verbs:
        first, space, _ = verb.name.partition(" ")
        if not space:
            found[first] = summary
        elif first not in found:
            found[first] = ", ".join(second for second, _ in groups[first])
    return list(found.items())


def _quoted(text: str) -> str:
    """One word for any of the three shells."""
    return "'" + text.replace("'", "'\\''") + "'"


def bash(verbs: list[tuple[Verb, str]]) -> str:
    groups = groups_of(verbs)
    lines = [
        '# bash completion for affidavit; load it with: eval "$(affidavit completion bash)"',
        "_affidavit() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} verb= word= index words=",
        "    for (( index = 1; index < COMP_CWORD; index++ )); do",
        "        word=${COMP_WORDS[index]}",
        "        [[ $word == -* ]] && continue",
        "        case $verb in",
        "            '') verb=$word ;;",
        *([f'            {"|".join(groups)}) verb="$verb $word" ;;'] if groups else []),
        "            *) break ;;",
        "        esac",
        "    done",
        "    case $verb in",
        f"        '') words={_quoted(' '.join(word for word, _ in first_words(verbs)))} ;;",
    ]
    for group, seconds in groups.items():
        lines.append(f"        {group}) words={_quoted(' '.join(second for second, _ in seconds))} ;;")
    for verb, _ in verbs:
        lines += [
            f"        {_quoted(verb.name)})",
            "            case $previous in",
            *_bash_values(verb),
            "            esac ;;",
        ]
    lines += [
        "    esac",
        "    # without words of ours, readline completes file names (-o default)",
        '    COMPREPLY=( $(compgen -W "$words" -- "$current") )',
        "}",
        "complete -o default -F _affidavit affidavit",
    ]
    return "\n".join(lines) + "\n"


def _bash_values(verb: Verb) -> Iterator[str]:
    options = options_of(verb)
    for option in options:
        if option.value:
            names = option.name + (f"|{option.short}" if option.short else "")
            yield f"                {names}) words={_quoted(' '.join(option.choices))} ;;"
    names = " ".join(option.name for option in options)
    yield f"                *) [[ $current == -* ]] && words={_quoted(names)} ;;"


def zsh(verbs: list[tuple[Verb, str]]) -> str:
    lines = [
        "#compdef affidavit",
        '# zsh completion for affidavit; load it with: eval "$(affidavit completion zsh)"',
        "_affidavit() {",
    ]
    lines += ["    local verb=$words[2]", "    local -a choices"]
    groups = groups_of(verbs)
    lines += [
        "    if (( CURRENT == 2 )); then",
        *_zsh_describe("command", first_words(verbs)),
        "        return",
        "    fi",
    ]
    for group, seconds in groups.items():
        lines += [
            f"    if [[ $verb == {group} ]]; then",
            "        if (( CURRENT == 3 )); then",
            *("    " + line for line in _zsh_describe(f"{group} command", seconds)),
            "            return",
            "        fi",
            '        verb="$verb $words[3]"',
            "        shift words",
            "        (( CURRENT -= 1 ))",
            "    fi",
        ]
    lines += ["    shift words", "    (( CURRENT -= 1 ))", "    case $verb in"]
    for verb, _ in verbs:
        specifications = " ".join(_quoted(spec) for spec in _zsh_options(verb))
        lines.append(f"        {_quoted(verb.name)}) _arguments -s {specifications} '*:file:_files' ;;")
    lines += ["        *) _files ;;", "    esac", "}"]
    lines += ['if [[ $funcstack[1] == _affidavit ]]; then _affidavit "$@"; else compdef _affidavit affidavit; fi']
    return "\n".join(lines) + "\n"


def _zsh_describe(title: str, rows: list[tuple[str, str]]) -> list[str]:
    told = " ".join(_quoted(f"{word}:{summary}") for word, summary in rows)
    return [f"        choices=({told})", f"        _describe {_quoted(title)} choices"]


def _zsh_options(verb: Verb) -> Iterator[str]:
    for option in options_of(verb):
        told = "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in option.help)
        taken = ""
        if option.value:
            taken = f":{option.value}:({' '.join(option.choices)})" if option.choices else f":{option.value}:_files"
        many = "*" if option.many else ""
        for name in filter(None, (option.name, option.short)):
            yield f"{many}{name}[{told}]{taken}"


_FISH = """\
# fish completion for affidavit; load it with: affidavit completion fish | source
function __affidavit_words
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or echo $word
    end
end
function __affidavit_is
    set -l words (__affidavit_words)
    set -l wanted (string split ' ' -- "$argv")
    test (count $words) -ge (count $wanted); and test "$words[1..$(count $wanted)]" = "$argv"
end
function __affidavit_ends_with
    set -l words (__affidavit_words)
    test "$words" = "$argv"
end
"""


def fish(verbs: list[tuple[Verb, str]]) -> str:
    lines = [_FISH + 'complete -c affidavit -f -n "test (count (__affidavit_words)) -eq 0"']
    for word, summary in first_words(verbs):
        told = f"-a {word} -d {_fish(summary)}"
        lines.append(f'complete -c affidavit -f -n "test (count (__affidavit_words)) -eq 0" {told}')
    for group, seconds in groups_of(verbs).items():
        lines += [
            f'complete -c affidavit -f -n "__affidavit_ends_with {group}" -a {second} -d {_fish(summary)}'
            for second, summary in seconds
        ]
    for verb, _ in verbs:
        for option in options_of(verb):
            words = [f'complete -c affidavit -n "__affidavit_is {verb.name}" -l {option.name.removeprefix("--")}']
            if option.short:
                words.append(f"-s {option.short.removeprefix('-')}")
            if option.choices:
                words.append(f"-x -a {_fish(' '.join(option.choices))}")
            elif option.value:
                words.append("-r")
            lines.append(" ".join([*words, f"-d {_fish(option.help)}"]))
    return "\n".join(lines) + "\n"


def _fish(text: str) -> str:
    """fish knows two escapes within single quotes, and no other way to end and begin them again."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}

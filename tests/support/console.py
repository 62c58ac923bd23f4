"""Command blocks in documents, executed as they stand.

    ```console
    $ affidavit canonicalize --check record.json      # exit status 1
    record.json: not canonical: ...
    ```

Blocks of one document run in order, in one scratch directory; `cd` holds for the commands after it. A command ends
with status 0 unless its comment says otherwise. What stands below it is its output, standard error included; `...`
stands for any text. A line that begins with `> ` continues the command above. In a block `console terminal` standard
output and standard error are a terminal: what is shown is what a person sees, without its colours. A document whose
commands run something in the sandbox has a line `<!-- sandbox -->`. Commands find git with a name to commit under, and
the repository's examples in $AFFIDAVIT_EXAMPLES.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.support.cli import environment
from tests.support.contracts import ROOT
from tests.support.terminal import run_on_terminal

_BLOCK = re.compile(r"^```console( terminal)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STATUS = re.compile(r"\s+# exit status ([0-9]+)$")


class Command:
    """One command of a document, and what it says of its outcome."""

    def __init__(self, line: str, on_terminal: bool) -> None:
        self.on_terminal = on_terminal
        found = _STATUS.search(line)
        self.words = _STATUS.sub("", line)
        self.status = int(found[1]) if found else 0
        self.output: list[str] = []


def commands(text: str) -> list[Command]:
    found: list[Command] = []
    for terminal, block in _BLOCK.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:], bool(terminal)))
            elif line.startswith("> "):
                found[-1].words += "\n" + line[2:]
            else:
                found[-1].output.append(line)
    return found


_GIT = b"[user]\n\tname = Reader\n\temail = reader@localhost\n[init]\n\tdefaultBranch = main\n"


def run_document(path: str, scratch: str) -> int:
    """Runs a document's commands; returns how many there were. Raises AssertionError where it does not hold."""
    with open(path, encoding="utf-8") as file:
        found = commands(file.read())
    if found:
        run_commands(found, scratch, os.path.relpath(path, ROOT))
    return len(found)


def run_commands(found: list[Command], scratch: str, document: str) -> None:
    home, here = os.path.join(scratch, "home"), os.path.join(scratch, "work")
    for place in (home, here):
        os.mkdir(place)
    with open(os.path.join(home, ".gitconfig"), "wb") as file:
        file.write(_GIT)
    env = environment(
        HOME=home, AFFIDAVIT_EXAMPLES=os.path.join(ROOT, "examples"), GIT_CONFIG_NOSYSTEM="1", PAGER="cat"
    )
    env["PATH"] = os.path.dirname(sys.executable) + ":" + env["PATH"]
    for command in found:
        reading, writing = os.pipe()
        with os.fdopen(reading, encoding="utf-8") as ended_in:
            try:
                words = ["bash", "-c", f"{command.words}\n__status=$?; pwd >&{writing}; exit $__status"]
                status, said = _ran(words, command.on_terminal, env, here, writing)
            finally:
                os.close(writing)
            here = ended_in.read().removesuffix("\n") or here
        shown = said.decode(errors="replace")
        told = f"{document}: $ {command.words}\n{shown}"
        assert status == command.status, f"{told}\nended with {status}, not {command.status}"
        if command.output:
            wanted = "\n".join(command.output).strip()
            pattern = ".*".join(re.escape(part) for part in wanted.split("..."))
            assert re.fullmatch(pattern, shown.strip(), re.DOTALL), f"{told}\nis not what the document shows:\n{wanted}"


def _ran(words: list[str], on_terminal: bool, env: dict[str, str], cwd: str, writing: int) -> tuple[int, bytes]:
    if on_terminal:
        return run_on_terminal(words, env={**env, "TERM": "dumb"}, cwd=cwd, timeout=120, pass_fds=(writing,))
    done = subprocess.run(
        words,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=(writing,),
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout

"""Completion, asked of the real shells."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from affidavit.cli.args import COMMON
from affidavit.cli.completion import SHELLS
from affidavit.cli.registry import all_verbs
from tests.support.cli import affidavit, environment

if TYPE_CHECKING:
    from pathlib import Path

ALL = all_verbs()


def bash(*words: str) -> list[str]:
    """What bash offers for the last word."""
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _affidavit; printf "%s\\n" "${COMPREPLY[@]}"'
    script = f"{SHELLS['bash'](ALL)}\n{ask}"
    told = subprocess.run(["bash", "-c", script, "bash", "affidavit", *words], capture_output=True, check=True)
    assert told.stderr == b""
    return told.stdout.decode().split()


def fish(line: str, cwd: str) -> list[str]:
    script = f"{SHELLS['fish'](ALL)}\ncomplete -C {line!r}"
    told = subprocess.run(
        ["fish", "--no-config", "-c", script], capture_output=True, check=True, cwd=cwd, env=environment(HOME=cwd)
    )
    assert told.stderr == b""
    return [row.partition("\t")[0] for row in told.stdout.decode().splitlines()]


class Zsh:
    """An interactive zsh on a terminal of its own."""

    def __init__(self, home: str) -> None:
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**environment(TERM="vt100", HOME=home)})
        with open(os.path.join(home, "_affidavit"), "w", encoding="utf-8") as script:
            script.write(SHELLS["zsh"](ALL))
        self.said = b""
        self.type('autoload -U compinit; compinit -u -D; affidavit() { print -r -- "GOT<$*>" }\n')
        self.type("source ./_affidavit; echo REA''DY\n")
        self.wait_for(b"READY")

    def type(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait_for(self, part: bytes) -> None:
        deadline = time.monotonic() + 60
        while part not in self.said.replace(b"\0", b""):
            assert time.monotonic() < deadline, self.said
            if select.select([self.terminal], [], [], 0.1)[0]:
                self.said += os.read(self.terminal, 65536)

    def end(self) -> None:
        self.type("\x15exit\n")
        while True:
            try:
                if not os.read(self.terminal, 65536):
                    break
            except OSError:  # EIO: it has ended
                break
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


def test_bash_offers_every_verb_and_every_option_of_each() -> None:
    assert set(bash("")) == {verb.name.split()[0] for verb, _ in ALL}
    for verb, _ in ALL:
        wanted = {option.name for option in (*verb.options, *COMMON)}
        assert set(bash(*verb.name.split(), "--")) == wanted, verb.name


def test_bash_offers_the_second_word_and_the_choices_of_an_option() -> None:
    assert "show" in bash("policy", "")
    assert bash("runner-verify", "--level", "str") == ["strict"]
    assert bash("--json", "runner-verify", "--level", "c") == ["compat"]


def test_bash_leaves_file_names_to_readline() -> None:
    assert bash("runner-verify", "") == []


def test_fish_offers_verbs_options_and_choices(tmp_path: Path) -> None:
    here = str(tmp_path)
    assert fish("affidavit runner-v", here) == ["runner-verify"]
    assert fish("affidavit policy ", here) == ["show"]
    assert fish("affidavit runner-verify --level s", here) == ["spec", "strict"]
    for verb, _ in ALL:
        offered = fish(f"affidavit {verb.name} --", here)
        assert {option.name for option in (*verb.options, *COMMON)} <= set(offered), verb.name


def test_zsh_completes_verbs_options_and_choices(tmp_path: Path) -> None:
    zsh = Zsh(str(tmp_path))
    try:
        zsh.type("affidavit runner-v\t--lev\tstr\t\n")
        zsh.wait_for(b"GOT<runner-verify --level strict>")
        zsh.type("affidavit policy sh\t\n")
        zsh.wait_for(b"GOT<policy show>")
    finally:
        zsh.end()


@pytest.mark.parametrize("shell", sorted(SHELLS))
def test_the_verb_writes_the_script(shell: str) -> None:
    ran = affidavit("completion", shell)
    assert (ran.status, ran.err) == (0, b"")
    assert ran.out == SHELLS[shell](ALL).encode()


def test_another_shell_is_wrong_usage() -> None:
    ran = affidavit("completion", "tcsh")
    assert ran.status == 3
    assert b"expected one of bash, zsh, fish" in ran.err

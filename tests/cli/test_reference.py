"""The command reference and the manual page say what the tables say."""

from __future__ import annotations

import os
import subprocess
import sys

from affidavit.cli.reference import man_page, markdown
from affidavit.cli.registry import all_verbs
from tests.support.contracts import ROOT


def test_the_reference_has_every_verb_option_and_exit_status() -> None:
    text = markdown()
    for verb, _ in all_verbs():
        section = text.split(f"\n## {verb.name}\n")[1].split("\n## ")[0]
        for option in verb.options:
            assert option.name in section
        for status, _ in verb.statuses:
            assert f"| {status} |" in section


def test_the_manual_page_is_sound_and_shows_every_verb() -> None:
    done = subprocess.run(
        ["groff", "-man", "-Tascii", "-ww", "-P-cbou"], input=man_page().encode(), capture_output=True, check=True
    )
    assert done.stderr == b""
    shown = b" ".join(done.stdout.split())
    for verb, _ in all_verbs():
        assert f"affidavit {verb.name}".encode() in shown
        for option in verb.options:
            assert option.name.encode() in shown


def test_what_make_reference_writes() -> None:
    def written(*words: str) -> str:
        command = [sys.executable, "-m", "affidavit.cli.reference", *words]
        return subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT).stdout

    assert written() == markdown()
    assert written("man") == man_page()


def test_the_manual_page_is_in_the_package() -> None:
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as project:
        assert '"docs/man/affidavit.1" = "share/man/man1/affidavit.1"' in project.read()


def test_every_verb_says_what_a_program_reads() -> None:
    assert [verb.name for verb, _ in all_verbs() if not verb.answer] == []


def test_what_is_in_the_repository_is_what_would_be_written() -> None:
    """`make reference` writes both."""
    for path, text in (("docs/reference/commands.md", markdown()), ("docs/man/affidavit.1", man_page())):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            assert file.read() == text, path

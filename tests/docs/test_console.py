"""The harness that executes documents: it must not believe what is not so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.console import commands, run_commands

if TYPE_CHECKING:
    from pathlib import Path


def ran(text: str, place: Path) -> None:
    run_commands(commands(f"```console\n{text}\n```\n"), str(place), "x.md")


def test_what_holds_passes(tmp_path: Path) -> None:
    ran(
        "$ mkdir a && cd a\n$ pwd\n/...work/a\n$ printf 'one\\ntwo\\nthree\\n'\none\n...\nthree\n"
        "$ cat <<EOF\n> hello\n> EOF\nhello\n$ exit 3    # exit status 3\n$ basename $PWD\na\n"
        "$ git init -q . && git commit -q --allow-empty -m first && git branch --show-current\nmain\n"
        "$ affidavit --version\naffidavit ...",
        tmp_path,
    )


@pytest.mark.parametrize(
    "text",
    ["$ false", "$ true   # exit status 1", "$ echo one\ntwo", "$ echo one two\none", "$ echo one >&2\ntwo"],
)
def test_what_does_not_hold_fails(text: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"x\.md"):
        ran(text, tmp_path)

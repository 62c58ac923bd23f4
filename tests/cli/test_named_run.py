"""A run is named by its path, by its id, or not at all: then it is the latest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.reader import read
from tests.support.cli import affidavit
from tests.support.runs import commit_run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for run_id in ("first", "second"):
        commit_run(tmp_path / ".affidavit", run_id)
    commit_run(tmp_path / "elsewhere", "third")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "run_id"),
    [
        ((), "second"),
        (("LATEST",), "second"),
        (("first",), "first"),
        ((".affidavit",), "second"),
        ((".affidavit/first",), "first"),
        (("--from", "elsewhere"), "third"),
        (("--from", "elsewhere", "third"), "third"),
        (("elsewhere/third",), "third"),
    ],
)
def test_show_finds_the_run(place: Path, words: tuple[str, ...], run_id: str) -> None:
    ran = affidavit("show", *words, cwd=str(place))
    told: Any = read(ran.out)
    assert told["run_id"] == run_id


def test_what_is_there_under_the_name_comes_before_an_id(place: Path) -> None:
    commit_run(place / "first", "inner")
    told: Any = read(affidavit("show", "first", cwd=str(place)).out)
    assert told["run_id"] == "inner"


def test_an_id_that_is_not_there_is_an_error(place: Path) -> None:
    ran = affidavit("show", "fourth", cwd=str(place))
    assert (ran.status, ran.out) == (2, b"")
    assert b"fourth" in ran.err

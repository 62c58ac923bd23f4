"""A page is one file, complete in itself, readable by everybody, and shows hostile text as text."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.report.html import preformatted, tag
from affidavit.report.page import Items, Lines, Mark, Page, Pairs, Section, Table, Timeline, render
from affidavit.report.style import COLOURS, style_sheet
from affidavit.shown import plain
from tests.support.pages import Seen


def page_of(text: str) -> Page:
    """A page that shows `text` at every place where a page can show text."""
    parts = (
        Pairs((text, text), ("b", Mark("good", text))),
        Table(text, (text, text), [(text, Mark("code", text))]),
        Timeline(10, [(text, 0, 10)]),
        Lines(text, text),
        Items(text, Mark("bad", text)),
    )
    return Page(text, text, Mark("warn", text), text, [Section(text, *parts)])


HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</pre></style></title><script>",
    "javascript:alert(1)",
    "]]><!--",
    "\u202egnp.exe",
    "\x1b[2J\x00",
    "&lt;b&gt; &amp;",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_does_nothing(text: str) -> None:
    seen = Seen(render(page_of(text)))
    harmless = Seen(render(page_of("x")))
    assert [name for name, _ in seen.elements] == [name for name, _ in harmless.elements]
    assert seen.dangers() == []
    assert seen.torn == []
    assert plain(text) in seen.text


@given(st.text())
def test_any_text_leaves_the_page_as_it_is(text: str) -> None:
    seen = Seen(render(page_of(text)))
    assert [name for name, _ in seen.elements] == [name for name, _ in Seen(render(page_of("x"))).elements]
    assert seen.dangers() == []


@given(st.text(st.characters(codec="utf-8")))
def test_what_a_program_wrote_keeps_its_lines(text: str) -> None:
    read = Seen(tag("pre", preformatted(text)).text.encode())
    assert read.text == "\n".join("\t".join(plain(part) for part in line.split("\t")) for line in text.split("\n"))


def test_no_page_can_load_or_run_anything() -> None:
    """The page says so to the browser as well, and allows exactly its own style sheet."""
    page = render(page_of("x"))
    (policy,) = [meta["content"] for meta in Seen(page).all("meta") if "http-equiv" in meta]
    style = re.search(rb"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    allowed = base64.b64encode(hashlib.sha256(style[1]).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    assert b"url(" not in style[1]
    assert b"@import" not in style[1]


def test_structure_for_those_who_do_not_see_it() -> None:
    seen = Seen(render(page_of("x")))
    assert seen.all("html") == [{"lang": "en"}]
    assert len(seen.all("h1")) == 1
    headings = [int(name[1]) for name, _ in seen.elements if re.fullmatch("h[1-6]", name)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(headings))
    assert len(seen.all("table")) == len(seen.all("caption"))
    assert all(th.get("scope") in ("col", "row") for th in seen.all("th"))
    ids = [attributes["id"] for _, attributes in seen.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"].removeprefix("#") for link in seen.all("a")} <= set(ids)
    for _, attributes in seen.elements:
        assert set(attributes.get("aria-labelledby", "").split()) <= set(ids)
    assert all(svg.get("aria-hidden") == "true" for svg in seen.all("svg"))


def luminance(colour: str) -> float:
    def part(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    red, green, blue = (part(int(colour[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("which", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["text", "quiet", "good", "bad", "warn", "accent"])
def test_text_is_readable_on_every_ground(name: str, which: int) -> None:
    for ground in ("ground", "raised"):
        light, dark = sorted((luminance(COLOURS[name][which]), luminance(COLOURS[ground][which])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, f"{name} on {ground}"


def test_every_colour_of_the_style_sheet_is_in_the_table() -> None:
    used = set(re.findall(r"var\(--([a-z]+)\)", style_sheet()))
    assert used == set(COLOURS)


def test_the_same_page_is_the_same_bytes() -> None:
    assert render(page_of("é")) == render(page_of("é"))

"""A page as data, and how it becomes one HTML file: complete in itself, no script, no other file, light and dark.

What can be shown is a short list of parts. Whoever describes a run chooses parts and gives them text; nothing here
knows what a run is, and nobody else writes HTML.
"""

from __future__ import annotations

from ..canon.profiles import RAW
from .html import Markup, joined, preformatted, tag
from .style import style_sheet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from .html import Content

    Style = Literal["good", "bad", "warn", "quiet", "code"]
    Cell: TypeAlias = "str | Mark"
    Part: TypeAlias = "Pairs | Table | Timeline | Lines | Items"


class Mark:
    """A text that means more than its words. The words say it too: colour alone tells nobody anything."""

    __slots__ = ("style", "text")

    def __init__(self, style: Style, text: str) -> None:
        self.style = style
        self.text = text


class Pairs:
    """Names and what they are."""

    __slots__ = ("rows",)

    def __init__(self, *rows: tuple[str, Cell]) -> None:
        self.rows = rows


class Table:
    """Rows below a head; the first column names its row."""

    __slots__ = ("caption", "head", "rows")

    def __init__(self, caption: str, head: tuple[str, ...], rows: list[tuple[Cell, ...]]) -> None:
        self.caption = caption
        self.head = head
        self.rows = rows


class Timeline:
    """What took how long, one after the other: (name, offset in ms, duration in ms)."""

    __slots__ = ("rows", "total")

    def __init__(self, total: int, rows: list[tuple[str, int, int]]) -> None:
        self.total = total
        self.rows = rows


class Lines:
    """What a program wrote, as it wrote it."""

    __slots__ = ("caption", "text")

    def __init__(self, caption: str, text: str) -> None:
        self.caption = caption
        self.text = text


class Items:
    """A list of sentences."""

    __slots__ = ("rows",)

    def __init__(self, *rows: Cell) -> None:
        self.rows = rows


class Section:
    """Parts under a heading."""

    __slots__ = ("parts", "title")

    def __init__(self, title: str, *parts: Part) -> None:
        self.title = title
        self.parts = parts


class Page:
    """What one page says: what it is about, how it ended, and the rest by sections."""

    __slots__ = ("kind", "outcome", "sections", "standing", "summary", "title")

    def __init__(self, kind: str, title: str, outcome: Mark, summary: str, sections: list[Section]) -> None:
        self.kind = kind
        self.title = title
        self.outcome = outcome
        self.summary = summary
        self.sections = sections
        #: Whether what the page shows was verified; said beside the outcome, which is only as good as this.
        self.standing: Mark | None = None


def render(page: Page) -> bytes:
    """The page's bytes. The same page is the same bytes."""
    from base64 import b64encode

    style = style_sheet()
    allowed = b64encode(bytes.fromhex(RAW.digest(style.encode()).hex)).decode()
    # nothing is loaded, nothing runs, nothing is sent: whatever got past the escaping would find all doors shut
    policy = f"default-src 'none'; style-src 'sha256-{allowed}'; base-uri 'none'; form-action 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{page.title} · {page.outcome.text}"),
        Markup(f"<style>{style}</style>"),
    )
    header = tag(
        "header",
        tag("p", page.kind, class_="kind"),
        tag("h1", page.title),
        tag("p", _cell(page.outcome), *(" · ", _cell(page.standing)) if page.standing else (), class_="outcome"),
        tag("p", page.summary),
    )
    names = [f"s{number}" for number in range(1, len(page.sections) + 1)]
    links = (
        tag("li", tag("a", section.title, href=f"#{name}")) for name, section in zip(names, page.sections, strict=True)
    )
    body = tag(
        "body",
        tag("a", "To the content", href="#content", class_="skip"),
        header,
        tag(
            "main",
            tag("nav", tag("ul", *links), aria_label="Sections"),
            *(_section(name, section) for name, section in zip(names, page.sections, strict=True)),
            id="content",
        ),
        tag("footer", "Written by affidavit. This page is a view; what counts is the bundle, which anyone can verify."),
    )
    return ("<!DOCTYPE html>\n" + tag("html", head, body, lang="en").text + "\n").encode("utf-8", "backslashreplace")


def _section(name: str, section: Section) -> Markup:
    return tag(
        "section", tag("h2", section.title, id=name), *(_part(part) for part in section.parts), aria_labelledby=name
    )


def _cell(cell: Cell) -> Content:
    if isinstance(cell, str):
        return cell
    if cell.style == "code":
        return tag("code", cell.text)
    return tag("span", cell.text, class_=cell.style)


def _part(part: Part) -> Markup:
    if isinstance(part, Pairs):
        return tag("dl", *(joined(tag("dt", name), tag("dd", _cell(told))) for name, told in part.rows))
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Timeline):
        return _timeline(part)
    if isinstance(part, Lines):
        return joined(tag("p", part.caption, class_="quiet"), tag("pre", preformatted(part.text), tabindex="0"))
    return tag("ul", *(tag("li", _cell(row)) for row in part.rows))


def _table(part: Table) -> Markup:
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in part.head)))
    rows = (
        tag("tr", tag("th", _cell(row[0]), scope="row"), *(tag("td", _cell(cell)) for cell in row[1:]))
        for row in part.rows
    )
    return tag("div", tag("table", tag("caption", part.caption), head, tag("tbody", *rows)), class_="wide")


_SCALE = 1000


def _timeline(part: Timeline) -> Markup:
    total = max(part.total, 1)

    def bar(offset: int, duration: int) -> Markup:
        at = min(offset * _SCALE // total, _SCALE - 4)
        rect = tag("rect", x=str(at), y="0", width=str(max(duration * _SCALE // total, 4)), height="10")
        return tag("svg", rect, viewBox=f"0 0 {_SCALE} 10", preserveAspectRatio="none", aria_hidden="true")

    head = tag(
        "thead", tag("tr", *(tag("th", name, scope="col") for name in ("Phase", "Began after", "Took", "Share")))
    )
    rows = (
        tag(
            "tr",
            tag("th", name, scope="row"),
            tag("td", f"{offset} ms"),
            tag("td", f"{duration} ms"),
            tag("td", bar(offset, duration)),
        )
        for name, offset, duration in part.rows
    )
    table = tag("table", tag("caption", f"{part.total} ms in all"), head, tag("tbody", *rows), class_="bars")
    return tag("div", table, class_="wide")

"""HTML that cannot be broken by what it shows: text is escaped because it is text, not because somebody remembered.

A `str` is always content. Markup is a value of its own, which only `tag` makes.
"""

from __future__ import annotations

from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Content: TypeAlias = "Markup | str"

#: What ends an element, an attribute or a text in HTML.
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}
#: Elements without content and without an end.
_VOID = frozenset({"meta", "rect", "br", "link"})


class Markup:
    """HTML that is safe to stand in a page."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def escaped(text: str) -> str:
    """One line of text, with hidden characters (shown.py) and those that HTML gives a meaning to written as escapes."""
    return plain(text).translate(_ESCAPES)


def preformatted(text: str) -> Markup:
    """Text of many lines, to stand in `pre`: line ends and TAB stay, everything else hidden is escaped."""
    lines = ("\t".join(escaped(part) for part in line.split("\t")) for line in text.split("\n"))
    return Markup("\n".join(lines))


def tag(name: str, /, *content: Content, **attributes: str) -> Markup:
    """An element. A trailing underscore and underscores within attribute names are as HTML writes them: `class_`,
    `aria_label`."""
    told = "".join(
        f' {attribute.rstrip("_").replace("_", "-")}="{escaped(value)}"' for attribute, value in attributes.items()
    )
    if name in _VOID:
        return Markup(f"<{name}{told}>")
    inner = "".join(part.text if isinstance(part, Markup) else escaped(part) for part in content)
    return Markup(f"<{name}{told}>{inner}</{name}>")


def joined(*content: Content) -> Markup:
    return Markup("".join(part.text if isinstance(part, Markup) else escaped(part) for part in content))

"""Reads a page as a browser would: elements, text, what could run and what could be loaded."""

from __future__ import annotations

from html.parser import HTMLParser

_VOID = frozenset({"meta", "rect", "br", "link"})
#: Attributes whose value a browser follows.
_FOLLOWED = frozenset({"src", "href", "srcset", "action", "formaction", "data", "poster", "background"})


class Seen(HTMLParser):
    """A page that was read. Elements that do not end where they should are in `torn`."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.torn: list[str] = []
        self._open: list[str] = []
        self.feed(page.decode())
        self.close()
        self.torn += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.torn.append(tag)

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def dangers(self) -> list[str]:
        """What could run, load or send something."""
        found = [
            name for name, _ in self.elements if name in ("script", "iframe", "object", "embed", "form", "base", "img")
        ]
        for name, attributes in self.elements:
            found += [f"{name} {attribute}" for attribute in attributes if attribute.startswith("on")]
            followed = [attributes[attribute] for attribute in attributes if attribute in _FOLLOWED]
            found += [f"{name} {value}" for value in followed if not value.startswith("#")]
            if attributes.get("http-equiv", "").lower() == "refresh":
                found.append("refresh")
        return found

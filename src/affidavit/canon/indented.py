"""JSON for a person's eye: the canonical order and spelling, two spaces for each level. Never hashed, never stored."""

from __future__ import annotations

from .jcs import canonical
from .order import in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def indented(value: Any, indent: str = "") -> str:
    """`value` on several lines; empty containers and scalars on one."""
    inner = indent + "  "
    if type(value) is dict and value:
        members = [f"{inner}{canonical(name).decode()}: {indented(value[name], inner)}" for name in in_order(value)]
        return "{\n" + ",\n".join(members) + f"\n{indent}}}"
    if type(value) is list and value:
        return "[\n" + ",\n".join(inner + indented(item, inner) for item in value) + f"\n{indent}]"
    return canonical(value).decode()

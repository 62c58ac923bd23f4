"""The registries and plans of this package, as the documents they would be in a directory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def plans() -> dict[str, Any]:
    return {}

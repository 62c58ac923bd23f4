"""From a bundle to the actions that carry it out."""

from __future__ import annotations

from ..contracts.proposal import derive_proposal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def propose(bundle: dict[str, Any]) -> dict[str, Any]:
    """The proposal of a bundle that `decide` made."""
    proposal = derive_proposal(bundle)
    assert proposal is not None, "the kernel's own bundles have the outputs that a proposal is derived from"
    return proposal

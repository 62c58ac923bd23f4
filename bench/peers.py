"""Where `make bench-peers` puts the programs of others: in an environment of their own, which no test sees."""

from __future__ import annotations

import os

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PEERS = os.path.join(_ROOT, ".bench-peers", "bin")


def peer(name: str) -> str | None:
    """The program's path; None where it is not installed."""
    path = os.path.join(PEERS, name)
    return path if os.path.exists(path) else None

"""The verbs: name, module, summary. A table, so that listing loads none of them; a test compares."""

from __future__ import annotations

#: In the order in which help lists them.
VERBS: tuple[tuple[str, str, str], ...] = (
    ("canonicalize", "canonicalize", "write JSON as its canonical bytes, check that it is, or hash it"),
    ("runner-verify", "runner_verify", "verify a runner record (RN1-RN12)"),
)

MODULES = {name: module for name, module, _ in VERBS}

"""What no sandbox of ours claims, so that nobody reads it into a record (docs/explanation/sandbox.md)."""

from __future__ import annotations

#: Sorted. Each is a limit that we know of, not one that could be switched on.
NOT_CLAIMED = (
    "channels through time, load and caches of the shared processor",
    "code that a listed interpreter maps into its own process",
    "flaws of the kernel, which all processes of the host share",
    "refusals that were answered to the command with an error: they leave no trace outside",
)

"""What may be tried without a sandbox (contracts 4.8). Pure.

A registry is a document that somebody wrote, and its word that a probe is harmless is no proof. Without a sandbox only
those of the built-in suites are tried, as they stand there, and attempts that are known to do no more than they say, on
fixtures of ours.
"""

from __future__ import annotations

from . import canonicalization, conformance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .probes import Probe

#: Folders that are made for the try and gone after it, or are put back.
_FIXTURES = ("{workspace}", "{root}", "{outside}", "{tmp}", "{shm}")
#: Attempts that touch nothing but the paths they are given.
_HARMLESS = frozenset(
    {
        "files.create",
        "files.create_through_link",
        "files.hard_link",
        "files.hard_link_out",
        "files.open_for_reading",
        "files.open_for_writing",
        "files.read",
        "files.rename_out",
        "files.reopen_for_writing",
        "files.unlink",
        "files.write",
        "network.own_tcp",
        "network.own_unix",
        "network.unix",
        "paths.by_descriptor",
        "paths.by_hard_link",
        "paths.by_loop",
        "paths.when_deleted",
        "paths.when_renamed",
    }
)
_BUILT_IN = frozenset(
    probe.driver for suite in (conformance.PROBES, canonicalization.PROBES) for probe in suite if probe.bare
)


def may_be_bare(probe: Probe) -> bool:
    """Whether it can neither change the host nor exhaust it, whatever its registry says."""
    if not probe.bare:
        return False
    attempt, *words = probe.driver.split() or [""]
    return probe.driver in _BUILT_IN or (attempt in _HARMLESS and all(_is_of_a_fixture(word) for word in words))


def _is_of_a_fixture(word: str) -> bool:
    """Below one of the folders: neither up from it, nor another path behind its name."""
    folder, _, below = word.partition("/")
    return folder in _FIXTURES and bool(below) and ".." not in below.split("/") and "{" not in below

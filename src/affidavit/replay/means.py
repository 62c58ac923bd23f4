"""What a run is given so that it has its conditions: variables, a library, devices, another order of files."""

from __future__ import annotations

import os
from contextlib import contextmanager

from .hold import can_hold_addresses, faketime, inherited, ordered_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .conditions import Conditions, Source, Variation

#: Bytes that are no random numbers, for what reads them from a device.
_NOT_RANDOM = bytes(range(256)) * 4096
_RANDOM_DEVICES = ("/dev/random", "/dev/urandom")


class Means:
    """What has to be shown inside for some conditions. `scratch` is a directory of ours that outlives the run."""

    __slots__ = ("_conditions", "also_commands", "read_only")

    def __init__(self, conditions: Conditions, scratch: str) -> None:
        self._conditions = conditions
        self.read_only: dict[str, str] = {}
        #: The library comes as a command does: with the libraries that it needs.
        self.also_commands: tuple[str, ...] = ()
        if conditions.preloads:
            library = faketime()
            assert library is not None, "only what this host can do is asked for"
            self.also_commands = (library,)
        if "random" in conditions.held:
            for number, device in enumerate(_RANDOM_DEVICES):
                path = os.path.join(scratch, f"random-{number}")
                with open(path, "wb") as file:
                    file.write(_NOT_RANDOM)
                self.read_only[path] = device

    def environment(self, recorded: dict[str, str]) -> dict[str, str]:
        found = self._conditions.environment(recorded)
        if self.also_commands:
            (found["LD_PRELOAD"],) = self.also_commands
        return found

    def argv(self, words: Sequence[str]) -> list[str]:
        """node draws its random numbers past every library, and has an option of its own."""
        if "random" in self._conditions.held and words and os.path.basename(words[0]) == "node":
            return [words[0], "--random-seed=1", *words[1:]]
        return list(words)

    @contextmanager
    def inherited(self) -> Iterator[None]:
        held = self._conditions.held
        with inherited(address="address" in held, processor="processor" in held):
            yield


def place_for(conditions: Conditions) -> str | None:
    """Where the run's files are made: anywhere, unless it is asked whether their order makes a difference."""
    return ordered_place() if "order" in conditions.varied else None


def cannot(condition: Variation | Source) -> str:
    """Why this host cannot make a condition; empty when it can."""
    if condition in ("time", "random", "pid") and faketime() is None:
        return "libfaketime is not installed (Debian: libfaketime)"
    if condition == "order" and ordered_place() is None:
        return "no tmpfs to write to, on which folders list their files as they were made"
    if condition == "address" and not can_hold_addresses():
        return "the host does not let a process have its addresses held still"
    return ""

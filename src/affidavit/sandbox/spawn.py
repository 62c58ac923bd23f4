"""Starts a program with exactly the descriptors and the environment that are named: nothing of ours is inherited.

posix_spawn, because it copies nothing: a fork of a large process takes longer than the program it starts.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: Python ignores SIGPIPE and SIGXFSZ, and what is ignored stays ignored in whatever is started.
_RESET = [number for number in signal.valid_signals() if number not in (signal.SIGKILL, signal.SIGSTOP)]


def spawn(argv: Sequence[str], environment: Mapping[str, str], descriptors: Mapping[int, int]) -> int:
    """The pid of `argv` (argv[0] an absolute path), in a session of its own. `descriptors` is {theirs: ours}, complete:
    every other descriptor is closed there, also one that somebody made inheritable."""
    # each is first copied above everything that is wanted, so that no copy overwrites one that is still to be copied
    high = max(*descriptors, *descriptors.values(), 2) + 1
    actions: list[tuple[int, int] | tuple[int, int, int]] = [
        (os.POSIX_SPAWN_DUP2, ours, high + at) for at, ours in enumerate(descriptors.values())
    ]
    actions += [(os.POSIX_SPAWN_DUP2, high + at, theirs) for at, theirs in enumerate(descriptors)]
    actions += [(os.POSIX_SPAWN_CLOSE, high + at) for at in range(len(descriptors))]
    actions += [(os.POSIX_SPAWN_CLOSE, one) for one in _inheritable() if one not in descriptors]
    return os.posix_spawn(
        argv[0],
        list(argv),
        dict(environment),
        file_actions=actions,
        setsid=True,
        setsigmask=[],
        setsigdef=_RESET,
    )


def _inheritable() -> list[int]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.get_inheritable(int(name)):
                found.append(int(name))
        except OSError:  # closed since it was listed, as the listing's own is
            continue
    return found

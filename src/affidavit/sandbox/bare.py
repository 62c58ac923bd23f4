"""Tries a probe without a sandbox: what the host itself would answer (contracts 4.8).

Only those that can neither change the host nor exhaust it, in a private directory, against listeners and children of
our own, under limits.
"""

from __future__ import annotations

from ..kernel.probes import Ended, Said, judged
from .attempt import attempt
from .fixtures import DESCRIPTOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..kernel.compare import Seen
    from ..kernel.probes import Probe
    from .fixtures import Fixtures

#: Seconds of processor time, blocks of 512 bytes, open files: a shell sets them and becomes the program.
_LIMITED = 'ulimit -t 10 && ulimit -f 131072 && ulimit -n 256 && exec "$@"'


def try_bare(fixtures: Fixtures, probe: Probe, policy: Mapping[str, Any]) -> Seen:
    """What was observed. `policy` says where the probe would aim under it, and is not enforced."""
    assert probe.bare
    with fixtures.trying(probe, policy, inside=False) as trying:
        # the leaking descriptor must be handed over: the host's own trials inherit nothing
        ended = attempt(["/bin/sh", "-c", _LIMITED, "sh", *trying.argv], descriptors={DESCRIPTOR: DESCRIPTOR})
        said = Said(ended.out.encode())
        witnessed = trying.witnessed(said)
        if ended.status is None:
            told = Ended("timed_out")
        elif ended.status < 0:
            told = Ended("signalled", signal=-ended.status)
        else:
            told = Ended("exited", status=ended.status)
        return judged(probe, said, told, witnessed=bool(witnessed), command=trying.argv)

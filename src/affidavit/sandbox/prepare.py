"""From a request to a spec, asking the host what it can and reading what the commands need."""

from __future__ import annotations

import os

from ..errors import ReadFailed
from ..shown import plain
from .host import probe_host, system_view
from .spec import System, plan, topmost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .gaps import Gaps
    from .request import SandboxRequest
    from .spec import SandboxSpec


def prepare(request: SandboxRequest) -> SandboxSpec | Gaps:
    """The sandbox as it will be run. Makes the write roots that the workspace lacks: nothing can be mounted on what is
    not there, and the command could not make them itself."""
    make_write_roots(request.workspace, topmost(request.policy["allowed_write_roots"]))
    return plan(request, probe_host(), System(() if request.no_sandbox else tuple(system_view())))


def make_write_roots(workspace: str, roots: tuple[str, ...]) -> None:
    """Opens each root step by step and follows no link: a workspace with `out -> /etc` would have us open /etc."""
    try:
        top = os.open(workspace, os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise ReadFailed("RUN_E005", f"cannot open the workspace: {error.strerror}") from None
    try:
        for root in roots:
            if root != ".":
                _make(top, root)
    finally:
        os.close(top)


def _make(top: int, root: str) -> None:
    here = os.dup(top)
    try:
        for part in root.split("/"):
            try:
                os.mkdir(part, 0o755, dir_fd=here)
            except FileExistsError:
                pass
            below = os.open(part, os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
            os.close(here)
            here = below
    except OSError as error:
        raise ReadFailed(
            "RUN_E005", f"the write root {plain(root)} of the workspace is no directory of its own: {error.strerror}"
        ) from None
    finally:
        os.close(here)

"""From a request to a spec, asking the host what it can and reading what the commands need."""

from __future__ import annotations

import os

from ..errors import ReadFailed
from ..shown import plain
from .closure import companions, find_closure, words
from .host import SYSTEM, probe_host, system_view
from .outer import BASES, base_for
from .spec import Ground, System, plan, topmost
from .tree import open_below, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .gaps import Gaps
    from .request import SandboxRequest
    from .spec import SandboxSpec


#: What the system's own programs are found by: links that Debian puts between names and programs, the loader's cache.
_SYSTEM_ETC = ("/etc/alternatives", "/etc/ld.so.cache")

#: Below the write roots when the run begins: what is more is not copied into memory, but watched where it is.
MOST_BYTES = 64 * 1024**2
MOST_ENTRIES = 4000
#: More is in no workspace that anybody copies.
MOST_COUNTED = 10_000_000


def prepare(request: SandboxRequest) -> SandboxSpec | Gaps:
    """The sandbox as it will be run. Makes the write roots that the workspace lacks: nothing can be mounted on what is
    not there, and the command could not make them itself."""
    roots = topmost(request.policy["allowed_write_roots"])
    make_write_roots(request.workspace, roots)
    if request.no_sandbox:
        return plan(request, probe_host(), System(()), Ground(0, 0, None, fits=False))
    system = find_system(request)
    return plan(request, probe_host(), system, find_ground(request, roots, system))


def find_system(request: SandboxRequest) -> System:
    """The programs inside: the policy's and their companions, or the host's when it lists none."""
    listed = request.policy["allowed_commands"]
    if not listed:
        etc = [word for path in _SYSTEM_ETC if os.path.exists(path) for word in ("--ro-bind", path, path)]
        return System((*system_view(), *etc, *_from_elsewhere(request)))
    names = tuple(dict.fromkeys((*listed, *request.also_commands)))
    closure = find_closure(names, request.search)
    return System(
        words(closure),
        companions=companions(closure, listed),
        listed=True,
        shell="/bin/sh" if "sh" in closure.programs else "none",
        warnings=tuple(f"commands.absent: {plain(name)}" for name in closure.absent if not name.startswith("/")),
    )


def _from_elsewhere(request: SandboxRequest) -> tuple[str, ...]:
    """Words for programs that are named by their paths and lie where the system's programs do not."""
    named = [path for path in (request.argv[0], *request.also_commands) if path.startswith("/")]
    there = [path for path in named if os.path.isfile(path)]
    return words(find_closure(there, request.search), besides=(*SYSTEM, *_SYSTEM_ETC)) if there else ()


def find_ground(request: SandboxRequest, roots: tuple[str, ...], system: System) -> Ground:
    """How much there is below the write roots, and which folder nothing is shown from. All of it is counted, also what
    is too much for memory: where the roots are watched, what was there is told from what came by having been seen."""
    shown = [os.path.realpath(path) for path in (request.workspace, *request.read_only)]
    shown += [word for word in system.words if word.startswith("/")]
    base = base_for(shown, [path for path in BASES if os.path.isdir(path)])
    size = entries = 0
    top = os.open(request.workspace, os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for root in roots:
            handle = open_below(top, root)
            try:
                for entry in walk(handle, MOST_COUNTED):
                    entries += 1
                    size += entry.seen.st_size
            finally:
                os.close(handle)
    finally:
        os.close(top)
    return Ground(size, entries, base, fits=entries <= MOST_ENTRIES and size <= MOST_BYTES)


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

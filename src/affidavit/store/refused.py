"""Why the store does not do what it was asked: types with stable codes that name the artifact, what was expected and
what was found (contracts 4.4, 4.6)."""

from __future__ import annotations

from ..errors import AffidavitError
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..errors import Kind


class Locked(AffidavitError):
    """Another process holds the lock of an out folder."""

    kind: Kind = "io"

    def __init__(self, place: str, owner: str) -> None:
        message = f"{plain(place)}: expected the lock to be free, found it held by {plain(owner)}"
        super().__init__("lock.held", message, artifact=plain(place), expected="a free lock", found=plain(owner))
        self.owner = owner


class BundleRefused(AffidavitError):
    """A run directory that is not what was asked for. `artifact` is the file that tells it."""

    kind: Kind = "refused"

    def __init__(self, code: str, artifact: str, expected: str, found: str) -> None:
        told = plain(artifact)
        message = f"{told}: expected {expected}, found {found}"
        super().__init__(code, message, artifact=told, expected=expected, found=found)
        self.artifact = artifact
        self.expected = expected
        self.found = found


class RunExists(BundleRefused):
    """A run id that the out folder or its ledger has already."""

    def __init__(self, artifact: str, found: str) -> None:
        super().__init__("run.exists", artifact, "a run id that was never used in this out folder", found)


class Unfit(BundleRefused):
    """What stands in a run directory and is no regular file, or was changed while it was being committed."""

    def __init__(self, artifact: str, expected: str, found: str) -> None:
        super().__init__("artifact.unfit", artifact, expected, found)


class Alive(BundleRefused):
    """A run whose writer still runs."""

    def __init__(self, artifact: str, found: str) -> None:
        super().__init__("run.alive", artifact, "a run whose writer is gone", found)

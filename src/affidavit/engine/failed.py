"""What keeps an engine from being run at all."""

from __future__ import annotations

from ..errors import AffidavitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..errors import Kind


class EngineError(AffidavitError):
    """No engine's fault: it could not be run."""

    kind: Kind = "io"

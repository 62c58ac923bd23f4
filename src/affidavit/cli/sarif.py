"""Writes the file that --sarif names."""

from __future__ import annotations

from .. import __version__
from ..canon.jcs import canonical
from ..errors import WriteFailed
from ..rules.sarif import as_sarif
from .named_file import write_file
from .output import escaped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..errors import AffidavitError
    from ..rules.model import Report
    from .output import Output


def write_sarif(path: str, outcomes: Iterable[tuple[str, Report | AffidavitError]]) -> None:
    write_file(path, canonical(escaped(as_sarif(outcomes, __version__))) + b"\n")


def tell_error(sarif: str, path: str, error: AffidavitError, out: Output) -> None:
    """That there is no report and why, for the tool that will look for the file. How the command ends is decided."""
    if isinstance(error, WriteFailed):
        return
    try:
        write_sarif(sarif, [(path, error)])
    except WriteFailed as failed:
        out.error(failed)

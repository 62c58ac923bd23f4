"""What the verbs about plans and registries share: where registries are, and how findings in several documents are
told."""

from __future__ import annotations

from ..rules.report import as_json, as_lines
from .args import Option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rules.model import Report
    from ..runtime.registry import Source
    from .args import Args
    from .output import Output

REGISTRIES = Option(
    "--registries", "a directory with an index.json of registries, instead of those of this package", value="DIR"
)
EXITS = {"io": 2, "parse": 2, "usage": 3, "refused": 1, "internal": 2}
LINT_STATUSES = ((0, "all are sound"), (1, "findings"), (2, "cannot be read"), (3, "wrong usage"))
SHOW_STATUSES = ((0, "shown"), (1, "a document is not sound"), (2, "cannot be read"), (3, "wrong usage"))


def source_of(args: Args) -> Source:
    from ..runtime import built_in
    from ..runtime.registry import Directory

    path = args.text("--registries")
    return Directory(path) if path else built_in.source()


def tell(out: Output, found: list[tuple[str, Report]]) -> int:
    """Each document with what is wrong with it; the exit status."""
    sound = all(report.ok for _, report in found)
    if out.for_program:
        out.result({"documents": [{"path": name, **as_json(report)} for name, report in found], "ok": sound})
    else:
        for name, report in found:
            if not (out.quiet and report.ok):
                out.lines(as_lines(report, name=name, verbose=out.verbose))
    return 0 if sound else 1

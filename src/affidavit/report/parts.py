"""What all descriptions say in the same way: files, a verification, differences, what a program wrote."""

from __future__ import annotations

from ..quantities import size
from .page import Items, Lines, Mark, Pairs, Section, Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..rules.model import Report
    from .page import Cell, Part

#: Of what a program wrote, so much is shown from its beginning and so much from its end.
SHOWN_BYTES = 32_768
#: Rows of one table; a bundle of a hundred thousand files is no page for a person.
_MOST_ROWS = 1000


class File:
    """A file of a bundle, as its index tells it; not every kind of bundle tells sizes."""

    __slots__ = ("path", "sha256", "size")

    def __init__(self, path: str, size: int | None, sha256: str) -> None:
        self.path = path
        self.size = size
        self.sha256 = sha256


class Excerpt:
    """What a program wrote: all of it, or its beginning and its end."""

    __slots__ = ("begin", "end", "size")

    def __init__(self, begin: bytes, end: bytes, size: int) -> None:
        self.begin = begin
        self.end = end
        self.size = size


def files_section(files: list[File]) -> Section:
    has_sizes = all(file.size is not None for file in files)
    rows: list[tuple[Cell, ...]] = [
        (Mark("code", file.path), *([size(file.size or 0)] if has_sizes else []), Mark("code", file.sha256))
        for file in files[:_MOST_ROWS]
    ]
    left = len(files) - len(rows)
    total = f", {size(sum(file.size or 0 for file in files))}" if has_sizes else ""
    head = ("Path", "Size", "SHA-256") if has_sizes else ("Path", "SHA-256")
    parts: list[Part] = [Table(f"{len(files)} files{total}", head, rows)]
    if left:
        parts.append(Items(Mark("quiet", f"{left} more files are in the index")))
    return Section("Files", *parts)


def verification_section(report: Report, level: str) -> Section:
    """What verifying found, in the words of the rules; what was not checked is said as well."""
    parts: list[Part] = []
    if report.ok:
        parts.append(Pairs(("Result", Mark("good", f"valid at level {level}"))))
    else:
        count = len(report.findings)
        parts.append(Pairs(("Result", Mark("bad", f"{count} finding{'s' * (count > 1)} at level {level}"))))
        rows: list[tuple[Cell, ...]] = [
            (
                found.rule_id,
                Mark("code", " ".join(filter(None, (found.path, found.within))) or "the document"),
                found.expected,
                found.found,
            )
            for found in report.findings[:_MOST_ROWS]
        ]
        parts.append(Table("Where a rule does not hold", ("Rule", "Place", "Expected", "Found"), rows))
    if report.not_checked:
        parts.append(
            Items(*(Mark("quiet", f"not checked: {left.rule_id}: {left.reason}") for left in report.not_checked))
        )
    return Section("Verification", *parts)


def stream_lines(name: str, excerpt: Excerpt) -> list[Part]:
    """What a program wrote to one of its streams."""
    if not excerpt.size:
        return [Pairs((name, Mark("quiet", "nothing was written")))]
    told = f"{name}, {size(excerpt.size)}"
    if not excerpt.end:
        return [Lines(told, excerpt.begin.decode("utf-8", "backslashreplace"))]
    left = excerpt.size - len(excerpt.begin) - len(excerpt.end)
    return [
        Lines(f"{told}: the beginning", excerpt.begin.decode("utf-8", "backslashreplace")),
        Lines(
            f"{name}: the end, after {size(left)} that are not shown",
            excerpt.end.decode("utf-8", "backslashreplace"),
        ),
    ]

"""What a directory or an archive holds, as a value: found by whoever opened it, judged by contracts."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal, Protocol

    Kind = Literal["file", "directory", "symlink", "FIFO", "socket", "device"]

    class Reader(Protocol):
        """Reads members. What is no regular file after all, or more than `most` bytes, is Unfit; what could not be
        read raises ReadFailed."""

        def read(self, name: str, most: int) -> bytes | Unfit: ...
        def stream(self, name: str, most: int) -> Iterator[bytes | Unfit]: ...


class Entry:
    """One name and what stands under it, without following it anywhere."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: Kind) -> None:
        self.name = name
        self.kind = kind

    def __repr__(self) -> str:
        return f"Entry({self.name!r}, {self.kind!r})"


class Unfit:
    """Why an entry, or the whole (no `name`), is not what it should be; `code` tells the kinds apart."""

    __slots__ = ("code", "expected", "found", "name")

    def __init__(
        self, code: Literal["symlink", "irregular", "too large", "archive"], name: str, expected: str, found: str
    ) -> None:
        self.code = code
        self.name = name
        self.expected = expected
        self.found = found

    def __repr__(self) -> str:
        return f"Unfit({self.code!r}, {self.name!r}, {self.expected!r}, {self.found!r})"


class Manifest:
    """What a place holds. `place` is its path as it was given, `resolved` where that leads. Of a place with too many
    entries only those are listed that were asked for by name, so that the listing does not depend on chance."""

    __slots__ = ("entries", "is_archive", "place", "resolved", "too_many", "unfit")

    def __init__(
        self,
        place: str,
        entries: list[Entry],
        *,
        resolved: str = "",
        is_archive: bool = False,
        too_many: bool = False,
        unfit: tuple[Unfit, ...] = (),
    ) -> None:
        self.place = place
        self.entries = entries
        self.resolved = resolved
        self.is_archive = is_archive
        self.too_many = too_many
        self.unfit = unfit

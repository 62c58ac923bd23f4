"""A pack that was verified, and the very bytes that were: who applies one reads no member a second time."""

from __future__ import annotations

import os

from ..canon.reader import read
from ..contracts.pack import PATCH, RUN, examine_pack
from ..store import fs
from .open import open_pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from ..manifest import Reader, Unfit
    from ..rules.model import Report
    from ..values import Level


class Loaded:
    """What came of verifying a pack, and members of it as values."""

    __slots__ = ("_members", "report")

    def __init__(self, report: Report, members: dict[str, bytes]) -> None:
        self.report = report
        self._members = members

    def has(self, name: str) -> bool:
        return name in self._members

    def value(self, name: str) -> dict[str, Any] | None:
        """A member of a sound pack; None where the pack has none of that name."""
        assert self.report.ok
        data = self._members.get(name)
        if data is None:
            return None
        value: dict[str, Any] = read(data, max_bytes=len(data))  # type: ignore[assignment]  # verified
        return value


class Keeping:
    """A Reader that keeps what it read of a few members."""

    __slots__ = ("_names", "_reader", "members")

    def __init__(self, reader: Reader, names: Collection[str]) -> None:
        self._reader = reader
        self._names = names
        self.members: dict[str, bytes] = {}

    def read(self, name: str, most: int) -> bytes | Unfit:
        data = self._reader.read(name, most)
        if name in self._names and isinstance(data, bytes):
            self.members[name] = data
        return data

    def stream(self, name: str, most: int) -> Iterator[bytes | Unfit]:
        return self._reader.stream(name, most)


def load_pack(path: str, level: Level, names: Collection[str] = (PATCH, RUN)) -> Loaded:
    """Verifies the pack at `path` and keeps the members of these names. Raises as `verify_pack` does. A path that
    climbs is followed to where it leads, which PK7 tells who verifies to name instead: what is read is the same."""
    above, name = os.path.split(fs.itself(path))
    if ".." in above.split(os.sep):
        path = os.path.join(os.path.realpath(above), name)
    manifest, reader = open_pack(path, level=level)
    try:
        keeping = Keeping(reader, names)
        return Loaded(examine_pack(manifest, keeping, level=level), keeping.members)
    finally:
        reader.close()

"""Values that a command may know and no artifact may hold (contracts 2.9, Secrets).

Exact bytes only: what a command encodes, compresses or splits by something of its own is not found, and the
documentation says so.
"""

from __future__ import annotations

from ..errors import UsageError
from ..shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: A shorter value stands in almost every output by chance, and replacing it everywhere would tell what it is.
_SHORTEST = 4


class Secrets:
    """The secrets of one run, by name."""

    __slots__ = ("_replacements", "values")

    def __init__(self, values: Mapping[str, str]) -> None:
        for name, value in values.items():
            if len(value.encode("utf-8", "surrogateescape")) < _SHORTEST:
                raise UsageError(
                    "USAGE", f"--secret {plain(name)}: expected a value of at least {_SHORTEST} bytes, to be findable"
                )
        self.values = dict(values)
        by_value = {value.encode("utf-8", "surrogateescape"): name for name, value in values.items()}
        #: The longest first: one secret may be the beginning of another.
        self._replacements = sorted(
            ((value, f"[secret:{name}]".encode()) for value, name in by_value.items()),
            key=lambda pair: (-len(pair[0]), pair[0]),
        )

    def __bool__(self) -> bool:
        return bool(self._replacements)

    def replaced(self, text: str) -> str:
        """`text` with every secret replaced by its name."""
        if not self._replacements:
            return text
        stream = Replacing(self)
        data = stream.feed(text.encode("utf-8", "surrogateescape")) + stream.end()
        return data.decode("utf-8", "surrogateescape")

    def stands_in(self, text: str) -> bool:
        return self.replaced(text) != text

    def first(self, data: bytes, start: int) -> tuple[int, bytes, bytes] | None:
        """Where the first secret stands from `start` on, what it is and what replaces it; of those that begin at one
        place the longest."""
        found: tuple[int, bytes, bytes] | None = None
        for value, name in self._replacements:
            at = data.find(value, start, len(data) if found is None else found[0] + len(value) - 1)
            if at >= 0 and (found is None or at < found[0]):
                found = at, value, name
        return found

    def unsettled(self, data: bytes) -> int:
        """How many bytes at the end of `data` may be the beginning of a secret."""
        most = max((len(value) for value, _ in self._replacements), default=1) - 1
        for count in range(min(most, len(data)), 0, -1):
            end = data[-count:]
            if any(len(value) > count and value.startswith(end) for value, _ in self._replacements):
                return count
        return 0


class Replacing:
    """A stream whose secrets are replaced, wherever its pieces begin and end."""

    __slots__ = ("_held", "_secrets", "found")

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._held = b""
        #: Whether any was seen so far.
        self.found = False

    def feed(self, piece: bytes) -> bytes:
        """What is certain of the stream so far and was not given out."""
        if not self._secrets:
            return piece
        data = self._held + piece
        # a longer secret may still come out of one that is whole: nothing is certain from where one may have begun
        return self._give(data, len(data) - self._secrets.unsettled(data))

    def end(self) -> bytes:
        """What was held back because more might have come."""
        return self._give(self._held, len(self._held))

    def _give(self, data: bytes, settled: int) -> bytes:
        out: list[bytes] = []
        start = 0
        while (found := self._secrets.first(data, start)) is not None and found[0] < settled:
            at, value, name = found
            out += (data[start:at], name)
            start = at + len(value)
            self.found = True
        kept_from = max(start, settled)
        out.append(data[start:kept_from])
        self._held = data[kept_from:]
        return b"".join(out)

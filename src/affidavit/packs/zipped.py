"""A pack as a zip archive whose bytes depend on its members and on nothing else (contracts 2.10).

Members stand at the root, in the order of their names, stored and not deflated: what a deflating library makes of the
same bytes differs from one to the next (ADR 0502). No time, no mode of the host, no name of a system.
"""

from __future__ import annotations

from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_VERSION = 10  # what is needed to read it: stored files and nothing more
_MADE_BY = 3 << 8 | 20  # a system that has modes
_MODE = 0o100644 << 16
#: 1980-01-01, the first day that the format knows; midnight.
_DATE, _TIME = 1 << 5 | 1, 0


def zip_chunks(names: Sequence[str], bytes_of: Callable[[str], bytes]) -> Iterator[bytes]:
    """The archive, piece by piece; one member is in memory at a time. Names are of ASCII."""
    central: list[bytes] = []
    offset = 0
    for name in names:
        data = bytes_of(name)
        # flags, method, time, date, checksum, size stored, size, length of the name, of the extra field
        facts = _numbers((2, 0), (2, 0), (2, _TIME), (2, _DATE), (4, crc32(data)), (4, len(data)), (4, len(data)))
        facts += _numbers((2, len(name)), (2, 0))
        local = b"PK\3\4" + _numbers((2, _VERSION)) + facts + name.encode("ascii")
        # length of the comment, volume, kind of contents, mode, where the local record is
        rest = _numbers((2, 0), (2, 0), (2, 0), (4, _MODE), (4, offset))
        central.append(b"PK\1\2" + _numbers((2, _MADE_BY), (2, _VERSION)) + facts + rest + name.encode("ascii"))
        offset += len(local) + len(data)
        yield local
        yield data
    directory = b"".join(central)
    count = len(central)
    yield directory
    yield b"PK\5\6" + _numbers((2, 0), (2, 0), (2, count), (2, count), (4, len(directory)), (4, offset), (2, 0))


def _numbers(*fields: tuple[int, int]) -> bytes:
    """Each number in so many bytes, the lowest first."""
    return b"".join(number.to_bytes(size, "little") for size, number in fields)

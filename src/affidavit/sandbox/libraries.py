"""Where the loader will find a library: in its search paths, in its cache, in its usual folders, in that order."""

from __future__ import annotations

import os
from struct import unpack_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .elf import Elf

CACHE = "/etc/ld.so.cache"
_MAGIC = b"glibc-ld.so.cache1.1"
_MOST_BYTES = 64 << 20
_HEADER, _ENTRY = 48, 24

#: Where a loader looks when its cache does not know; {machine} as Debian spells it.
_FOLDERS = ("/lib/{machine}-linux-gnu", "/usr/lib/{machine}-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
_MORE = ("/usr/local/lib",)  # musl

_cache: tuple[tuple[int, int], dict[str, list[str]]] | None = None


def candidates(name: str, wanting: Elf, origin: str, inherited: tuple[str, ...]) -> Iterator[str]:
    """Paths at which the loader may take `name` from, best first. `origin` is the folder of the file that wants it,
    `inherited` the rpath of those that loaded that file. A cache may have one library in several builds, for several
    processors: all of them come, since another processor chooses another."""
    if "/" in name:
        yield name.replace("$ORIGIN", origin)
        return
    paths = [*wanting.rpath, *inherited] if not any(wanting.runpath) else list(wanting.runpath)
    for path in paths:
        if path:
            yield f"{path.replace('${ORIGIN}', origin).replace('$ORIGIN', origin)}/{name}"
    yield from cached().get(name, ())
    for folder in (*_FOLDERS, *_MORE):
        yield f"{folder.format(machine=os.uname().machine)}/{name}"


def cached() -> dict[str, list[str]]:
    """What the loader's cache knows, by name; read again when it was written again."""
    global _cache
    try:
        descriptor = os.open(CACHE, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return {}
    try:
        seen = os.fstat(descriptor)
        identity = (seen.st_ino, seen.st_mtime_ns)
        if _cache is None or _cache[0] != identity:
            _cache = (identity, parse_cache(os.read(descriptor, min(seen.st_size, _MOST_BYTES))))
        return _cache[1]
    finally:
        os.close(descriptor)


def parse_cache(data: bytes) -> dict[str, list[str]]:
    """glibc's format of 2003; older ones stand before it in the same file."""
    start = data.find(_MAGIC)
    found: dict[str, list[str]] = {}
    if start < 0 or len(data) < start + _HEADER:
        return found
    (number,) = unpack_from("=I", data, start + len(_MAGIC))
    for at in range(min(number, (len(data) - start - _HEADER) // _ENTRY)):
        _, key, value = unpack_from("=iII", data, start + _HEADER + at * _ENTRY)
        name, path = (_string(data, start + place) for place in (key, value))
        if name and path.startswith("/"):
            found.setdefault(name, []).append(path)
    return found


def _string(data: bytes, at: int) -> str:
    end = data.find(b"\0", at, at + 4096)
    return os.fsdecode(data[at:end]) if end >= 0 else ""

"""Which node and npm a host has: asked, never invented, and asked once for each executable (contracts 2.8)."""

from __future__ import annotations

import os

from .attempt import attempt
from .request import SEARCH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Identity = tuple[str, int, int, int, int]

_SECONDS = 30.0
_MOST_CACHED_BYTES = 1 << 16

_asked: dict[Identity, str] = {}


class Tools:
    """The versions as the record writes them, and the warnings for what is absent."""

    __slots__ = ("node_version", "npm_version", "warnings")

    def __init__(self, node_version: str | None, npm_version: str | None) -> None:
        self.node_version = node_version or "v0.0.0"
        self.npm_version = npm_version or "0.0.0"
        absent = (("node", node_version), ("npm", npm_version))
        self.warnings = tuple(f"platform.{name}_absent" for name, version in absent if version is None)


def find_tools(search: Sequence[str] = SEARCH, cache: str | None = None) -> Tools:
    """`cache` is a file that keeps the answers from one process to the next; an unreadable one is no cache."""
    from ..values import is_semver

    node, npm = (_version(name, search, cache) for name in ("node", "npm"))
    return Tools(
        node if node is not None and node[:1] == "v" and is_semver(node[1:]) else None,
        npm if npm is not None and is_semver(npm) else None,
    )


def find_executable(name: str, search: Sequence[str]) -> str | None:
    """The first executable file of that name; relative folders, which every caller's directory could fill, are none."""
    for folder in search:
        path = f"{folder}/{name}"
        if folder.startswith("/") and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _version(name: str, search: Sequence[str], cache: str | None) -> str | None:
    path = find_executable(name, search)
    if path is None:
        return None
    seen = os.stat(path)
    identity = (name, seen.st_dev, seen.st_ino, seen.st_mtime_ns, seen.st_size)
    if identity not in _asked:
        if cache is not None:
            _asked.update(_load(cache))
        if identity not in _asked:
            # not where a caller's files are: npm reads a configuration from its current directory
            tried = attempt(["/usr/bin/env", "-C", "/", "--", path, "--version"], seconds=_SECONDS)
            if not tried.worked:
                return None
            _asked[identity] = tried.out.strip()
            if cache is not None:
                _store(cache)
    return _asked[identity]


def _load(cache: str) -> dict[Identity, str]:
    from ..canon.reader import read
    from ..errors import ParseError

    try:
        descriptor = os.open(cache, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            value = read(os.read(descriptor, _MOST_CACHED_BYTES))
        finally:
            os.close(descriptor)
    except (OSError, ParseError):
        return {}
    found: dict[Identity, str] = {}
    for entry in value if type(value) is list else ():
        match entry:
            case [str() as name, str() as dev, str() as ino, str() as mtime, str() as size, str() as version]:
                if all(part.isdecimal() for part in (dev, ino, mtime, size)):
                    found[name, int(dev), int(ino), int(mtime), int(size)] = version
    return found


def _store(cache: str) -> None:
    """Best effort: a cache that cannot be written costs a question next time."""
    from ..canon.jcs import canonical

    entries = [
        [name, str(dev), str(ino), str(mtime), str(size), v] for (name, dev, ino, mtime, size), v in _asked.items()
    ]
    aside = f"{cache}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(cache), exist_ok=True)
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, canonical(entries[-64:]))
        finally:
            os.close(descriptor)
        os.replace(aside, cache)
    except OSError:
        return

"""What a command needs to exist inside, and nothing else: itself, its interpreter, its libraries, its package.

Read from the host's files, never by running anything. Links stay links, since programs find their files by where they
really are. A whole folder comes only where a program is a folder: npm's package, Python's modules.
"""

from __future__ import annotations

import os

from .elf import read_elf
from .libraries import CACHE, candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .elf import Elf

    Identity = tuple[int, int, int]

#: Started by these, whatever the policy lists: npm runs scripts by a shell, both are scripts of `env node`.
_ALSO = {"npm": ("node", "sh", "env"), "npx": ("node", "sh", "env")}

#: Where programs say their interpreters are; on most systems links into /usr.
_SYSTEM_LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")

_MOST_LINKS = 40
_DEEPEST = 8


class CommandClosure:
    """The files of some commands as they are on the host, each at its own place."""

    __slots__ = ("absent", "folders", "links", "places", "programs")

    def __init__(self) -> None:
        #: {path: what the link there says}
        self.links: dict[str, str] = {}
        #: Files and folders at their real places.
        self.places: set[str] = set()
        #: Names of programs and loaders that came.
        self.programs: set[str] = set()
        #: Folders that came whole.
        self.folders: set[str] = set()
        #: Names that could not be found.
        self.absent: set[str] = set()


class _Finder:
    def __init__(self, search: Sequence[str]) -> None:
        self.found = CommandClosure()
        self.identities: dict[str, Identity] = {}
        self._search = search
        self._loaded: set[str] = set()

    def command(self, name: str, deep: int = 0) -> None:
        path = name if name.startswith("/") else find(name, self._search)
        if path is None or deep > _DEEPEST or not os.path.isfile(path):
            self.found.absent.add(name)
            return
        if not name.startswith("/") and os.path.dirname(path) not in self._search[-3:]:
            self.found.links.setdefault(f"/usr/local/bin/{name}", path)  # PATH inside is fixed
        self.found.programs.add(os.path.basename(path))
        self._program(path, deep)
        for also in _ALSO.get(os.path.basename(path), ()):
            if also not in self.found.programs:
                self.command(also, deep + 1)

    def link(self, path: str) -> None:
        """Notes a link without what it leads to."""
        self.found.links[path] = os.readlink(path)

    def _program(self, path: str, deep: int) -> None:
        real = self._expose(path)
        if real is None:
            return
        self.found.programs.add(os.path.basename(real))
        elf, head = self._look(real)
        if elf is not None:
            if elf.interpreter:
                self._loader(elf.interpreter)
            self._libraries(real, elf, ())
            if os.path.basename(real).startswith("python"):
                self._python(path, real)
        elif head.startswith(b"#!"):
            self._script(real, head, deep)

    def _script(self, real: str, head: bytes, deep: int) -> None:
        words = os.fsdecode(head[2:].split(b"\n", 1)[0]).split()
        if not words:
            return
        self.command(words[0], deep + 1)
        if os.path.basename(words[0]) == "env":
            named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
            if named:
                self.command(named[0], deep + 1)
        package = _package_of(real)
        if package is not None:
            self._folder(package)

    def _loader(self, path: str) -> None:
        real = self._expose(path)
        if real is not None:
            self.found.programs.add(os.path.basename(path))

    def _libraries(self, real: str, elf: Elf, inherited: tuple[str, ...]) -> None:
        waiting = [(real, elf, inherited)]
        while waiting:
            wanting_path, wanting, rpath = waiting.pop()
            origin = os.path.dirname(wanting_path)
            below = tuple(part.replace("$ORIGIN", origin) for part in wanting.rpath if part) + rpath
            for name in wanting.needed:
                for path in candidates(name, wanting, origin, rpath):
                    if path in self._loaded or not os.path.isfile(path):
                        continue
                    library, _ = self._look(path)
                    if library is None or library.machine != wanting.machine:
                        continue
                    self._loaded.add(path)
                    place = self._expose(path)
                    if place is not None:
                        waiting.append((place, library, below))

    def _python(self, path: str, real: str) -> None:
        """Its modules, and the libraries of those that are compiled; an environment's beside the interpreter's own."""
        for program in dict.fromkeys((path, real)):
            prefix = os.path.dirname(os.path.dirname(program))
            if self._exists(f"{prefix}/pyvenv.cfg"):
                self._expose(f"{prefix}/pyvenv.cfg")
            library = f"{prefix}/lib"
            for name in sorted(_names(library)):
                version = name.removeprefix("python")
                if name != version and (not version.strip("0123456789.t")) and self._is_version_of(real, version):
                    self._folder(f"{library}/{name}")
                    self._modules(f"{library}/{name}/lib-dynload")

    def _is_version_of(self, real: str, version: str) -> bool:
        """python3.11 takes lib/python3.11 and Debian's lib/python3; python3 takes what there is."""
        own = os.path.basename(real).removeprefix("python")
        return not version or own == version or own.startswith(version + ".") or "." not in own

    def _modules(self, folder: str) -> None:
        for name in sorted(_names(folder)):
            module = f"{folder}/{name}"
            elf, _ = self._look(module)
            if elf is not None:
                self._libraries(module, elf, ())

    def _folder(self, path: str) -> None:
        real = self._expose(path)
        if real is not None:
            self.found.folders.add(real)

    def _exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def _expose(self, path: str) -> str | None:
        """Notes every link on the way and the real place at its end, which is returned."""
        here, rest = "", [part for part in path.split("/") if part]
        for _ in range(_MOST_LINKS):
            while rest:
                part = rest.pop(0)
                if part == ".":
                    continue
                if part == "..":
                    here = os.path.dirname(here).rstrip("/")
                    continue
                here = f"{here}/{part}"
                try:
                    said = os.readlink(here)
                except OSError:
                    continue
                self.found.links[here] = said
                rest = [*said.split("/"), *rest]
                here = "" if said.startswith("/") else os.path.dirname(here).rstrip("/")
                rest = [one for one in rest if one]
                break
            else:
                try:
                    seen = os.stat(here)
                except OSError:
                    return None
                self.found.places.add(here)
                self.identities[here] = (seen.st_dev, seen.st_ino, seen.st_mtime_ns)
                return here
        return None

    def _look(self, path: str) -> tuple[Elf | None, bytes]:
        """The file as an ELF file, or its first bytes."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return None, b""
        try:
            elf = read_elf(descriptor)
            return elf, b"" if elf else os.pread(descriptor, 512, 0)
        finally:
            os.close(descriptor)


def find(name: str, search: Sequence[str]) -> str | None:
    """The first executable file of that name. Relative folders, which any workspace could fill, are none; a folder of
    shims has scripts that ask a version manager, which is not inside."""
    for folder in search if "/" not in name else ():
        path = f"{folder}/{name}"
        is_usable = folder.startswith("/") and not folder.rstrip("/").endswith("/shims")
        if is_usable and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _package_of(real: str) -> str | None:
    """The package of a script of node's: below the last node_modules, or all of Debian's /usr/share/nodejs."""
    parts = real.split("/")
    if "node_modules" in parts:
        at = len(parts) - 1 - parts[::-1].index("node_modules")
        return "/".join(parts[: at + (3 if parts[at + 1][:1] == "@" else 2)])
    if "nodejs" in parts[:-1]:
        return "/".join(parts[: parts.index("nodejs") + 1])
    return None


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


_closures: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[CommandClosure, dict[str, Identity]]] = {}


def find_closure(names: Sequence[str], search: Sequence[str]) -> CommandClosure:
    """All that these commands need. Kept for as long as none of its files was replaced."""
    key = (tuple(names), tuple(search))
    known = _closures.get(key)
    if known is not None and all(_identity(path) == was for path, was in known[1].items()):
        return known[0]
    finder = _Finder(search)
    for path in _SYSTEM_LINKS:
        if os.path.islink(path):
            finder.link(path)
    for name in names:
        finder.command(name)
    cache = _identity(CACHE)
    if cache is not None:
        finder.found.places.add(CACHE)
        finder.identities[CACHE] = cache
    if not finder.found.absent:  # what is absent may come
        _closures[key] = (finder.found, finder.identities)
    return finder.found


def _identity(path: str) -> Identity | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_dev, seen.st_ino, seen.st_mtime_ns


def words(closure: CommandClosure, *, besides: Sequence[str] = ()) -> tuple[str, ...]:
    """bubblewrap's words that show it. What lies in a folder that comes whole, or in one that is shown already
    (`besides`), needs no words of its own."""
    covered = tuple(f"{folder}/" for folder in (*closure.folders, *besides))
    told: list[str] = []
    for path in sorted({*closure.links, *closure.places}):
        if path.startswith(covered) or path in besides:
            continue
        if path in closure.links:
            told += ["--symlink", closure.links[path], path]
        else:
            told += ["--ro-bind", path, path]
    return tuple(told)


def companions(closure: CommandClosure, listed: Sequence[str]) -> tuple[str, ...]:
    """By name: where they are on this host is nobody's business (RS6)."""
    folders = {os.path.basename(folder) + "/" for folder in closure.folders}
    return tuple(sorted((closure.programs - set(listed)) | folders))

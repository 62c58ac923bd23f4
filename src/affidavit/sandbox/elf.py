"""What an ELF file says it needs: the loader that starts it and the libraries that it names.

Read here instead of asking ldd, which runs what it is asked about. Every offset is the file's own claim, so every read
is bounded and every string has a longest length; what makes no sense is no ELF file of ours.
"""

from __future__ import annotations

import os
from struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PT_LOAD, _PT_DYNAMIC, _PT_INTERP = 1, 2, 3
_DT_NULL, _DT_NEEDED, _DT_STRTAB, _DT_RPATH, _DT_RUNPATH = 0, 1, 5, 15, 29

_MOST_HEADERS = 256
_MOST_ENTRIES = 4096
_MOST_NEEDED = 512
_LONGEST = 4096


class Layout:
    """Where the members stand in files of 32 and of 64 bits; both little-endian, as all our processors are."""

    __slots__ = ("dynamic", "header", "program")

    def __init__(self, header: str, program: str, dynamic: str) -> None:
        #: type, machine, -, -, phoff, -, -, -, phentsize, phnum
        self.header = Struct(header)
        #: type, offset, vaddr, filesz
        self.program = Struct(program)
        self.dynamic = Struct(dynamic)


_LAYOUTS = {
    1: Layout("<HHIIIIIHHH", "<IIIxxxxI", "<iI"),
    2: Layout("<HHIQQQIHHH", "<IxxxxQQxxxxxxxxQ", "<qQ"),
}


class Elf:
    """The members that a loader looks at."""

    __slots__ = ("interpreter", "machine", "needed", "rpath", "runpath")

    def __init__(
        self,
        machine: tuple[int, int],
        interpreter: str,
        needed: tuple[str, ...],
        rpath: tuple[str, ...],
        runpath: tuple[str, ...],
    ) -> None:
        #: Class and processor: only files that agree in both can be loaded together.
        self.machine = machine
        #: Empty for a library and for a static program.
        self.interpreter = interpreter
        self.needed = needed
        self.rpath = rpath
        self.runpath = runpath


def read_elf(descriptor: int) -> Elf | None:
    """None when it is no ELF file, or none that a loader would take."""
    ident = os.pread(descriptor, 16, 0)
    layout = _LAYOUTS.get(ident[4]) if ident[:4] == b"\x7fELF" and len(ident) == 16 and ident[5] == 1 else None
    header = os.pread(descriptor, layout.header.size, 16) if layout else b""
    if layout is None or len(header) < layout.header.size:
        return None
    _, machine, _, _, offset, _, _, _, size, number = layout.header.unpack(header)
    if size < layout.program.size or number > _MOST_HEADERS:
        return None
    table = _pread(descriptor, size * number, offset)
    segments = [layout.program.unpack_from(table, at) for at in range(0, len(table) - size + 1, size)]
    interpreter = ""
    dynamic: dict[int, list[int]] = {}
    for kind, start, _, length in segments:
        if kind == _PT_INTERP:
            interpreter = _string(_pread(descriptor, min(length, _LONGEST), start), 0)
        elif kind == _PT_DYNAMIC:
            for tag, value in _entries(descriptor, layout, start, length):
                dynamic.setdefault(tag, []).append(value)
    strings = _strings(descriptor, segments, dynamic)
    return Elf(
        (ident[4], machine),
        interpreter,
        tuple(filter(None, (strings(value) for value in dynamic.get(_DT_NEEDED, ())[:_MOST_NEEDED]))),
        *(
            tuple(":".join(strings(value) for value in dynamic.get(tag, ())).split(":"))
            for tag in (_DT_RPATH, _DT_RUNPATH)
        ),
    )


def _entries(descriptor: int, layout: Layout, start: int, length: int) -> Iterator[tuple[int, int]]:
    size = layout.dynamic.size
    table = _pread(descriptor, min(length, size * _MOST_ENTRIES), start)
    for at in range(0, len(table) - size + 1, size):
        tag, value = layout.dynamic.unpack_from(table, at)
        if tag == _DT_NULL:
            return
        yield tag, value


class _strings:  # noqa: N801 -- a function with a table
    """The string at a place of the string table, which the file names by where it will be in memory."""

    def __init__(
        self, descriptor: int, segments: list[tuple[int, int, int, int]], dynamic: dict[int, list[int]]
    ) -> None:
        self._descriptor = descriptor
        self._start: int | None = None
        for address in dynamic.get(_DT_STRTAB, ())[:1]:
            for kind, offset, virtual, length in segments:
                if kind == _PT_LOAD and virtual <= address < virtual + length:
                    self._start = address - virtual + offset

    def __call__(self, at: int) -> str:
        return "" if self._start is None else _string(_pread(self._descriptor, _LONGEST, self._start + at), 0)


def _string(data: bytes, at: int) -> str:
    """Up to its NUL; empty when there is none within reach."""
    end = data.find(b"\0", at)
    return os.fsdecode(data[at:end]) if end >= 0 else ""


def _pread(descriptor: int, length: int, offset: int) -> bytes:
    """Nothing where the file claims a place that no file has."""
    return os.pread(descriptor, length, offset) if 0 <= offset < 1 << 62 else b""

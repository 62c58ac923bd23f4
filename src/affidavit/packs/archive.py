"""A pack in a zip archive, read where it lies: nothing is extracted, and no name in it is ever a path of ours.

By hand and not by the standard library's zipfile, which is made to open as much as it can: two programs may then see
two different packs in one file. Here an archive has exactly one reading or it has findings (rule ZIP): one end record,
a central directory that stands right before it, local records that fill all that is before that, gap for gap, and that
say the same as the directory; no name twice, nothing encrypted, stored or deflated only, no records of the 64-bit form
(a pack has no use for them). Where the directory cannot be read at all there is an error.
"""

from __future__ import annotations

import os
from zlib import MAX_WBITS, crc32, decompressobj
from zlib import error as DeflateError  # noqa: N812 -- a class

from ..contracts.pack import MEMBERS, MOST_ENTRIES
from ..errors import ReadFailed
from ..manifest import Entry, Manifest, Unfit
from ..shown import plain, shown
from ..store import fs
from .directory import kind_of, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn
    from zlib import _Decompress as _Inflate

    from ..manifest import Kind
    from ..values import Level

_END = b"PK\5\6"
_END_SIZE = 22
_CENTRAL = b"PK\1\2"
_CENTRAL_SIZE = 46
_LOCAL = b"PK\3\4"
_LOCAL_SIZE = 30
_DESCRIPTOR = b"PK\7\x08"

#: Where the end record may begin: a comment has at most 65535 bytes.
_TAIL = _END_SIZE + 0xFFFF
#: The central directory of as many entries as the end record can count, with names of ordinary length.
_MOST_CENTRAL_BYTES = 16 << 20

_STORED, _DEFLATED = 0, 8
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_HAS_DESCRIPTOR = 0x0008
_IS_UTF8 = 0x0800

#: Extra fields that give an entry another size, another name or another method than its record says.
_TELLING_EXTRAS = {0x0001: "a 64-bit size", 0x7075: "a second name", 0x9901: "encryption"}

_CHUNK = 1 << 16


class _Record:
    """One entry as the central directory has it."""

    __slots__ = (
        "compressed",
        "crc",
        "extra",
        "flags",
        "flaw",
        "is_marked_directory",
        "kind_bits",
        "method",
        "name",
        "offset",
        "raw_name",
        "size",
        "start",
        "volume",
    )

    def __init__(self, head: bytes, raw_name: bytes, extra: bytes) -> None:
        self.flags = _u16(head, 8)
        self.method = _u16(head, 10)
        self.crc = _u32(head, 16)
        self.compressed = _u32(head, 20)
        self.size = _u32(head, 24)
        self.volume = _u16(head, 34)
        self.kind_bits = _u16(head, 40) & 0o170000  # of the mode, which writers on Unix put there
        self.is_marked_directory = bool(head[38] & 0x10)
        self.offset = _u32(head, 42)
        self.raw_name = raw_name
        self.extra = extra
        self.name = raw_name.decode("utf-8", "surrogateescape")
        self.start = 0  # of its data, once its local record was read
        self.flaw: Unfit | None = None

    @property
    def is_directory(self) -> bool:
        return self.name.endswith("/") or self.is_marked_directory or self.kind_bits == 0o040000

    def spoil(self, expected: str, found: str) -> None:
        """Notes the first flaw."""
        if self.flaw is None:
            self.flaw = Unfit("archive", self.name, expected, found)


def open_archive(path: str, level: Level) -> tuple[Manifest, ArchiveReader]:
    """The archive at `path` as what it holds and a reader of its members, to be closed. At `compat` one folder around
    all of it is looked through."""
    descriptor = fs.open_file(path)
    try:
        archive = _Archive(descriptor, path)
        records = archive.records()
        archive.check_local_records(records)
        if level == "compat":
            _look_through_folder(records)
        reader = ArchiveReader(archive, records)
    except OSError as error:
        os.close(descriptor)
        raise ReadFailed("IO", f"{plain(path)}: {error.strerror or error}", path=plain(path)) from None
    except ReadFailed:
        os.close(descriptor)
        raise
    return reader.manifest(path), reader


class ArchiveReader:
    """Reads the members of an open archive. One with a flaw is Unfit, with its flaw."""

    __slots__ = ("_archive", "_by_name", "_records")

    def __init__(self, archive: _Archive, records: list[_Record]) -> None:
        self._archive = archive
        self._records = records
        self._by_name: dict[str, _Record] = {}
        for record in records:
            first = self._by_name.setdefault(record.name, record)
            if first is not record:
                first.spoil("each name once in the archive", "the name again")

    def manifest(self, path: str) -> Manifest:
        """What the archive holds, and the flaws of everything that will not be read, where they will be told."""
        records = list(self._by_name.values())
        too_many = len(self._records) > MOST_ENTRIES
        if too_many:
            records = [record for record in records if record.name in MEMBERS]
        entries = [
            Entry(record.name.rstrip("/") or record.name, "directory" if record.is_directory else _kind(record))
            for record in records
        ]
        readable = {entry.name for entry in entries if entry.kind == "file" and entry.name in MEMBERS}
        flaws = tuple(record.flaw for record in records if record.flaw and record.name not in readable)
        return Manifest(
            path,
            entries,
            resolved=resolved(path),
            is_archive=True,
            too_many=too_many,
            unfit=self._archive.flaws + flaws,
        )

    def read(self, name: str, most: int) -> bytes | Unfit:
        pieces: list[bytes] = []
        for piece in self.stream(name, most):
            if type(piece) is not bytes:
                return piece
            pieces.append(piece)
        return b"".join(pieces)

    def stream(self, name: str, most: int) -> Iterator[bytes | Unfit]:
        record = self._by_name[name]
        if record.flaw:
            yield record.flaw
        elif record.size > most:
            yield Unfit("too large", name, f"at most {most} bytes", f"{record.size}")
        else:
            try:
                yield from self._archive.contents(record)
            except OSError as error:
                raise ReadFailed("IO", f"{plain(name)}: {error.strerror or error}", path=plain(name)) from None

    def close(self) -> None:
        os.close(self._archive.descriptor)


class _Archive:
    """The file itself: its end record, its central directory, its local records, its data."""

    def __init__(self, descriptor: int, path: str) -> None:
        self.descriptor = descriptor
        self.path = path
        self.size = os.fstat(descriptor).st_size
        self.flaws: tuple[Unfit, ...] = ()
        self.count = 0
        self.central_start = 0
        self.central_end = 0
        self._find_end_record()

    def _find_end_record(self) -> None:
        tail = self._at(max(0, self.size - _TAIL), min(self.size, _TAIL))
        base = self.size - len(tail)
        found: list[int] = []
        at = tail.find(_END)
        while at >= 0:
            if at + _END_SIZE <= len(tail) and at + _END_SIZE + _u16(tail, at + 20) == len(tail):
                found.append(at)
            at = tail.find(_END, at + 1)
        if not found:
            self.refuse("a zip archive, which ends with its end record", "none" if self.size else "an empty file")
        if len(found) > 1 or _END in tail[found[0] + 4 :]:
            # another program would take another one, and see another pack
            self._spoil("one end record", "another in the comment of the first")
        end = tail[found[0] : found[0] + _END_SIZE]
        self.central_end = base + found[0]
        count, size, offset = _u16(end, 10), _u32(end, 12), _u32(end, 16)
        if _u16(end, 4) or _u16(end, 6) or _u16(end, 8) != count:
            self.refuse("an archive in one volume", "one of several")
        if count == 0xFFFF or 0xFFFFFFFF in (size, offset):
            self.refuse("an archive without 64-bit records, which a pack has no use for", "one with them")
        if offset + size != self.central_end:
            self.refuse(f"a central directory of {size} bytes at byte {offset}, right before the end record", "none")
        if size > _MOST_CENTRAL_BYTES:
            self.refuse(f"a central directory of at most {_MOST_CENTRAL_BYTES} bytes", f"one of {size}")
        self.count, self.central_start = count, offset

    def records(self) -> list[_Record]:
        """The entries of the central directory, which hold exactly the bytes that it has."""
        central = self._at(self.central_start, self.central_end - self.central_start)
        records: list[_Record] = []
        at = 0
        for _ in range(self.count):
            head = central[at : at + _CENTRAL_SIZE]
            if len(head) < _CENTRAL_SIZE or not head.startswith(_CENTRAL):
                self.refuse(f"an entry of the central directory at byte {self.central_start + at}", "none")
            names = at + _CENTRAL_SIZE
            extras = names + _u16(head, 28)
            comment = extras + _u16(head, 30)
            at = comment + _u16(head, 32)
            records.append(_Record(head, central[names:extras], central[extras:comment]))
        if at != len(central):
            self.refuse(f"{self.count} entries in the central directory, as the end record says", "something else")
        for record in records:
            _check(record)
        return records

    def check_local_records(self, records: list[_Record]) -> None:
        """That the records say what the directory says, and that they and their data fill the file up to it."""
        end = 0
        for record in sorted(records, key=lambda record: record.offset):
            if record.offset != end:
                self._spoil(f"the next record at byte {end}", f"that of {shown(record.name)} at byte {record.offset}")
                if record.offset < end:
                    record.spoil("a record of its own", "one that overlaps another")
            end = max(end, self._check_local(record))
        if end != self.central_start:
            self._spoil(f"the central directory at byte {end}, after the last record", f"at byte {self.central_start}")

    def _check_local(self, record: _Record) -> int:
        """Where the entry ends: after its data, or after the descriptor behind it."""
        head = self._at(record.offset, _LOCAL_SIZE)
        if len(head) < _LOCAL_SIZE or not head.startswith(_LOCAL):
            record.spoil(f"its record at byte {record.offset}", "none")
            return record.offset
        names = _u16(head, 26)
        extra_size = _u16(head, 28)
        rest = self._at(record.offset + _LOCAL_SIZE, names + extra_size)
        record.start = record.offset + _LOCAL_SIZE + names + extra_size
        end = record.start + record.compressed
        if end > self.central_start:
            record.spoil("its data before the central directory", "less than it says that there is")
            return record.start
        told = (_u32(head, 14), _u32(head, 18), _u32(head, 22))
        real = (record.crc, record.compressed, record.size)
        later = record.flags & _HAS_DESCRIPTOR
        if (
            rest[:names] != record.raw_name
            or (_u16(head, 6), _u16(head, 8)) != (record.flags, record.method)
            or (told != real and not (later and told == (0, 0, 0)))
        ):
            record.spoil("a record that says what the central directory says", "another")
        _check_extras(record, rest[names:])
        return end + self._descriptor_size(record, end) if later else end

    def _descriptor_size(self, record: _Record, at: int) -> int:
        facts = b"".join(number.to_bytes(4, "little") for number in (record.crc, record.compressed, record.size))
        found = self._at(at, 16)
        if found == _DESCRIPTOR + facts:
            return 16
        if found.startswith(facts):
            return 12
        record.spoil("a descriptor after the data that says what the central directory says", "none")
        return 0

    def contents(self, record: _Record) -> Iterator[bytes | Unfit]:
        """The data of a sound entry, never more than its declared size; at the end of it, whether that was all."""
        inflate = decompressobj(-MAX_WBITS) if record.method == _DEFLATED else None
        crc = 0
        size = 0
        try:
            for piece in _inflated(self._stored(record), inflate) if inflate else self._stored(record):
                size += len(piece)
                if size > record.size:
                    break
                crc = crc32(piece, crc)
                yield piece
        except DeflateError:
            yield Unfit("archive", record.name, "deflated data", "data that cannot be inflated")
            return
        if size != record.size or (inflate and (inflate.unused_data or not inflate.eof)):
            yield Unfit("archive", record.name, f"data of {record.size} bytes", "more, less, or data after its end")
        elif crc != record.crc:
            yield Unfit("archive", record.name, f"the checksum {record.crc:08x}", f"{crc:08x}")

    def _stored(self, record: _Record) -> Iterator[bytes]:
        at, left = record.start, record.compressed
        while left:
            piece = self._at(at, min(left, _CHUNK))
            if not piece:
                return  # the file has become shorter
            yield piece
            at += len(piece)
            left -= len(piece)

    def _at(self, offset: int, size: int) -> bytes:
        os.lseek(self.descriptor, offset, os.SEEK_SET)
        pieces: list[bytes] = []
        while size:
            piece = os.read(self.descriptor, size)
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _spoil(self, expected: str, found: str) -> None:
        """Notes the first flaw of the archive as a whole."""
        if not self.flaws:
            self.flaws = (Unfit("archive", "", expected, found),)

    def refuse(self, expected: str, found: str) -> NoReturn:
        raise ReadFailed("ARCHIVE", f"{plain(self.path)}: expected {expected}, found {found}", path=plain(self.path))


def _inflated(pieces: Iterator[bytes], inflate: _Inflate) -> Iterator[bytes]:
    """What deflated data becomes, in pieces of bounded size, to its end."""
    for data in pieces:
        while data:
            yield inflate.decompress(data, _CHUNK)
            data = inflate.unconsumed_tail  # noqa: PLW2901 -- what did not go into the last piece
    while not inflate.eof:
        rest = inflate.decompress(b"", _CHUNK)
        if not rest:
            return
        yield rest


def _u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")


def _u32(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _kind(record: _Record) -> Kind:
    return kind_of(record.kind_bits) if record.kind_bits else "file"


def _check(record: _Record) -> None:
    """What an entry says of itself."""
    if record.flags & _ENCRYPTED:
        record.spoil("data that is not encrypted", "encrypted data")
    if record.method not in (_STORED, _DEFLATED):
        record.spoil("data that is stored or deflated", f"method {record.method}")
    if record.volume:
        record.spoil("an archive in one volume", f"data in volume {record.volume}")
    if 0xFFFFFFFF in (record.compressed, record.size, record.offset):
        record.spoil("no 64-bit sizes, which a pack has no use for", "one")
    if record.method == _STORED and record.compressed != record.size:
        record.spoil("stored data as long as it is", "another length")
    if not record.raw_name.isascii():
        try:
            record.raw_name.decode()
            is_utf8 = bool(record.flags & _IS_UTF8)
        except UnicodeDecodeError:
            is_utf8 = False
        if not is_utf8:
            record.spoil("a name in UTF-8, marked as such", "one in another encoding")
    if record.is_directory and record.size:
        record.spoil("a directory without data", f"{record.size} bytes")
    _check_extras(record, record.extra)


def _check_extras(record: _Record, extra: bytes) -> None:
    at = 0
    while at + 4 <= len(extra):
        kind = _u16(extra, at)
        if kind in _TELLING_EXTRAS:
            record.spoil("no extra field that says otherwise than the record", _TELLING_EXTRAS[kind])
        at += 4 + _u16(extra, at + 2)
    if at != len(extra):
        record.spoil("whole extra fields", "a part of one")


def _look_through_folder(records: list[_Record]) -> None:
    """Takes the one folder that all names begin with from each of them."""
    first = records[0].name.partition("/")[0] if records else ""
    folder = first + "/"
    if first in ("", ".", "..") or not all(record.name.startswith(folder) for record in records):
        return
    for record in records:
        record.name = record.name[len(folder) :]
    # the folder's own entry, where it says nothing but that
    records[:] = [record for record in records if record.name or record.flaw or record.size]

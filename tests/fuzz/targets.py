"""What is fuzzed. Each target takes bytes and raises only when a promise is broken."""

from __future__ import annotations

import random
import struct
import tempfile
from typing import TYPE_CHECKING, Any

import rfc8785

from affidavit.canon.certified import read_certified
from affidavit.canon.fast import fast_canonical
from affidavit.canon.jcs import _small, _written, canonical
from affidavit.canon.reader import MAX_BYTES, _scanned, read
from affidavit.canon.reference import read_reference
from affidavit.contracts.ledger import verify_ledger
from affidavit.contracts.runner import verify_runner
from affidavit.errors import ParseError, ReadFailed
from affidavit.packs.verify import verify_pack
from affidavit.rules.model import Report
from affidavit.values import LEVELS
from tests.support.contracts import SEVERAL, documents, verifier_of
from tests.support.same import same

if TYPE_CHECKING:
    from collections.abc import Callable


def reader(data: bytes) -> None:
    """Any bytes give a value or a ParseError, and the quick readers accept nothing that the reference refuses."""
    scanned, certified = _scanned(data), read_certified(data)
    try:
        value = read_reference(data, max_bytes=MAX_BYTES)
    except ParseError as error:
        if scanned is not None or certified is not None or not 0 <= error.offset <= len(data):
            raise AssertionError("a quick reader took what the reference refuses") from error
        return
    assert scanned is None or same(scanned.value, value)
    assert certified is None or same(certified[0], value)
    text = canonical(value)
    assert same(read(text), _as_written(value))
    assert canonical(read(text)) == text


def _as_written(value: Any) -> Any:
    """JCS has one zero, and whole doubles that fit read as integers."""
    if type(value) is float:
        return read(canonical(value))
    if type(value) is list:
        return [_as_written(item) for item in value]
    return {key: _as_written(member) for key, member in value.items()} if type(value) is dict else value


def writer(data: bytes) -> None:
    """All writers agree, with each other and with rfc8785, on a document made from the bytes."""
    value = document(random.Random(data), 4)
    wanted = rfc8785.dumps(value)
    assert _written(value) == wanted
    assert _small(value) in (wanted, None)
    assert fast_canonical(value) in (wanted, None)
    large = ["x" * 70_000, value]
    assert fast_canonical(large) in (_written(large), None)


_CHARACTERS = 'aZ0_ "\\/\x00\x1f\x7f\u00e9\u2028\ud7ff\ue000\uffff\U00010000\U0010ffff:,.0e+-\n'


def _text(source: random.Random) -> str:
    return "".join(source.choices(_CHARACTERS, k=source.randrange(6)))


def document(source: random.Random, levels: int) -> Any:
    """A random document with astral and private keys, look-alikes of numbers, and doubles of every magnitude."""
    kind = source.randrange(9 if levels else 6)
    if kind == 0:
        return source.choice([None, True, False])
    if kind == 1:
        return source.randrange(-(2**53) + 1, 2**53)
    if kind in (2, 3):
        return double(source)
    if kind in (4, 5):
        return _text(source)
    if kind in (6, 7):
        return {_text(source): document(source, levels - 1) for _ in range(source.randrange(6))}
    return [document(source, levels - 1) for _ in range(source.randrange(6))]


def double(source: random.Random) -> float:
    while True:
        (value,) = struct.unpack("<d", source.randbytes(8))
        if source.randrange(3) == 0:  # the magnitudes at which the layout changes
            value = source.randrange(-(10**17), 10**17) * 10.0 ** source.randrange(-24, 8)
        if value - value == 0:
            return float(value)


def doubles(data: bytes) -> None:
    """Ten thousand random doubles in one array, against rfc8785."""
    source = random.Random(data)
    values = [double(source) for _ in range(10_000)]
    assert canonical(values) == rfc8785.dumps(values)


def runner(data: bytes) -> None:
    """Verification is total over whatever the reader reads."""
    try:
        value = read(data)
    except ParseError:
        return
    for level in ("spec", "compat", "strict"):
        assert isinstance(verify_runner(value, level=level), Report)


SINGLE = [name for name in documents() if name not in SEVERAL]


def every_document(data: bytes) -> None:
    """So is that of every other document: the first byte chooses which."""
    if data:
        try:
            value = read(data[1:])
        except ParseError:
            return
        assert isinstance(verifier_of(SINGLE[data[0] % len(SINGLE)])(value, level=LEVELS[data[0] % 3]), Report)


def ledger(data: bytes) -> None:
    """A ledger is bytes from the start."""
    assert isinstance(verify_ledger(data, level="strict"), Report)


def archive(data: bytes) -> None:
    """An archive of whatever bytes has findings, or is refused as none."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            assert isinstance(verify_pack(file.name), Report)
        except ReadFailed as error:
            if error.code != "ARCHIVE":
                raise


TARGETS: dict[str, Callable[[bytes], None]] = {
    "reader": reader,
    "writer": writer,
    "doubles": doubles,
    "runner": runner,
    "every_document": every_document,
    "ledger": ledger,
    "archive": archive,
}

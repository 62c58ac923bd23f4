"""The named hash profiles (contracts 1). A digest never travels without the profile it was made under.

The only module that calls hashlib; a test greps for others.
"""

from __future__ import annotations

import sys

from ..values import Digest
from .jcs import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Hasher(Protocol):
        def update(self, data: bytes | memoryview, /) -> None: ...
        def hexdigest(self) -> str: ...


try:  # the interpreter's own SHA-256 loads in no time; OpenSSL's is four times as fast and costs 2 ms to load
    from _sha256 import sha256 as _small_sha256
except ImportError:  # Python 3.12 keeps it under another name, other interpreters have none
    from hashlib import sha256 as _small_sha256  # type: ignore[assignment]

#: Loading OpenSSL's costs as much as hashing this many bytes without it: rent until the rent has paid for the purchase.
_LOAD_WORTH = 1_000_000
_LARGE = 262_144
_hashed_without = 0
_quick_sha256: Callable[..., Hasher] | None = None


def _sha256(data: bytes) -> str:
    global _hashed_without
    if _quick_sha256 is None:
        _hashed_without += len(data)
        if len(data) < _LARGE and _hashed_without < _LOAD_WORTH and "hashlib" not in sys.modules:
            return _small_sha256(data).hexdigest()
    return (_quick_sha256 or _load_quick())(data).hexdigest()


def _load_quick() -> Callable[..., Hasher]:
    global _quick_sha256
    _quick_sha256 = raw_hashers()
    return _quick_sha256


def raw_hasher() -> Hasher:
    """A SHA-256 to feed piece by piece; its result is a RAW digest."""
    if _quick_sha256 is None and "hashlib" not in sys.modules:
        return _Waiting()
    return (_quick_sha256 or _load_quick())()


class _Waiting:
    """Keeps the first pieces until it is clear whether OpenSSL's is worth loading for them."""

    __slots__ = ("_held", "_quick", "_size")

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._size = 0
        self._quick: Hasher | None = None

    def update(self, data: bytes | memoryview, /) -> None:
        if self._quick is None:
            self._size += len(data)
            if self._size < _LARGE:
                self._held.append(bytes(data))
                return
            self._quick = (_quick_sha256 or _load_quick())(b"".join(self._held))
            self._held.clear()
        self._quick.update(data)

    def hexdigest(self) -> str:
        return self._quick.hexdigest() if self._quick is not None else _sha256(b"".join(self._held))


def raw_hashers() -> Callable[..., Hasher]:
    """What makes a `raw_hasher`, with its first bytes if there are any: for those who make a hundred thousand."""
    from functools import partial
    from hashlib import sha256

    return partial(sha256, usedforsecurity=False)


class Profile:
    """How a value becomes the bytes that are hashed."""

    __slots__ = ("name", "to_bytes")

    def __init__(self, name: str, to_bytes: Callable[[object], bytes]) -> None:
        self.name = name
        self.to_bytes = to_bytes

    def digest(self, value: object) -> Digest:
        return Digest(self.name, _sha256(self.to_bytes(value)))

    def __repr__(self) -> str:
        return f"Profile({self.name})"


class RawProfile(Profile):
    """Bytes as they are."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("RAW", _as_bytes)

    def digest_hex(self, hex_digits: str) -> Digest:
        """The digest that a `raw_hasher` arrived at."""
        return Digest(self.name, hex_digits)


def _as_bytes(data: object) -> bytes:
    if type(data) is not bytes:
        raise TypeError(f"RAW hashes bytes, found {type(data).__name__}")
    return data


def _python_json(payload: object) -> bytes:
    import json

    return json.dumps(payload, sort_keys=True).encode()


#: The seeds' canonicalHash(): JCS bytes and one LF.
KERNEL = Profile("KERNEL", lambda value: canonical(value) + b"\n")
#: Everything in a RUN_BUNDLE: JCS bytes, nothing after.
ENGINE = Profile("ENGINE", canonical)
#: The bytes as they are.
RAW = RawProfile()
#: `model_io_hash` only: the bytes of ENGINE under a name of its own, so that the two never mix.
MODEL_IO = Profile("MODEL_IO", canonical)
#: `plan_digest` only, kept for compatibility: Python's json.dumps(sort_keys=True).
PLAN = Profile("PLAN", _python_json)

PROFILES = {profile.name: profile for profile in (KERNEL, ENGINE, RAW, MODEL_IO, PLAN)}


def derive_id(prefix: str, value: object) -> str:
    """`deriveId(prefix, v)`: the prefix, `_`, and the first 16 hex digits of v's KERNEL hash (contracts 1)."""
    return f"{prefix}_{KERNEL.digest(value).hex[:16]}"

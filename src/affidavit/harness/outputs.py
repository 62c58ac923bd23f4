"""What a run left goes into its directory: each file is read once, hashed as it is written, and what holds a secret is
not stored at all."""

from __future__ import annotations

import os

from ..shown import plain
from ..store import durable, fs
from .changes import open_output_below
from .secrets import Replacing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ..store.writer import Writer
    from .changes import Left
    from .secrets import Secrets

FOLDER = "outputs/"
_ASIDE = "searched"


def store_outputs(
    writer: Writer, left: Left, *, workspace: str, scratch: str, secrets: Secrets
) -> tuple[list[dict[str, Any]], list[str]]:
    """The `outputs` of the execution, and a reason for each file that was not stored because of a secret in it."""
    stored: list[dict[str, Any]] = []
    withheld: list[str] = []
    top = durable.open_directory(workspace)
    try:
        for path, mode in left.outputs:
            opened = open_output_below(top, path)
            try:
                kept = _searched(opened, scratch, secrets) if secrets else os.dup(opened)
            finally:
                os.close(opened)
            if kept is None or secrets.stands_in(path):
                withheld.append(f"Output {plain(secrets.replaced(path))} holds a secret and is not kept")
                if kept is not None:
                    os.close(kept)
                continue
            try:
                written = writer.put_stream(FOLDER + path, _pieces(kept))
            finally:
                os.close(kept)
            stored.append(
                {
                    "path": path,
                    "sha256": written.digest.content_hash,
                    "size_bytes": written.size,
                    "mode": f"{mode:04o}",
                }
            )
    finally:
        os.close(top)
    return stored, withheld


def _pieces(opened: int) -> Iterator[bytes]:
    while piece := os.read(opened, fs.CHUNK):
        yield piece


def _searched(opened: int, scratch: str, secrets: Secrets) -> int | None:
    """A copy that nobody else can change, so that what was searched is what is stored; None when a secret is in it."""
    place = os.path.join(scratch, _ASIDE)
    copy = os.open(place, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    is_clean = False
    try:
        os.unlink(place)
        stream = Replacing(secrets)
        for piece in _pieces(opened):
            stream.feed(piece)
            durable.write_all(copy, piece)
        stream.end()
        os.lseek(copy, 0, os.SEEK_SET)
        is_clean = not stream.found
    finally:
        if not is_clean:
            os.close(copy)
    return copy if is_clean else None

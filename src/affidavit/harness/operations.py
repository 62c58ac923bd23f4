"""The declared file operations, carried out on the copy: each does what it says or nothing, and never follows a link
(contracts 2.4, 2.5, 2.10: the same before-states as when a patch is applied)."""

from __future__ import annotations

import os
import stat

from ..canon.profiles import RAW
from ..errors import ReadFailed
from ..shown import plain
from ..store import durable, fs
from .changes import digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ACTIONS = {"create_file": "create", "modify_file": "modify", "delete_file": "delete"}
_MODE = 0o644
_NOTHING = RAW.digest(b"").content_hash


class _Unfit(Exception):
    """The file is not as the operation needs it."""


def carry_out(workspace: str, proposal: dict[str, Any]) -> tuple[list[dict[str, Any]], list[str]]:
    """The results of all file operations by path, and why those failed that did. A failed one tells the digest of no
    bytes: it left none."""
    results: list[dict[str, Any]] = []
    reasons: list[str] = []
    top = durable.open_directory(workspace)
    try:
        for action in proposal["actions"]:
            kind = _ACTIONS.get(action["type"])
            if kind is None:
                continue
            path, digest, exit_code = action["target"], _NOTHING, 0
            try:
                digest = _carry_out(top, kind, path, action.get("content", "").encode())
            except (_Unfit, ReadFailed, OSError) as error:
                exit_code = 1
                reasons.append(f'"{plain(path)}": {kind}: {_why(error)}')
            results.append({"path": path, "action": kind, "sha256": digest, "exit_code": exit_code})
    finally:
        os.close(top)
    return results, reasons


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return error.message if isinstance(error, ReadFailed) else str(error)


def _carry_out(top: int, kind: str, path: str, content: bytes) -> str:
    *parents, name = path.split("/")
    if kind == "create":
        folder = durable.make_directories(top, parents)
    else:
        folder = _existing(top, parents)
    try:
        if kind == "create":
            if fs.mode_of(folder, name) is not None:
                raise _Unfit(f"expected nothing of this name, found {fs.what(fs.mode_of(folder, name) or 0)}")
            return _write(folder, name, content, _MODE)
        before = fs.open_member(folder, name)
        try:
            mode = stat.S_IMODE(os.fstat(before).st_mode)
            removed = digest_of(before) if kind == "delete" else ""
        finally:
            os.close(before)
        os.unlink(name, dir_fd=folder)
        return removed or _write(folder, name, content, mode)
    finally:
        os.close(folder)


def _existing(top: int, parents: list[str]) -> int:
    here = os.dup(top)
    for parent in parents:
        try:
            below = fs.open_directory(here, parent)
        finally:
            os.close(here)
        assert isinstance(below, int)
        here = below
    return here


def _write(folder: int, name: str, content: bytes, mode: int) -> str:
    descriptor = durable.create(folder, name)
    try:
        durable.write_all(descriptor, content)
        os.fchmod(descriptor, mode)
    finally:
        os.close(descriptor)
    return RAW.digest(content).content_hash

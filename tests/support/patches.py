"""Packs with a patch of one's own, and what stands in a directory, to compare."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.canon.order import utf16
from affidavit.contracts.patch import EXAMPLE
from tests.support.pack_files import two_members, write_directory

if TYPE_CHECKING:
    from collections.abc import Iterable


def create(path: str, content: str, **more: Any) -> dict[str, Any]:
    return {"op": "create", "path": path, "content": content, **more}


def modify(path: str, content: str, **more: Any) -> dict[str, Any]:
    return {"op": "modify", "path": path, "content": content, **more}


def delete(path: str, **more: Any) -> dict[str, Any]:
    return {"op": "delete", "path": path, **more}


def patch_of(*operations: dict[str, Any]) -> dict[str, Any]:
    ordered = sorted(operations, key=lambda operation: (operation.get("order", 0), utf16(operation["path"])))
    total = sum(len(operation.get("content", "").encode()) for operation in operations)
    return {**EXAMPLE, "operations": ordered, "total_bytes": total}


def write_patch_pack(path: str | os.PathLike[str], *operations: dict[str, Any]) -> str:
    """A pack that is valid at level spec and holds these operations."""
    return write_directory(path, {**two_members(), "patch.json": canonical(patch_of(*operations)) + b"\n"})


def tree(directory: str | os.PathLike[str], without: Iterable[str] = ()) -> dict[str, tuple[str, int, bytes]]:
    """Everything below a directory, not followed: what it is, its permissions, its bytes."""
    found: dict[str, tuple[str, int, bytes]] = {}
    skipped = set(without)
    for folder, directories, files in os.walk(directory):
        directories[:] = [name for name in directories if name not in skipped]
        for name in (*directories, *files):
            path = os.path.join(folder, name)
            below = os.path.relpath(path, directory)
            facts = os.lstat(path)
            mode = stat.S_IMODE(facts.st_mode)
            if stat.S_ISLNK(facts.st_mode):
                found[below] = ("symlink", 0, os.fsencode(os.readlink(path)))
            elif stat.S_ISREG(facts.st_mode):
                with open(path, "rb") as file:
                    found[below] = ("file", mode, file.read())
            else:
                found[below] = ("directory" if stat.S_ISDIR(facts.st_mode) else "other", mode, b"")
    return found

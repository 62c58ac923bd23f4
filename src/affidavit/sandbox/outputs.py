"""What the command writes below the write roots: held to the policy's number of files and bytes while it runs, and in
the workspace when it has ended.

Rooms are file systems in memory with exactly that much space. What is in the workspace is copied in before the command
is let go and what became of it copied out when nothing runs any more, so nothing beyond the cap ever reaches storage.
Where the write roots hold too much for that, they are watched, and the run is stopped soon after it exceeded the cap.
"""

from __future__ import annotations

import os
import stat
import time

from ..errors import ReadFailed, WriteFailed
from ..shown import plain
from .request import WORKSPACE
from .tree import Entry, copy_entry, drop_set_ids, open_below, remove_entry, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .spec import SandboxSpec
    from .tree import Mark

#: How often a run is looked at. A look at a room takes microseconds; watching adapts to what a look takes.
LOOK_SECONDS = 0.1


class Outputs:
    """One run's. `over` is certain only after `collect`."""

    def __init__(self, spec: SandboxSpec) -> None:
        self.over = False
        self.warnings: set[str] = set()
        self._spec = spec
        self._limits = spec.limits
        self._workspace = -1
        self._roots: list[_Root] = []
        self._next_look = 0.0

    @property
    def in_rooms(self) -> bool:
        return bool(self._spec.rooms)

    def open(self) -> None:
        """Before the start: where the outputs will be, and what is there already."""
        self._workspace = os.open(self._spec.workspace, os.O_DIRECTORY | os.O_CLOEXEC)
        for root in self._spec.write_roots:
            try:
                self._roots.append(_Root(root, open_below(self._workspace, root)))
            except OSError as error:
                raise ReadFailed("RUN_E005", f"cannot open the write root {plain(root)}: {error.strerror}") from None
        if not self.in_rooms:
            for root_ in self._roots:
                root_.marks = {entry.path: entry.mark for entry in walk(root_.home, self._most())}

    def enter(self, child: int, wait: Callable[[], bool]) -> bool:
        """Opens the rooms through the waiting process's root, which is theirs once it is not ours, and fills them.
        `wait` passes a moment and is False when there is nothing to wait for any more."""
        if not self.in_rooms:
            return True
        while not self._open_rooms(child):
            if not wait():
                return False
        for root in self._roots:
            for entry in walk(root.home, self._most()):
                if _is_kept(entry):
                    copy_entry(entry, root.home, root.room, most=entry.seen.st_size)
            for entry in walk(root.room, self._most()):
                root.marks[entry.path] = entry.mark
                if stat.S_ISDIR(entry.seen.st_mode):
                    root.folders.add(entry.path)
        return True

    def _open_rooms(self, child: int) -> bool:
        """False when it is not yet as it will be: bubblewrap moves into its new root in several steps."""
        try:
            inside = os.open(f"/proc/{child}/root{WORKSPACE}", os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            found: list[int] = []
            for root, size in zip(self._roots, self._spec.rooms, strict=True):
                handle = _open_if(inside, root.path)
                if handle is not None:
                    found.append(handle)
                if handle is None or not _is_room(handle, size):
                    for one in found:
                        os.close(one)
                    return False
            for root, handle in zip(self._roots, found, strict=True):
                root.room = handle
            return True
        finally:
            os.close(inside)

    def look(self) -> bool:
        """True as soon as it is certain that the cap is exceeded."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        if self.in_rooms:
            over = any(_is_full(root.room) for root in self._roots if root.room >= 0)
        else:
            over = self._exceeds()
        took = time.monotonic() - now
        self._next_look = now + LOOK_SECONDS + 10 * took
        return over

    def collect(self) -> None:
        """When nothing runs any more: what was written is brought home, as far as the cap goes."""
        if not self.in_rooms:
            self.over = self._exceeds()
            self._drop_set_ids()
            return
        files, left = self._limits.max_output_files, self._limits.max_output_bytes
        for root in self._roots:
            if root.room < 0:
                continue
            present = {entry.path: entry for entry in walk(root.room, self._most())}
            changed = [entry for path, entry in present.items() if root.marks.get(path) != entry.mark]
            try:
                _clear(root.home, present, {entry.path for entry in changed}, self._most())
                for entry in changed:
                    if not _is_kept(entry):
                        self.warnings.add(f"outputs.special_file: {plain(_below(root.path, entry.path))}")
                    elif stat.S_ISDIR(entry.seen.st_mode):
                        if entry.path not in root.folders:  # also where a file was before
                            copy_entry(entry, root.room, root.home, most=0)
                    elif stat.S_ISREG(entry.seen.st_mode) and (files < 1 or entry.seen.st_size > left):
                        self.over = True
                    else:
                        files -= stat.S_ISREG(entry.seen.st_mode)
                        left -= copy_entry(entry, root.room, root.home, most=left)
            except OSError as error:
                raise WriteFailed("RUN_E005", f"cannot write the outputs: {error.strerror}") from None

    def _exceeds(self) -> bool:
        files, size = 0, 0
        for root in self._roots:
            entries = 0
            for entry in walk(root.home, self._most()):
                entries += 1
                if stat.S_ISREG(entry.seen.st_mode) and root.marks.get(entry.path) != entry.mark:
                    files += 1
                    size += entry.seen.st_size
            if entries >= self._most():
                return True
        return files > self._limits.max_output_files or size > self._limits.max_output_bytes

    def _drop_set_ids(self) -> None:
        """What was written where the host can start it must not run as whoever owns it, which is us."""
        for root in self._roots:
            for entry in walk(root.home, self._most()):
                if stat.S_ISREG(entry.seen.st_mode) and root.marks.get(entry.path) != entry.mark:
                    drop_set_ids(entry, root.home)

    def _most(self) -> int:
        return self._spec.most_entries

    def close(self) -> None:
        for root in self._roots:
            for handle in (root.home, root.room):
                if handle >= 0:
                    os.close(handle)
        self._roots = []
        if self._workspace >= 0:
            os.close(self._workspace)
            self._workspace = -1


class _Root:
    """A write root: its directory in the workspace, its room, the marks of what the command found there, and its
    directories."""

    __slots__ = ("folders", "home", "marks", "path", "room")

    def __init__(self, path: str, home: int) -> None:
        self.path = path
        self.home = home
        self.room = -1
        self.marks: dict[str, Mark] = {}
        self.folders: set[str] = set()


def _open_if(top: int, path: str) -> int | None:
    try:
        return open_below(top, path)
    except OSError:
        return None


def _is_room(handle: int, size: int) -> bool:
    """A file system of exactly the size we asked for: the host's directory that it covers is none."""
    seen = os.fstatvfs(handle)
    return seen.f_blocks * seen.f_frsize == size and bool(seen.f_flag & os.ST_NODEV)


def _is_full(handle: int) -> bool:
    seen = os.fstatvfs(handle)
    return seen.f_bavail == 0 or seen.f_ffree == 0


def _is_kept(entry: Entry) -> bool:
    mode = entry.seen.st_mode
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)


def _below(root: str, path: str) -> str:
    return path if root == "." else f"{root}/{path}"


def _clear(home: int, present: dict[str, Entry], changed: set[str], most: int) -> None:
    """Takes away what the command took away, and what it changed: that is written anew, never through a link."""
    for entry in reversed(list(walk(home, most))):
        now = present.get(entry.path)
        kind = stat.S_IFMT(entry.seen.st_mode)
        stays = now is not None and stat.S_IFMT(now.seen.st_mode) == kind
        if not stays or (entry.path in changed and kind != stat.S_IFDIR):
            remove_entry(entry, home)

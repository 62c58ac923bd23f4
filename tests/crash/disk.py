"""A disk that forgets: records what is done to a folder, and makes what a power cut may leave of it.

The model is harsher than any filesystem: until a file is synced, each write to it may be lost, torn or turned to zeros;
until a directory is synced, each change of a name in it may be lost, in any combination. What was synced is there. A
rename is one step.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from affidavit.store import renames

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    import pytest


class Node:
    """A file or a directory that there was at some time."""

    def __init__(self, *, is_directory: bool) -> None:
        self.is_directory = is_directory


class Step:
    """One thing that was done. `node` is what has to be synced for it to last."""

    def __init__(self, node: Node, apply: Callable[[Image, str], None], *, is_sync: bool = False) -> None:
        self.node = node
        self.apply = apply
        self.is_sync = is_sync


class Image:
    """What a disk holds: the names in each directory, the bytes of each file."""

    def __init__(self) -> None:
        self.names: dict[Node, dict[str, Node]] = {}
        self.bytes: dict[Node, bytearray] = {}

    def copy(self) -> Image:
        made = Image()
        made.names = {node: dict(names) for node, names in self.names.items()}
        made.bytes = {node: bytearray(data) for node, data in self.bytes.items()}
        return made

    def write(self, root: Node, path: str) -> dict[int, Node]:
        """Makes it; what each inode of it stands for."""
        os.mkdir(path)
        made = {os.stat(path).st_ino: root}
        for name, node in self.names.get(root, {}).items():
            if node.is_directory:
                made |= self.write(node, os.path.join(path, name))
            else:
                with open(os.path.join(path, name), "wb") as file:
                    file.write(self.bytes.get(node, b""))
                made[os.stat(os.path.join(path, name)).st_ino] = node
        return made


class Disk:
    """A folder, as it was and with everything that was done to it since."""

    def __init__(self, path: str) -> None:
        self.before = Image()
        self.steps: list[Step] = []
        self._alive: dict[int, Node] = {}
        self.root = self._take(path)

    def _take(self, path: str) -> Node:
        node = self._alive[os.stat(path).st_ino] = Node(is_directory=True)
        names = self.before.names[node] = {}
        for name in os.listdir(path):
            below = os.path.join(path, name)
            if os.path.isdir(below):
                names[name] = self._take(below)
            else:
                names[name] = self._alive[os.stat(below).st_ino] = Node(is_directory=False)
                with open(below, "rb") as file:
                    self.before.bytes[names[name]] = bytearray(file.read())
        return node

    def left_after(self, count: int, fate: Callable[[Step], str]) -> Image:
        """What may be there when the power goes after so many steps. Of each that was not made to last, `fate` says
        what becomes of it: kept, lost, torn, zeros."""
        image = self.before.copy()
        done = self.steps[:count]
        lasting: set[Node] = set()
        lasts: list[bool] = []
        for step in reversed(done):
            if step.is_sync:
                lasting.add(step.node)
            lasts.append(step.node in lasting)
        for step, is_lasting in zip(done, reversed(lasts), strict=True):
            becomes = "kept" if is_lasting else fate(step)
            if becomes != "lost" and not step.is_sync:
                step.apply(image, becomes)
        return image

    # What the recorder tells.

    def known(self, descriptor: int) -> Node | None:
        return self._alive.get(os.fstat(descriptor).st_ino)

    def directory_of(self, path: str, dir_fd: int | None) -> tuple[Node | None, str]:
        """The directory that a name is in, and the name; None where it is none of ours."""
        above, name = os.path.split(path)
        found = os.stat(above or ".", dir_fd=dir_fd) if above or dir_fd is None else os.fstat(dir_fd)
        return self._alive.get(found.st_ino), name

    def made(self, directory: Node, name: str, inode: int, *, is_directory: bool) -> None:
        node = self._alive[inode] = Node(is_directory=is_directory)

        def apply(image: Image, _becomes: str) -> None:
            image.names.setdefault(directory, {})[name] = node

        self.steps.append(Step(directory, apply))

    def removed(self, directory: Node, name: str) -> None:
        def apply(image: Image, _becomes: str) -> None:
            image.names.setdefault(directory, {}).pop(name, None)

        self.steps.append(Step(directory, apply))

    def renamed(self, source: Node, old: str, target: Node, new: str, inode: int) -> None:
        node = self._alive[inode]

        def apply(image: Image, _becomes: str) -> None:
            image.names.setdefault(source, {}).pop(old, None)
            image.names.setdefault(target, {})[new] = node

        self.steps.append(Step(target, apply))

    def exchanged(self, source: Node, old: str, target: Node, new: str) -> None:
        def apply(image: Image, _becomes: str) -> None:
            there, here = image.names.setdefault(source, {}), image.names.setdefault(target, {})
            if old in there and new in here:
                there[old], here[new] = here[new], there[old]

        self.steps.append(Step(target, apply))

    def inode_of(self, node: Node) -> int:
        """The inode that it had while it was recorded; 0 where it had none any more."""
        return next((inode for inode, alive in self._alive.items() if alive is node), 0)

    def written(self, node: Node, offset: int, data: bytes) -> None:
        def apply(image: Image, becomes: str) -> None:
            held = image.bytes.setdefault(node, bytearray())
            kept = data[: len(data) // 2] if becomes == "torn" else bytes(len(data)) if becomes == "zeros" else data
            held.extend(bytes(max(0, offset - len(held))))
            held[offset : offset + len(kept)] = kept

        self.steps.append(Step(node, apply))

    def truncated(self, node: Node, size: int) -> None:
        def apply(image: Image, _becomes: str) -> None:
            held = image.bytes.setdefault(node, bytearray())
            held.extend(bytes(max(0, size - len(held))))
            del held[size:]

        self.steps.append(Step(node, apply))

    def synced(self, node: Node) -> None:
        self.steps.append(Step(node, lambda _image, _becomes: None, is_sync=True))


@contextmanager
def recording(disk: Disk, patch: pytest.MonkeyPatch) -> Iterator[None]:
    """What this process does to the folder meanwhile, through the calls that the store makes."""
    real: dict[str, Any] = {
        name: getattr(os, name)
        for name in ("open", "write", "pwrite", "ftruncate", "fsync", "rename", "unlink", "rmdir", "mkdir", "link")
    }
    without_replacing, exchanging = renames.rename_no_replace, renames.exchange

    def is_there(path: str, dir_fd: int | None) -> bool:
        try:
            os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        is_new = bool(flags & os.O_CREAT) and not is_there(path, dir_fd)
        descriptor: int = real["open"](path, flags, mode, dir_fd=dir_fd)
        if is_new:
            directory, name = disk.directory_of(path, dir_fd)
            if directory is not None:
                disk.made(directory, name, os.fstat(descriptor).st_ino, is_directory=False)
        return descriptor

    def write(descriptor: int, data: Any) -> int:
        node = disk.known(descriptor)
        if node is None:
            return int(real["write"](descriptor, data))
        done: int = real["write"](descriptor, data)
        disk.written(node, os.lseek(descriptor, 0, os.SEEK_CUR) - done, bytes(data[:done]))
        return done

    def pwrite(descriptor: int, data: Any, offset: int) -> int:
        done: int = real["pwrite"](descriptor, data, offset)
        node = disk.known(descriptor)
        if node is not None:
            disk.written(node, offset, bytes(data[:done]))
        return done

    def ftruncate(descriptor: int, size: int) -> None:
        real["ftruncate"](descriptor, size)
        node = disk.known(descriptor)
        if node is not None:
            disk.truncated(node, size)

    def fsync(descriptor: int) -> None:
        node = disk.known(descriptor)
        if node is not None:
            disk.synced(node)  # nothing of it can be lost any more; what a real disk does is not asked

    def rename(old: str, new: str, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None) -> None:
        inode = os.stat(old, dir_fd=src_dir_fd, follow_symlinks=False).st_ino
        real["rename"](old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
        moved(old, src_dir_fd, new, dst_dir_fd, inode)

    def renameat2(old_directory: int, old: str, new_directory: int, new: str) -> bool:
        inode = os.stat(old, dir_fd=old_directory, follow_symlinks=False).st_ino
        is_done = without_replacing(old_directory, old, new_directory, new)
        if is_done:
            moved(old, old_directory, new, new_directory, inode)
        return is_done

    def exchange(old_directory: int, old: str, new_directory: int, new: str) -> bool:
        is_done = exchanging(old_directory, old, new_directory, new)
        source, old_name = disk.directory_of(old, old_directory)
        target, new_name = disk.directory_of(new, new_directory)
        assert source is not None
        assert target is not None
        if is_done:
            disk.exchanged(source, old_name, target, new_name)
        return is_done

    def moved(old: str, source_fd: int | None, new: str, target_fd: int | None, inode: int) -> None:
        source, old_name = disk.directory_of(old, source_fd)
        target, new_name = disk.directory_of(new, target_fd)
        assert source is not None
        assert target is not None
        disk.renamed(source, old_name, target, new_name, inode)

    def gone(call: str) -> Callable[..., None]:
        def remove(path: str, *, dir_fd: int | None = None) -> None:
            directory, name = disk.directory_of(path, dir_fd)
            real[call](path, dir_fd=dir_fd)
            if directory is not None:
                disk.removed(directory, name)

        return remove

    def mkdir(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        real["mkdir"](path, mode, dir_fd=dir_fd)
        directory, name = disk.directory_of(path, dir_fd)
        if directory is not None:
            disk.made(directory, name, os.stat(path, dir_fd=dir_fd).st_ino, is_directory=True)

    with patch.context() as patched:
        for name, call in {
            "open": open_, "write": write, "pwrite": pwrite, "ftruncate": ftruncate, "fsync": fsync, "rename": rename,
            "unlink": gone("unlink"), "rmdir": gone("rmdir"), "mkdir": mkdir,
        }.items():  # fmt: skip
            patched.setattr(os, name, call)
        patched.setattr(renames, "rename_no_replace", renameat2)
        patched.setattr(renames, "exchange", exchange)
        # rmtree asks which calls take a directory's descriptor, and compares them with these
        patched.setattr(os, "supports_dir_fd", os.supports_dir_fd | {os.open, os.unlink, os.rmdir, os.stat})
        yield


def fates(random_source: random.Random) -> dict[str, Callable[[Step], str]]:
    """What may become of what was not made to last."""
    return {
        "all is lost": lambda _step: "lost",
        "all is kept": lambda _step: "kept",
        "names are kept, bytes are lost": lambda step: "kept" if step.node.is_directory else "lost",
        "bytes are kept, names are lost": lambda step: "lost" if step.node.is_directory else "kept",
        "lengths are kept, bytes are zeros": lambda step: "kept" if step.node.is_directory else "zeros",
        "writes are torn": lambda step: "kept" if step.node.is_directory else "torn",
        "chance": lambda _step: random_source.choice(("kept", "lost", "lost", "torn", "zeros")),
        "chance again": lambda _step: random_source.choice(("kept", "kept", "lost", "torn")),
    }

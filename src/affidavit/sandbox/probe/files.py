"""Files: reading, writing, naming, and what else a descriptor opens."""

from __future__ import annotations

import errno
import os

from .calls import MOST, call, fail, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Attempt


def read(path: str) -> Attempt:
    yield path
    descriptor = os.open(path, os.O_RDONLY)
    return {"data": os.read(descriptor, MOST), **spelled(descriptor)}


def open_for_reading(path: str) -> Attempt:
    """Where what stands there is nobody's business, ours included."""
    yield path
    return spelled(os.open(path, os.O_RDONLY))


def write(path: str) -> Attempt:
    yield path
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.write(descriptor, b"written by the probe\n")
    return spelled(descriptor)


def open_for_writing(path: str) -> Attempt:
    """Where a write would harm the host, the kernel's answer to open is enough."""
    yield path
    return spelled(os.open(path, os.O_WRONLY))


def create(path: str) -> Attempt:
    yield path
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.write(descriptor, b"created by the probe\n")
    return spelled(descriptor)


def create_through_link(link: str, path: str) -> Attempt:
    os.symlink(path, link)
    yield link
    descriptor = os.open(link, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(descriptor, b"created through a link by the probe\n")
    return spelled(descriptor)


def unlink(path: str) -> Attempt:
    yield path
    os.unlink(path)
    return None


def hard_link(path: str, name: str) -> Attempt:
    yield path
    os.link(path, name)
    return None


def hard_link_out(own: str, name: str) -> Attempt:
    os.close(os.open(own, os.O_WRONLY | os.O_CREAT, 0o600))
    yield name
    os.link(own, name)
    return None


def rename_out(own: str, name: str) -> Attempt:
    os.close(os.open(own, os.O_WRONLY | os.O_CREAT, 0o600))
    yield name
    os.rename(own, name)
    return None


def replace_link(link: str, name: str) -> Attempt:
    """What the host knows as a link is a folder when the host takes over what we wrote."""
    os.unlink(link)
    os.mkdir(link)
    yield link
    os.close(os.open(f"{link}/{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return None


def leave_link(link: str, path: str) -> Attempt:
    """Whoever reads our output by its name reads something else."""
    yield link
    os.symlink(path, link)
    return None


def leave_pipe(path: str) -> Attempt:
    """Whoever opens our output waits for a writer who never comes."""
    yield path
    os.mkfifo(path)
    return None


def leave_set_id(path: str) -> Attempt:
    """A program that, to the host, is its owner's whoever starts it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755)
    yield path
    os.fchmod(descriptor, 0o6755)
    return None


def reopen_for_writing(path: str) -> Attempt:
    """A descriptor that may only be read, opened again by its name in /proc."""
    descriptor = os.open(path, os.O_RDONLY)
    name = f"/proc/self/fd/{descriptor}"
    yield name
    return spelled(os.open(name, os.O_RDWR))


def open_a_disk() -> Attempt:
    """Any of the names that a disk usually has."""
    names = ("/dev/vda", "/dev/sda", "/dev/xvda", "/dev/nvme0n1", "/dev/mmcblk0", "/dev/loop0")
    yield names[0]
    for name in names[:-1]:
        try:
            return spelled(os.open(name, os.O_RDWR))
        except OSError:
            continue
    return spelled(os.open(names[-1], os.O_RDWR))


def device_node(path: str) -> Attempt:
    import stat

    yield path
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    return None


def sparse_file(path: str, size: str) -> Attempt:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    yield path
    os.ftruncate(descriptor, int(size))
    return None


def fill(path: str, size: str) -> Attempt:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    piece = bytes(1 << 20)
    left = int(size)
    yield path
    while left > 0:
        left -= os.write(descriptor, piece[:left])
    return None


def fill_with_files(folder: str, size: str, each: str) -> Attempt:
    """No file is large: only what all of them take can be too much."""
    piece = bytes(int(each))
    yield folder
    os.mkdir(folder)
    for at in range(int(size) // len(piece)):
        descriptor = os.open(f"{folder}/{at}", os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, piece)
        os.close(descriptor)
    return None


def many_files(folder: str, count: str) -> Attempt:
    os.mkdir(folder)
    yield folder
    for at in range(int(count)):
        os.close(os.open(f"{folder}/{at}", os.O_WRONLY | os.O_CREAT, 0o600))
    return None


def flood(size: str) -> Attempt:
    """As much to standard output; the report is in it already."""
    piece = b"." * 65535 + b"\n"
    left = int(size)
    yield None
    while left > 0:
        left -= os.write(1, piece[:left])
    return None


def inherited_descriptors() -> Attempt:
    """Any descriptor beyond the three, whatever it is."""
    yield "/proc/self/fd"
    for descriptor in range(3, 4096):
        try:
            os.fstat(descriptor)
        except OSError:
            continue
        try:
            data = os.pread(descriptor, MOST, 0)
        except OSError:
            data = b""
        return {"data": data, **spelled(descriptor)}
    raise fail(errno.EBADF)


def inherited_environment(name: str) -> Attempt:
    yield None
    if name not in os.environ:
        raise fail(errno.ENOENT)
    return {"data": os.environb[name.encode()]}


def read_parents_environment() -> Attempt:
    path = f"/proc/{os.getppid()}/environ"
    yield path
    return {"data": os.read(os.open(path, os.O_RDONLY), MOST)}


def kernel_log() -> Attempt:
    import ctypes

    buffer = ctypes.create_string_buffer(256)
    yield None
    call("syslog", 3, ctypes.byref(buffer), 256)
    return None


def by_handle(path: str) -> Attempt:
    """Opening the inode of the file system's root by its number, below no directory that is visible."""
    import ctypes
    import struct

    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    handle = ctypes.create_string_buffer(struct.pack("=IiII", 8, 1, 2, 0), 32)
    yield path
    call("open_by_handle_at", folder, ctypes.byref(handle), os.O_RDONLY)
    return None

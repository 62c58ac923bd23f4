"""The kernel's other doors: mounts, namespaces, tracing, and calls that a build never needs."""

from __future__ import annotations

import errno
import os
import signal

from .calls import call, child, fail, numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Attempt


def mount(target: str) -> Attempt:
    yield target
    call("mount", b"tmpfs", target.encode(), b"tmpfs", 0, 0)
    return None


def bind_mount(source: str, target: str) -> Attempt:
    yield target
    call("mount", source.encode(), target.encode(), 0, 4096, 0)
    return None


def remount(target: str) -> Attempt:
    yield target
    call("mount", 0, target.encode(), 0, 32 | 4096, 0)  # MS_REMOUNT | MS_BIND, no MS_RDONLY
    return None


def unmount(target: str) -> Attempt:
    yield target
    call("umount2", target.encode(), 2)
    return None


def new_mount_api() -> Attempt:
    yield None
    call("fsopen", b"tmpfs", 0)
    return None


def clone_tree(path: str) -> Attempt:
    yield path
    call("open_tree", -100, path.encode(), 1)  # OPEN_TREE_CLONE
    return None


def change_root(path: str) -> Attempt:
    yield path
    call("chroot", path.encode())
    return None


def unshare(flags: str) -> Attempt:
    """In a child, which is then gone: the kernel's answer is its status."""
    yield None
    ended = child(lambda: min(call("unshare", int(flags, 16)), 0))
    if ended:
        raise fail(os.waitstatus_to_exitcode(ended))
    return None


def clone(flags: str) -> Attempt:
    yield None
    pid = call("clone", int(flags, 16) | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return None


def clone3(flags: str) -> Attempt:
    import ctypes
    import struct

    words = ctypes.create_string_buffer(struct.pack("=8Q", int(flags, 16), 0, 0, 0, signal.SIGCHLD, 0, 0, 0))
    yield None
    pid = call("clone3", ctypes.byref(words), 64)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return None


def join_namespace(path: str) -> Attempt:
    descriptor = os.open(path, os.O_RDONLY)
    yield path
    call("setns", descriptor, 0)
    return None


def trace(pid: str) -> Attempt:
    """Without stopping it: a tracer that ends lets go."""
    yield None
    call("ptrace", 0x4206, int(pid), 0, 0)  # PTRACE_SEIZE
    return None


def read_memory(pid: str) -> Attempt:
    """No address is asked for: the kernel first asks whether we may at all."""
    import ctypes
    import struct

    here = ctypes.create_string_buffer(8)
    vector = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(here), 8))
    there = ctypes.create_string_buffer(struct.pack("=QQ", 0x10000, 8))
    yield None
    try:
        call("process_vm_readv", int(pid), ctypes.byref(vector), 1, ctypes.byref(there), 1, 0)
    except OSError as error:
        if error.errno != errno.EFAULT:  # it was allowed to look, and nothing was there
            raise
    return None


def take_descriptor(pid: str) -> Attempt:
    descriptor = call("pidfd_open", int(pid), 0)
    yield None
    call("pidfd_getfd", descriptor, 0, 0)
    return None


def ring() -> Attempt:
    import ctypes

    parameters = ctypes.create_string_buffer(120)
    yield None
    call("io_uring_setup", 1, ctypes.byref(parameters))
    return None


def keyring() -> Attempt:
    yield None
    call("keyctl", 0, -3, 0)  # KEYCTL_GET_KEYRING_ID of the session
    return None


def bpf() -> Attempt:
    import ctypes
    import struct

    attributes = ctypes.create_string_buffer(struct.pack("=IIIII", 2, 4, 8, 1, 0), 128)  # an array map of one value
    yield None
    call("bpf", 0, ctypes.byref(attributes), 128)
    return None


def fault_handler() -> Attempt:
    yield None
    call("userfaultfd", 1)  # UFFD_USER_MODE_ONLY: what an ordinary process may have
    return None


def perf() -> Attempt:
    import ctypes
    import struct

    # a software clock of our own process, without the kernel's part: what an ordinary process may have
    attributes = ctypes.create_string_buffer(struct.pack("=IIQQQQQ", 1, 112, 0, 0, 0, 0, 1 << 5 | 1 << 6), 112)
    yield None
    call("perf_event_open", ctypes.byref(attributes), 0, -1, -1, 0)
    return None


def load_module() -> Attempt:
    """An empty one: the kernel asks for the right before it looks at it."""
    yield None
    try:
        call("init_module", b"", 0, b"")
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
    return None


def load_kernel() -> Attempt:
    """With flags that do not exist: the kernel asks for the right before it looks at them."""
    yield None
    try:
        call("kexec_load", 0, 0, 0, 0xF00)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    return None


def reboot() -> Attempt:
    """With magic numbers that reboot nothing: the kernel asks for the right before it looks at them."""
    yield None
    try:
        call("reboot", 1, 2, 3, 0)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
    return None


def host_name() -> Attempt:
    """The name that it has already."""
    name = os.uname().nodename.encode()
    yield None
    call("sethostname", name, len(name))
    return None


def swap(path: str) -> Attempt:
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    yield path
    try:
        call("swapon", path.encode(), 0)
    except OSError as error:
        if error.errno != errno.EINVAL:  # it may, and the file holds no swap space
            raise
    return None


def inject(request: str) -> Attempt:
    """Puts a character into the input of a terminal of our own. The request is hexadecimal: its upper half, which the
    kernel does not look at, must not hide it from a filter."""
    import fcntl
    import termios

    def try_it() -> int:
        import ctypes

        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
        libc = ctypes.CDLL(None, use_errno=True)
        number = 16 if os.uname().machine == "x86_64" else 29
        numbered(libc, number, theirs, int(request, 16), ctypes.create_string_buffer(b"x"))
        return 0

    ours, theirs = os.openpty()
    yield os.ttyname(theirs)
    ended = child(try_it)
    if os.WIFSIGNALED(ended):
        return {"killed": os.WTERMSIG(ended)}
    if ended:
        raise fail(os.waitstatus_to_exitcode(ended))
    os.close(ours)
    return None


def x32() -> Attempt:
    """getpid by the numbers of the x32 interface; a kernel without it says ENOSYS."""
    import ctypes

    yield None
    numbered(ctypes.CDLL(None, use_errno=True), 0x40000000 | 39)
    return None


def in_32_bits() -> Attempt:
    """keyctl through the gate of 32-bit programs, from code that we map: int 0x80 has other numbers, so a filter that
    knows one table only lets it pass. In a child, which is ended by a kernel without that gate."""
    import ctypes
    import mmap

    def enter() -> int:
        rights = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
        code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, rights)
        # push rbx; xor ebx, ebx; mov ecx, -3; xor edx, edx; mov eax, 288; int 0x80; pop rbx; ret
        code.write(bytes.fromhex("53 31db b9fdffffff 31d2 b820010000 cd80 5b c3"))
        function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
        answer: int = function()
        return max(0, -answer)

    yield None
    ended = child(enter)
    if os.WIFSIGNALED(ended):
        return {"killed": os.WTERMSIG(ended)}
    if ended:
        raise fail(os.waitstatus_to_exitcode(ended))
    return None

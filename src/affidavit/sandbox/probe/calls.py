"""What the attempts share: system calls by number, children, and the answers that are raised."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Facts = dict[str, bytes | int]
    Attempt = Generator[str | None, None, Facts | None]

MOST = 1 << 16

#: Numbers of system calls that the standard library has no function for: x86-64, then the generic table (arm64).
NUMBERS = {
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clone": (56, 220),
    "clone3": (435, 435),
    "fsopen": (430, 430),
    "init_module": (175, 105),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "mount": (165, 40),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pidfd_open": (434, 434),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "ptrace": (101, 117),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}


def call(name: str, *words: object) -> int:
    """The system call of that name, whatever the standard library or the C library would do about it."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    number = NUMBERS[name][0 if os.uname().machine == "x86_64" else 1]
    return numbered(libc, number, *words)


def numbered(libc: object, number: int, *words: object) -> int:
    import ctypes

    passed = [
        ctypes.c_char_p(word) if isinstance(word, bytes) else ctypes.c_long(word) if isinstance(word, int) else word
        for word in words
    ]
    passed += [ctypes.c_long(0)] * (6 - len(passed))
    syscall = libc.syscall  # type: ignore[attr-defined]  # whatever the C library has
    syscall.restype = ctypes.c_long
    result: int = syscall(ctypes.c_long(number), *passed)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def spelled(descriptor: int) -> Facts:
    """How the kernel spells the path of an open file."""
    try:
        return {"observed": os.readlink(f"/proc/self/fd/{descriptor}").encode(errors="surrogateescape")}
    except OSError as error:
        return {"observed_errno": error.errno or 0}


def child(function: Callable[[], int]) -> int:
    """Runs `function` in a child; its wait status. A child that cannot be made is an error of the operation."""
    pid = os.fork()
    if pid == 0:
        status = 255
        try:
            status = function()
        except OSError as error:
            status = error.errno or 255
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1]


def fail(number: int) -> OSError:
    return OSError(number, os.strerror(number))

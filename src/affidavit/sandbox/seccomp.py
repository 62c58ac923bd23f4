"""The filter on system calls, as the kernel takes it: a classic BPF program, built here from tables.

It refuses what no build needs and what sandboxes are left by: mounts, other processes' memory, new namespaces, keys,
kernel modules, io_uring (calls that no filter sees), terminal injection. Namespaces and missing capabilities refuse
most of it too; two locks, since each had holes. What is refused is refused with an error number, as by a kernel that
was built without it, so programs fall back.
"""

from __future__ import annotations

import os
from struct import pack

from .syscalls import ARCHITECTURES, Architecture

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# linux/bpf_common.h, linux/seccomp.h
_LOAD, _EQUALS, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
# offsets in struct seccomp_data; of an argument the lower half, which is where both architectures have it
_NUMBER, _ARCHITECTURE, _FIRST, _SECOND = 0, 4, 16, 24

_EPERM, _ENOSYS = 1, 38

#: x86_64 calls with the 32-bit ABI's bit: another door to the same calls, with other numbers for some.
_X32 = 0x40000000

#: Answered as by a kernel that has no such call; libraries then take the older one, which the filter can look into.
_ABSENT = {"clone3", "io_uring_setup", "io_uring_enter", "io_uring_register", "memfd_create", "memfd_secret"}

#: Refused only where the policy lists commands: a program could be written into one and executed.
_EXECUTABLE_MEMORY = {"memfd_create", "memfd_secret"}

#: Calls of which only some arguments are refused.
_LOOKED_INTO = {"clone", "ioctl", "socket", "socketcall"}

#: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. In clone, 0x80 is part of a signal's number.
_NEW_NAMESPACES = 0x7E020000

#: TIOCSTI types into the terminal, TIOCLINUX pastes. The kernel drops the upper half of the number: so do we.
_TERMINAL = (0x5412, 0x541C)

#: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: those that a network namespace holds. AF_VSOCK reaches the hypervisor.
_FAMILIES = (1, 2, 10, 16)

_SOCKETCALL_SOCKET = 1

_filters: dict[bool, bytes] = {}


class UnknownArchitecture(LookupError):
    """There is no table for this processor."""


def native_filter(*, listed: bool) -> bytes:
    """The program for this machine; `listed` when the policy lists commands."""
    if listed not in _filters:
        machine = os.uname().machine
        if machine not in ARCHITECTURES:
            raise UnknownArchitecture(machine)
        _filters[listed] = build(ARCHITECTURES[machine], listed=listed)
    return _filters[listed]


def build(architectures: tuple[Architecture, ...], *, listed: bool) -> bytes:
    """The program: each architecture's part, and death for calls by any other."""
    program: list[bytes] = [_op(_LOAD, _ARCHITECTURE)]
    for architecture in architectures:
        part = list(_part(architecture, listed))
        # a jump reaches 255 instructions, a part has more: so the test jumps over a jump
        program += [_op(_EQUALS, architecture.audit, 1, 0), _op(0x05, len(part)), *part]
    program.append(_op(_RETURN, _KILL))
    return b"".join(program)


def _part(architecture: Architecture, listed: bool) -> Iterator[bytes]:
    calls = architecture.calls
    yield _op(_LOAD, _NUMBER)
    if architecture.x32:
        yield from (_op(_AT_LEAST, _X32, 0, 1), _refuse(_ENOSYS))
    for name in sorted(calls.keys() - _LOOKED_INTO):
        if listed or name not in _EXECUTABLE_MEMORY:
            yield from (_op(_EQUALS, calls[name], 0, 1), _refuse(_ENOSYS if name in _ABSENT else _EPERM))
    yield from _on(calls["clone"], [_op(_LOAD, _FIRST), _op(_ANY_BIT, _NEW_NAMESPACES, 0, 1), _refuse(_EPERM)])
    tests = [step for number in _TERMINAL for step in (_op(_EQUALS, number, 0, 1), _refuse(_EPERM))]
    yield from _on(calls["ioctl"], [_op(_LOAD, _SECOND), *tests])
    families = [_op(_EQUALS, family, len(_FAMILIES) - at, 0) for at, family in enumerate(_FAMILIES)]
    yield from _on(calls["socket"], [_op(_LOAD, _FIRST), *families, _refuse(_EPERM)])
    if "socketcall" in calls:  # its arguments are behind a pointer, so no socket is made this way
        yield from _on(
            calls["socketcall"], [_op(_LOAD, _FIRST), _op(_EQUALS, _SOCKETCALL_SOCKET, 0, 1), _refuse(_EPERM)]
        )
    yield _op(_RETURN, _ALLOW)


def _on(number: int, steps: list[bytes]) -> Iterator[bytes]:
    """`steps` for this call only; what they do not refuse is allowed."""
    yield _op(_EQUALS, number, 0, len(steps) + 1)
    yield from steps
    yield _op(_RETURN, _ALLOW)


def _refuse(number: int) -> bytes:
    return _op(_RETURN, _ERRNO | number)


def _op(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return pack("=HBBI", code, if_true, if_false, value)

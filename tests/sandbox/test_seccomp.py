"""The filter, run by an interpreter of the few instructions that it has: every table, also those of other machines."""

from __future__ import annotations

from struct import unpack_from

import pytest

from affidavit.sandbox import seccomp
from affidavit.sandbox.seccomp import UnknownArchitecture, build, native_filter
from affidavit.sandbox.syscalls import ARCHITECTURES

ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x50001, 0x50026, 0x80000000

X86_64, I386, AARCH64 = (0xC000003E, 0x40000003, 0xC00000B7)
NUMBERS = {
    X86_64: ARCHITECTURES["x86_64"][0].calls,
    I386: ARCHITECTURES["x86_64"][1].calls,
    AARCH64: ARCHITECTURES["aarch64"][0].calls,
}
READ = {X86_64: 0, I386: 3, AARCH64: 63}


def verdict(architecture: int, number: int, *arguments: int, listed: bool = True, machine: str = "") -> int:
    """What the kernel's interpreter would return for this call."""
    program = build(ARCHITECTURES[machine or ("aarch64" if architecture == AARCH64 else "x86_64")], listed=listed)
    words = {0: number, 4: architecture}
    for at, argument in enumerate(arguments):
        words[16 + 8 * at], words[20 + 8 * at] = argument & 0xFFFFFFFF, argument >> 32
    at = value = 0
    while True:
        code, if_true, if_false, k = unpack_from("=HBBI", program, at * 8)
        at += 1
        if code == 0x20:
            value = words.get(k, 0)
        elif code == 0x06:
            return int(k)
        elif code == 0x05:
            at += k
        else:
            holds = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += if_true if holds else if_false


@pytest.mark.parametrize("architecture", NUMBERS)
def test_what_everybody_needs_is_allowed(architecture: int) -> None:
    assert verdict(architecture, READ[architecture]) == ALLOW


@pytest.mark.parametrize("architecture", NUMBERS)
def test_every_call_of_the_table_is_refused(architecture: int) -> None:
    looked_into = seccomp._LOOKED_INTO
    for name, number in NUMBERS[architecture].items():
        if name not in looked_into:
            assert verdict(architecture, number) == (ENOSYS if name in seccomp._ABSENT else EPERM), name


@pytest.mark.parametrize("architecture", NUMBERS)
@pytest.mark.parametrize("bit", [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000])
def test_no_new_namespace_by_clone(architecture: int, bit: int) -> None:
    clone = NUMBERS[architecture]["clone"]
    assert verdict(architecture, clone, bit | 17) == EPERM
    assert verdict(architecture, clone, 0x003D0F00) == ALLOW, "threads are made with these"
    assert verdict(architecture, clone, 17) == ALLOW, "fork"


@pytest.mark.parametrize("architecture", NUMBERS)
@pytest.mark.parametrize("high", [0, 1 << 32, 0xFFFFFFFF << 32])
def test_no_typing_into_the_terminal_also_not_by_high_bits(architecture: int, high: int) -> None:
    ioctl = NUMBERS[architecture]["ioctl"]
    for number in (0x5412, 0x541C):
        assert verdict(architecture, ioctl, 0, high | number) == EPERM
    assert verdict(architecture, ioctl, 0, high | 0x5401) == ALLOW, "TCGETS"


@pytest.mark.parametrize("architecture", NUMBERS)
def test_only_families_that_a_network_namespace_holds(architecture: int) -> None:
    socket = NUMBERS[architecture]["socket"]
    allowed = [family for family in range(64) if verdict(architecture, socket, family) == ALLOW]
    assert allowed == [1, 2, 10, 16]


def test_no_socket_by_the_old_call_whose_arguments_are_behind_a_pointer() -> None:
    socketcall = NUMBERS[I386]["socketcall"]
    assert verdict(I386, socketcall, 1) == EPERM
    assert verdict(I386, socketcall, 2) == ALLOW


@pytest.mark.parametrize("number", [0, 101, 165, 514, 521, 547])
def test_the_x32_table_is_answered_as_absent(number: int) -> None:
    assert verdict(X86_64, 0x40000000 | number) == ENOSYS


@pytest.mark.parametrize("architecture", [0xC000003E, 0x40000003, 0x40000028, 0x80000016, 0])
def test_calls_by_a_way_that_has_no_table_end_the_process(architecture: int) -> None:
    """0x40000028 is 32-bit ARM on aarch64."""
    assert verdict(architecture, 0, machine="aarch64") == KILL


@pytest.mark.parametrize("architecture", NUMBERS)
def test_memory_that_can_be_executed_is_refused_only_where_commands_are_listed(architecture: int) -> None:
    memfd = NUMBERS[architecture]["memfd_create"]
    assert verdict(architecture, memfd, listed=True) == ENOSYS
    assert verdict(architecture, memfd, listed=False) == ALLOW


def test_a_processor_without_a_table_has_no_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Machine:
        machine = "riscv64"

    monkeypatch.setattr("os.uname", Machine)
    monkeypatch.setattr(seccomp, "_filters", {})
    with pytest.raises(UnknownArchitecture):
        native_filter(listed=True)


def test_the_program_fits_into_what_the_kernel_takes() -> None:
    for parts in ARCHITECTURES.values():
        assert len(build(parts, listed=True)) // 8 <= 4096

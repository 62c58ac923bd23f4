"""Whether this kernel has Landlock, by which a process could bind itself further. Asked and told; nothing here needs
it, since every file inside is there on purpose."""

from __future__ import annotations

#: The same on every processor (asm-generic/unistd.h), with the flag that asks for nothing but the version.
_LANDLOCK_CREATE_RULESET, _VERSION = 444, 1


def landlock_abi() -> int | None:
    """The version of its interface, or None where the kernel has none or has it switched off."""
    import ctypes

    answer = ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION)
    return answer if answer > 0 else None

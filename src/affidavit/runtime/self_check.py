"""Whether this process is already confined by something else (contracts 4.9): `sandbox_check_self` on Linux.

Confined on any sign of it, free only when every check could be read and shows none; otherwise it is not known, and
`error` says why. Landlock shows itself to nobody and is told as such.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SOURCE = "linux_self_check"
#: The inode that the kernel gives to the user namespace it starts with (PROC_USER_INIT_INO).
_INITIAL_USER_NAMESPACE = "user:[4026531837]"
_MOST_BYTES = 65_536
#: Labels under which a security module confines nothing. SELinux: the type, the third part of the context.
_FREE_TYPES = frozenset({"unconfined_t", "unconfined_service_t", "initrc_t", "init_t", "kernel_t"})


class Readings:
    """What the kernel told. None is what could not be read; an empty label says that no module gives labels."""

    __slots__ = ("init_status", "label", "namespace", "status")

    def __init__(
        self, *, status: str | None, init_status: str | None, namespace: str | None, label: str | None
    ) -> None:
        self.status = status
        #: That of pid 1: what the whole system is denied confines nobody in particular.
        self.init_status = init_status
        self.namespace = namespace
        self.label = label


def self_check() -> dict[str, Any]:
    """The check of this process."""
    return judged(
        Readings(
            status=_read("/proc/self/status"),
            init_status=_read("/proc/1/status"),
            namespace=_link("/proc/self/ns/user"),
            label=_label(),
        )
    )


def judged(readings: Readings) -> dict[str, Any]:
    """Pure: what the readings say."""
    status = _members(readings.status)
    no_new_privs = {"0": False, "1": True}.get(status.get("NoNewPrivs", ""))
    seccomp = _number(status.get("Seccomp"))
    cap_bnd = status.get("CapBnd")
    user_ns_initial = None if readings.namespace is None else readings.namespace == _INITIAL_USER_NAMESPACE
    signs = {
        "no_new_privs": no_new_privs,
        "seccomp": None if seccomp is None else seccomp > 0,
        "cap_bnd": _is_cut(cap_bnd, _members(readings.init_status).get("CapBnd")),
        "user_ns_initial": None if user_ns_initial is None else not user_ns_initial,
        "lsm_label": None if readings.label is None else _is_confining(readings.label),
    }
    told: dict[str, Any] = {
        "source": SOURCE,
        "no_new_privs": no_new_privs,
        "seccomp": seccomp,
        "seccomp_filters": _number(status.get("Seccomp_filters")),
        "cap_bnd": cap_bnd,
        "user_ns_initial": user_ns_initial,
        "lsm_label": readings.label,
        "landlock": "not_observable",
    }
    if True in signs.values():
        return {**told, "sandboxed": True}
    unknown = [name for name, sign in signs.items() if sign is None]
    if unknown:
        return {**told, "error": "could not be read: " + ", ".join(unknown)}
    return {**told, "sandboxed": False}


def _is_cut(own: str | None, of_init: str | None) -> bool | None:
    """A capability that pid 1 may have and we may not."""
    own_set, init_set = _hex(own), _hex(of_init)
    return None if own_set is None or init_set is None else bool(init_set & ~own_set)


def _is_confining(label: str) -> bool:
    """AppArmor says `unconfined`, or `profile (mode)`; SELinux `user:role:type:level`."""
    if label in ("", "unconfined", "kernel") or label.endswith("(unconfined)"):
        return False
    parts = label.split(":")
    return not (len(parts) >= 3 and parts[2] in _FREE_TYPES)


def _members(status: str | None) -> dict[str, str]:
    found = {}
    for line in (status or "").splitlines():
        name, colon, told = line.partition(":\t")
        if colon:
            found[name] = told.strip()
    return found


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() else None


def _hex(text: str | None) -> int | None:
    return int(text, 16) if text and not text.strip("0123456789abcdef") else None


def _label() -> str | None:
    """Each security module may answer here; where none does, the kernel says so by refusing the reading itself."""
    try:
        descriptor = os.open("/proc/self/attr/current", os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    except OSError:
        return None
    try:
        return os.read(descriptor, _MOST_BYTES).decode("utf-8", "replace").rstrip("\0\n")
    except OSError as error:
        from errno import EINVAL

        return "" if error.errno == EINVAL else None
    finally:
        os.close(descriptor)


def _link(path: str) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def _read(path: str) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)

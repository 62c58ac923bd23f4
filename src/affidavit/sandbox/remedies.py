"""What somebody can do about a gap. Flags are read here and only here: a trial has failed, and they may say why."""

from __future__ import annotations

import os

INSTALL_BWRAP = (
    "install bubblewrap from the system's packages: apt-get install bubblewrap (dnf, pacman and apk have it under the "
    "same name; the package of that name on PyPI is something else)"
)
NEWER_BWRAP = "install bubblewrap 0.8.0 or newer, which can forbid user namespaces inside"
INSTALL_UTIL_LINUX = "install util-linux (unshare, mount): apt-get install util-linux mount"
FIRST_THE_OTHERS = "close the gaps above first"
NO_SECCOMP = "run a kernel with CONFIG_SECCOMP_FILTER; in a container, do not block the system call seccomp"


def user_namespaces() -> str:
    """Why the kernel refused a user namespace, from what is set, and what to set instead."""
    if _flag("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return "allow them: sysctl -w kernel.unprivileged_userns_clone=1"
    if _flag("/proc/sys/user/max_user_namespaces") == "0":
        return "allow them: sysctl -w user.max_user_namespaces=15000"
    if apparmor_restricts():
        return (
            "AppArmor forbids them to programs without a profile: install the profile of bwrap "
            "(apt-get install apparmor-profiles; ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict "
            "/etc/apparmor.d/; systemctl reload apparmor), or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv"):
        return (
            "this is a container whose runtime forbids them: start it with a seccomp profile that allows them and with "
            "/proc unmasked (docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined)"
        )
    return "run a kernel with CONFIG_USER_NS, where nothing above this process forbids clone(CLONE_NEWUSER)"


def namespaces() -> str:
    return "allow namespaces to this process: a container's runtime or a security module forbids them"


def mounts() -> str:
    return (
        "allow mounts inside a user namespace: in a container, unmask /proc (docker run --security-opt "
        "systempaths=unconfined) and let AppArmor allow mount"
    )


def cgroups() -> str:
    if os.path.exists("/sys/fs/cgroup/cgroup.controllers"):
        return (
            "give this process a place of its own: systemd-run --user --scope -p Delegate=yes affidavit ..., "
            "or run as root; in a container, mount /sys/fs/cgroup writable"
        )
    return "run as root, or have the cgroup directories of memory and pids given to this user"


def apparmor_restricts() -> bool:
    return _flag("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1"


def _flag(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(64).strip()
    except OSError:
        return ""

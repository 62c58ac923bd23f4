"""What is mounted before bubblewrap starts, in a mount namespace of our own: file systems whose size, number of files
and executability bubblewrap 0.8 cannot limit. A bind keeps what the mount had, so inside they are limited too.

One `mount -a` makes them all from a table in memory. They cover a folder of the host that the sandbox needs nothing of;
outside of the namespace nobody sees them, and they are gone with it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PAGE = 4096

#: Folders every system has and no program needs; the first that nothing is bound from is covered.
BASES = ("/mnt", "/media", "/srv", "/opt", "/sys")

#: Nothing before we said that it will die with us; whoever died before saying so closed the pipe, and read fails. That
#: is said only once this shell is heard: by then unshare has bound it to its own life. Then mount by its path, the
#: table's descriptor by its number; what bubblewrap shall not have is closed. mount says with 64 that some worked,
#: which is a failure too. Until bubblewrap starts, standard error is not the command's.
_SCRIPT = (
    'echo >&2 && read -r _ <&{ready} && m=$1 && shift && "$m" -a -T /proc/self/fd/{table} || exit 1; '
    'exec "$@" 2>&{errors} {table}<&- {lifeline}<&- {ready}<&- {errors}>&-'
)


class Room:
    """One file system in memory."""

    __slots__ = ("bytes", "inodes", "name", "noexec")

    def __init__(self, name: str, bytes_: int, inodes: int, *, noexec: bool) -> None:
        self.name = name
        #: Whole pages, so that the kernel takes the number as it is and we can know the file system by it.
        self.bytes = -(-bytes_ // PAGE) * PAGE
        self.inodes = inodes
        self.noexec = noexec

    def line(self, place: str) -> str:
        flags = "nosuid,nodev" + (",noexec" if self.noexec else "")
        size = f"size={self.bytes},nr_inodes={self.inodes},mode=755"
        return f"affidavit {place} tmpfs {flags},{size},X-mount.mkdir 0 0"


class Outer:
    """All of them, and perhaps the workspace once more with nothing executable in it, or write roots that are too
    large for a room."""

    __slots__ = ("base", "noexec_roots", "noexec_workspace", "rooms")

    def __init__(
        self, base: str, rooms: Sequence[Room], noexec_workspace: str | None = None, noexec_roots: Sequence[str] = ()
    ) -> None:
        self.base = base
        self.rooms = tuple(rooms)
        #: The workspace's path on the host, or None.
        self.noexec_workspace = noexec_workspace
        #: Those of the write roots on the host, where nothing that is written may be executed.
        self.noexec_roots = tuple(noexec_roots)

    def place(self, name: str) -> str:
        return f"{self.base}/{name}"

    def table(self) -> bytes:
        """In the format of /etc/fstab."""
        lines = [Room("", 16 * PAGE, 64, noexec=True).line(self.base)]
        lines += [room.line(self.place(room.name)) for room in self.rooms]
        bound = [(path, str(at), "bind") for at, path in enumerate(self.noexec_roots)]
        if self.noexec_workspace is not None:
            bound.append((self.noexec_workspace, "workspace", "bind,ro"))
        for path, name, how in bound:
            source = "".join(_escaped(letter) for letter in path)
            lines.append(f"{source} {self.place(name)} none {how},noexec,nosuid,nodev,X-mount.mkdir 0 0")
        return "\n".join(lines).encode("utf-8", "surrogateescape") + b"\n"

    def words(self, unshare: str, mount: str, *, table: int, lifeline: int, ready: int, errors: int) -> list[str]:
        """What starts what follows with all of it mounted."""
        script = _SCRIPT.format(table=table, lifeline=lifeline, ready=ready, errors=errors)
        # Its own process namespace, with bubblewrap as its first process: whatever kills bubblewrap kills everything,
        # also the child that bubblewrap does not yet have bound to its life. And its own /proc: it asks there for its
        # child by the number that this has in the namespace, which somebody else or nobody has outside.
        own = ["-Urm", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc"]
        return [unshare, *own, "/bin/sh", "-c", script, "sh", mount]


def _escaped(letter: str) -> str:
    """fstab divides its members by blanks and has comments."""
    return f"\\{ord(letter):03o}" if letter in " \t\n\r\\#\"'" else letter


def base_for(sources: Sequence[str], existing: Sequence[str]) -> str | None:
    """The folder to cover: one that is there and that no source lies in."""
    for base in BASES:
        if base in existing and not any((source + "/").startswith(base + "/") for source in sources):
            return base
    return None

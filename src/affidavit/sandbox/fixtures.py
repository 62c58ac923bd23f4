"""What the probes aim at, and what tells on the host that one got through: files, listeners and a process of our own.

All of it lies in one private directory and on the loopback, so that probing touches nothing that is somebody else's. A
probe may be told by the kernel whatever it likes: what these witnesses saw is what happened.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import stat
import sys
import tempfile
import threading
from functools import cache

from .attempt import attempt
from .host import probe_host
from .spawn import spawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType
    from typing import Any, Self

    from ..kernel.probes import Probe, Said

#: Where the probe program's folder is inside. Its place on the host is `Fixtures.program`.
PROGRAM = "/run/affidavit"
#: The variable that must not come in, and the descriptor that must not be open.
VARIABLE = "AFFIDAVIT_PROBE"
DESCRIPTOR = 113

#: Run as a file and not as a folder: the interpreter's way of running a folder takes longer than a probe does.
_MAIN = """\
import sys
sys.path.insert(0, __file__.rpartition("/")[0])
from probe.program import main
main(sys.argv[1:])
"""
_GIVEN = "given to the probe\n"
_SYSTEM_PYTHON = "/usr/bin/python3"
#: Waits for the end of its input, so it ends when we do, also when we are killed.
_WAITS = "/bin/cat"
_UNLISTED = "/usr/bin/id"
#: Beyond a cap of bytes and of files: enough to be sure.
_BYTES_OVER, _FILES_OVER = 16 << 20, 512


def interpreter() -> str:
    """What runs the probe program: the system's interpreter where it has the modules that the attempts need, since
    what lies below /usr is shown in every sandbox or costs little to show; else the one that runs us."""
    usual = os.path.realpath(_SYSTEM_PYTHON)
    if attempt([usual, "-I", "-S", "-c", "import ctypes, fcntl, mmap, socket, termios"]).worked:
        return usual
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


@cache
def program_files() -> dict[str, bytes]:
    """The probe program, by the names below its folder; read once, as long as we may."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "probe")
    files = {"__main__.py": _MAIN.encode()}
    for name in sorted(os.listdir(source)):
        if name.endswith(".py"):
            with open(os.path.join(source, name), "rb") as file:
                files[f"probe/{name}"] = file.read()
    return files


class Fixtures:
    """For one probe after the other; those who probe at the same time have their own each."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *, folder: str | None = None) -> None:
        """`files`: the probe program, when whoever probes may not read where it is installed. `folder` is made by the
        caller, and taken away by the fixtures."""
        self.folder = os.path.realpath(folder or tempfile.mkdtemp(prefix="affidavit-probe-"))
        self.program = os.path.join(self.folder, "program")
        self.outside = os.path.join(self.folder, "outside")
        self.interpreter = interpreter()
        self._secret = secrets.token_hex(16)
        self._tries = 0
        self._given = {
            "secret.txt": self._secret.encode() + b"\n",
            "tool": f"#!{self.interpreter} -IS\nprint('probe')\n".encode(),
        }
        for name, data in (files or program_files()).items():
            _write(os.path.join(self.program, name), data)
            _compile(os.path.join(self.program, name))
        os.mkdir(self.outside, 0o755)
        self._restore()
        self._listeners = {
            "tcp": _listener(socket.AF_INET, ("127.0.0.1", 0)),
            "udp": _listener(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM),
            "socket": _socket_file(self.outside),
            "abstract": _listener(socket.AF_UNIX, f"\0affidavit-probe-{secrets.token_hex(8)}"),
        }
        try:
            self._listeners["tcp6"] = _listener(socket.AF_INET6, ("::1", 0))
        except OSError:
            pass  # a host without IPv6: the need of that name is not met
        self._holds = os.pipe()
        self._process = self._waiter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for listener in self._listeners.values():
            listener.close()
        os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        for end in self._holds:
            os.close(end)
        shutil.rmtree(self.folder)

    def missing(self, probe: Probe, policy: Mapping[str, Any]) -> str | None:
        """What the host, or the policy, lacks for this probe to show anything."""
        return next((need for need in probe.needs if not self._has(need, policy)), None)

    def _has(self, need: str, policy: Mapping[str, Any]) -> bool:
        if need == "no network":
            return not policy["allow_network"]
        if need == "memory cgroup":
            return probe_host().memory_cgroup is not None
        if need == "room for a copy":
            return bool(policy["max_total_output_bytes"] > os.path.getsize(self.interpreter))
        if need == "listed command":
            return shutil.which(_listed(policy), path=os.defpath) is not None
        if need == "unlisted command":
            listed = [os.path.basename(name) for name in policy["allowed_commands"]]
            return os.path.exists(_UNLISTED) and os.path.basename(_UNLISTED) not in listed
        if need == "ipv6":
            return "tcp6" in self._listeners
        if need == "x86-64":
            return os.uname().machine == "x86_64"
        family, peer = (socket.AF_INET, ("192.0.2.1", 9)) if need == "route" else (socket.AF_VSOCK, None)
        try:
            with socket.socket(family, socket.SOCK_DGRAM if peer else socket.SOCK_STREAM) as asking:
                if peer:
                    asking.connect(peer)  # of a datagram socket: sends nothing
        except OSError:
            return False
        return True

    def trying(self, probe: Probe, policy: Mapping[str, Any], *, inside: bool) -> Try:
        """Everything that one try of a probe needs. `inside`: in a sandbox, where the places have other names."""
        self._tries += 1
        return Try(self, probe, policy, os.path.join(self.folder, f"workspace-{self._tries}"), inside=inside)

    def values(self) -> dict[str, str]:
        """What the names in a driver's words stand for, as far as they are the same for all."""
        names = {"outside": self.outside, "pid": str(self._process), "interpreter": self.interpreter}
        for name, listener in self._listeners.items():
            address = listener.getsockname()
            names[name] = "@" + address[1:].decode() if isinstance(address, bytes) else str(address[1])
        names.setdefault("tcp6", "0")
        return {**names, "unlisted": _UNLISTED}

    def seen(self) -> list[str]:
        """What happened to the fixtures since they were last asked; then they are as they were."""
        told = [f"{name} heard from it" for name, listener in self._listeners.items() if _heard(listener)]
        if os.waitpid(self._process, os.WNOHANG)[0]:
            told.append("the host's process is gone")
            self._process = self._waiter()
        found = {name: _read(os.path.join(self.outside, name)) for name in os.listdir(self.outside) if name != "socket"}
        if found != self._given:
            told.append("the host's files changed")
            self._restore()
        return told

    def knows_secret(self, data: bytes) -> bool:
        return self._secret.encode() in data

    @property
    def secret(self) -> str:
        return self._secret

    def _restore(self) -> None:
        for name in os.listdir(self.outside):
            if name != "socket":
                os.unlink(os.path.join(self.outside, name))
        for name, data in self._given.items():
            _write(os.path.join(self.outside, name), data, executable=name == "tool")

    def _waiter(self) -> int:
        return spawn([_WAITS], {}, {0: self._holds[0], 1: self._holds[0], 2: self._holds[0]})


class Try:
    """One try: a fresh workspace, and what must not come along with whoever starts the command."""

    def __init__(
        self, fixtures: Fixtures, probe: Probe, policy: Mapping[str, Any], workspace: str, *, inside: bool
    ) -> None:
        self._fixtures = fixtures
        self._probe = probe
        self._inside = inside
        self._called: threading.Event | None = None
        self.workspace = workspace
        self._token = f"affidavit-{secrets.token_hex(8)}"
        self._root = first_root(policy)
        self._free = _free_port()
        here = "/workspace" if inside else workspace
        self._names = {
            **fixtures.values(),
            "workspace": here,
            "root": os.path.normpath(os.path.join(here, self._root)),
            # private to a sandbox; without one they are everybody's, and nothing is to be left there
            "tmp": "/tmp" if inside else workspace,  # noqa: S108 -- inside
            "shm": "/dev/shm" if inside else workspace,  # noqa: S108 -- inside
            "program": PROGRAM if inside else fixtures.program,
            "token": self._token,
            "free": str(self._free),
            "listed": _listed(policy),
            "bytes_over": str(policy["max_total_output_bytes"] + _BYTES_OVER),
            "file_bytes": str(min(policy["max_total_output_bytes"], 1 << 20)),
            # a file system has room for as many folders as files, and counts them alike
            "files_over": str(3 * policy["max_output_files"] + _FILES_OVER),
        }

    def filled(self, text: str) -> str:
        """`text` with every {name} replaced."""
        for name, value in self._names.items():
            text = text.replace("{" + name + "}", value)
        return text

    @property
    def argv(self) -> tuple[str, ...]:
        words = [self.filled(word) for word in self._probe.driver.split()]
        return (self._fixtures.interpreter, "-I", "-S", self._names["program"] + "/__main__.py", *words)

    @property
    def mounts(self) -> dict[str, str]:
        """What the sandbox shows for it, read-only: {place on the host: place inside}."""
        return {self._fixtures.program: PROGRAM}

    def __enter__(self) -> Self:
        given = _GIVEN.encode()
        _write(os.path.join(self.workspace, "given.txt"), given)
        _write(os.path.join(self.workspace, self._root, "given.txt"), given)
        tool = f"#!{self._fixtures.interpreter} -IS\nprint('probe')\n".encode()
        _write(os.path.join(self.workspace, "tool"), tool, executable=True)
        os.symlink("given.txt", os.path.join(self.workspace, "link_inside"))
        os.symlink(os.path.join(self._fixtures.outside, "secret.txt"), os.path.join(self.workspace, "link_outside"))
        os.symlink(self._fixtures.outside, os.path.join(self.workspace, self._root, "link_outside"))
        # both are what a careless caller leaves open, so that a sandbox that lets them in is found out
        os.environ[VARIABLE] = self._fixtures.secret
        leaking = os.open(os.path.join(self._fixtures.outside, "secret.txt"), os.O_RDONLY)
        os.dup2(leaking, DESCRIPTOR, inheritable=True)
        os.close(leaking)
        self._stop = threading.Event()
        self._called = threading.Event()
        self._caller = threading.Thread(target=self._call, daemon=True)
        if "{free}" in self._probe.driver:
            self._caller.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop.set()
        if self._caller.is_alive():
            self._caller.join()
        os.close(DESCRIPTOR)
        del os.environ[VARIABLE]
        shutil.rmtree(self.workspace)

    def witnessed(self, said: Said) -> list[str]:
        """What was seen on the host once the process has ended: empty when the probe did not get through."""
        told = self._fixtures.seen()
        if self._fixtures.knows_secret(said.data):
            told.append("it read the host's secret")
        told += self._left_behind()
        if self._called is not None and self._called.is_set():
            told.append("the host was served by it")
        if "{token}" in self._probe.driver:
            left = list(_processes_called(self._token))
            for pid in left:
                os.kill(pid, signal.SIGKILL)
            if left:
                told.append("a process of it lived on")
        return told

    def _left_behind(self) -> Iterator[str]:
        """What the write root holds for the host."""
        with os.scandir(os.path.join(self.workspace, self._root)) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    if entry.stat(follow_symlinks=False).st_mode & (stat.S_ISUID | stat.S_ISGID):
                        yield "it left a set-id program"
                    if entry.name == "link" and self._fixtures.knows_secret(_read(entry.path)):
                        yield "the host's secret was copied to where it wrote"

    def _call(self) -> None:
        """Knocks until somebody answers."""
        while not self._stop.wait(0.02):
            try:
                socket.create_connection(("127.0.0.1", self._free), timeout=1).close()
            except OSError:
                continue
            assert self._called is not None
            self._called.set()
            return


def first_root(policy: Mapping[str, Any]) -> str:
    """Where a probe writes that may write."""
    roots = policy["allowed_write_roots"]
    return str(roots[0]) if roots else "out"


def _listed(policy: Mapping[str, Any]) -> str:
    commands = policy["allowed_commands"]
    return str(commands[0]) if commands else "true"


def _listener(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> socket.socket:
    listener = socket.socket(family, kind)
    try:
        listener.bind(address)
        listener.setblocking(False)
        if kind == socket.SOCK_STREAM:
            listener.listen(16)
    except OSError:
        listener.close()
        raise
    return listener


def _socket_file(folder: str) -> socket.socket:
    """By a descriptor of its folder: an address holds 108 bytes, and the folder may lie deep."""
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _listener(socket.AF_UNIX, f"/proc/self/fd/{descriptor}/socket")
    finally:
        os.close(descriptor)


def _heard(listener: socket.socket) -> bool:
    """Whether anybody called, all of them taken."""
    heard = False
    while True:
        try:
            if listener.type == socket.SOCK_DGRAM:
                listener.recv(64)
            else:
                listener.accept()[0].close()
        except BlockingIOError:
            return heard
        heard = True


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as asking:
        asking.bind(("127.0.0.1", 0))
        port: int = asking.getsockname()[1]
        return port


def _processes_called(word: str) -> Iterator[int]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    said = file.read(1 << 16)
            except OSError:
                continue
            if word.encode() in said:
                yield int(name)


def _write(path: str, data: bytes, *, executable: bool = False) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = 0o755 if executable else 0o644
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode), "wb") as file:
        file.write(data)


def _compile(path: str) -> None:
    """Beside the source, once for all sandboxes, which cannot keep it. Another interpreter passes it over."""
    from py_compile import PycInvalidationMode
    from py_compile import compile as compiled

    compiled(path, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)


def _read(path: str) -> bytes:
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return b"no regular file"
    with open(path, "rb") as file:
        return file.read(1 << 16)

"""Sockets, and what answers on them."""

from __future__ import annotations

import errno
import os

from .calls import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Attempt


def tcp(address: str, port: str) -> Attempt:
    import socket

    ours = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    ours.settimeout(3)
    yield None
    ours.connect((address, int(port)))
    ours.sendall(b"probe")
    return None


def udp(address: str, port: str) -> Attempt:
    """Two datagrams: that nobody takes the first is told to who sends the second."""
    import socket

    ours = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield None
    ours.connect((address, int(port)))
    ours.send(b"probe")
    ours.send(b"probe")
    return None


def route(address: str) -> Attempt:
    """Whether there is a way there: connecting a datagram socket asks the routing table and sends nothing."""
    import socket

    ours = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    yield None
    ours.connect((address, 9))
    return None


def unix(path: str) -> Attempt:
    """A path, or a name in the abstract space when it starts with @."""
    import socket

    ours = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    yield None if path.startswith("@") else path
    if path.startswith("@"):
        ours.connect(b"\0" + path[1:].encode())
    else:
        ours.connect(_address(path))
    return None


def own_tcp() -> Attempt:
    """A listener of our own and a connection to it, on the loopback of wherever we are."""
    import socket

    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(1)
    ours = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    ours.settimeout(3)
    yield None
    ours.connect(listener.getsockname())
    return None


def own_unix(path: str) -> Attempt:
    import socket

    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(_address(path))
    listener.listen(1)
    ours = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    yield path
    ours.connect(_address(path))
    return None


def _address(path: str) -> str:
    """The path by a descriptor of its folder: an address holds 108 bytes, and a refusal to spell it would not be the
    kernel's answer."""
    folder = os.open(os.path.dirname(path), os.O_PATH | os.O_DIRECTORY)
    return f"/proc/self/fd/{folder}/{os.path.basename(path)}"


def bind(address: str, port: str) -> Attempt:
    import socket

    ours = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    yield None
    ours.bind((address, int(port)))
    return None


def serve(address: str, port: str) -> Attempt:
    """Listens where others may call: a port that nobody outside can reach serves nobody."""
    import socket

    ours = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    ours.settimeout(0.5)  # whoever can call does so all the time
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    yield None
    ours.bind((address, int(port)))
    ours.listen(1)
    try:
        ours.accept()
    except TimeoutError:
        raise fail(errno.ETIMEDOUT) from None
    return None


def make_socket(family: str, kind: str, protocol: str) -> Attempt:
    import socket

    yield None
    socket.socket(int(family), int(kind), int(protocol))
    return None


def resolve(name: str) -> Attempt:
    """That a name server says there is no such name is an answer from outside."""
    import socket

    yield None
    try:
        socket.getaddrinfo(name, 80)
    except socket.gaierror as error:
        if error.errno not in (socket.EAI_NONAME, -5):  # -5: EAI_NODATA
            raise fail(errno.ENETUNREACH) from None
    return None

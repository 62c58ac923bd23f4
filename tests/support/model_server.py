"""A server on loopback with the chat-completions protocol, which does to its clients what real ones do."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Behaviour = Callable[["Asked"], None]


class Asked:
    """One request, and what may be done with it."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: Any, number: int) -> None:
        self.handler = handler
        self.body = body
        #: The how-manieth it is, from 0.
        self.number = number

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][0]["content"])

    def send(self, data: bytes, *, status: int = 200, promise: int | None = None, **headers: str) -> None:
        """A response of `data`; `promise` is the length that is told, where it is another one."""
        self.handler.send_response(status)
        self.handler.send_header("content-length", str(len(data) if promise is None else promise))
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.handler.wfile.write(data)

    def answer(self, text: Any, *, finish_reason: str = "stop") -> None:
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}
        usage = {"prompt_tokens": 11, "completion_tokens": 7}
        self.send(json.dumps({"id": "x", "choices": [choice], "usage": usage}).encode())


class ModelServer:
    """What was asked of it so far; where it is."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.asked: list[Any] = []
        self.headers: list[dict[str, str]] = []

    @property
    def adapter(self) -> str:
        return f"openai:{self.base}#tiny"


@contextmanager
def model_server(behaviour: Behaviour) -> Iterator[ModelServer]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.asked.append(body)
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.close_connection = True
            try:
                behaviour(Asked(self, body, len(server.asked) - 1))
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client had enough

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ModelServer(f"http://127.0.0.1:{httpd.server_address[1]}/v1")
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def drip(asked: Asked, seconds: float) -> None:
    """A response that never ends, one byte at a time."""
    asked.send(b"", promise=1_000_000)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        asked.handler.wfile.write(b" ")
        asked.handler.wfile.flush()
        time.sleep(0.05)

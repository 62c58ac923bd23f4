"""`openai:BASE_URL#MODEL`: any server with the chat-completions protocol. Needs httpx (affidavit[models])."""

from __future__ import annotations

import time

from ..canon.jcs import canonical
from ..canon.reader import read
from ..contracts.model_io import MOST_RESPONSE_BYTES
from ..errors import ParseError, UsageError
from ..shown import plain
from .errors import POLICY, RunError
from .model import Answer, no_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import httpx

#: Of an HTTP response: the answer, escaped at worst, and what stands around it.
_MOST_BYTES = 6 * MOST_RESPONSE_BYTES + 65_536
_TRIES = 3
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 20.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _Failed(Exception):
    """Why a try gave no answer, and how long to wait before the next; None where there is none to come."""

    def __init__(self, why: str, pause: float | None = None) -> None:
        super().__init__(why)
        self.pause = pause


class HttpAdapter:
    """One model of one server."""

    adapter_id = "openai"

    def __init__(self, place: str, key: str, timeout: float) -> None:
        base, hash_sign, model = place.rpartition("#")
        if not hash_sign or not base.startswith(("http://", "https://")) or not model:
            raise UsageError("USAGE", f"--model-adapter: expected openai:BASE_URL#MODEL, found openai:{plain(place)}")
        try:
            import httpx
        except ImportError:
            raise RunError(
                POLICY, "this adapter needs httpx: pip install 'affidavit[models]'", cause="EXTRA_MISSING"
            ) from None
        self._httpx = httpx
        try:
            url = httpx.URL(base.rstrip("/") + "/chat/completions")
        except httpx.InvalidURL as error:
            raise UsageError("USAGE", f"--model-adapter: {error}") from None
        if key and url.scheme != "https" and url.host not in _LOOPBACK:
            raise UsageError(
                "USAGE",
                f"--model-adapter: {plain(url.host)}: a key is sent by https, or to this host, and not in the open",
            )
        self._url = url
        self._key = key
        self._timeout = timeout
        self.model_id = model

    def ask(self, prompt: str) -> Answer:
        """By one request, and up to two more where the server says that it may do better later."""
        deadline = time.monotonic() + self._timeout
        body = canonical(
            {
                "model": self.model_id,
                "messages": [{"role": "user", "content": prompt}],
                "temperature": 0,
                "stream": False,
            }
        )
        why = ""
        for tried in range(1, _TRIES + 1):
            try:
                return self._answer_in(self._try(body, deadline))
            except _Failed as failed:
                why = str(failed)
                pause = failed.pause
            if pause is None or tried == _TRIES or time.monotonic() + pause * 2 ** (tried - 1) > deadline:
                break
            time.sleep(min(pause * 2 ** (tried - 1), _LONGEST_PAUSE))
        raise no_answer(self.model_id, f"{why}{f' ({tried} tries)' if tried > 1 else ''}")

    def _try(self, body: bytes, deadline: float) -> bytes:
        """The bytes of a response that is one. Redirects are not followed: the key is for this server."""
        headers = {"content-type": "application/json", "accept": "application/json"}
        if self._key:
            headers["authorization"] = f"Bearer {self._key}"
        left = max(0.1, deadline - time.monotonic())
        httpx = self._httpx
        try:
            with (
                # a server on this host is asked directly, whatever proxy there is for others
                httpx.Client(timeout=left, follow_redirects=False, trust_env=self._url.host not in _LOOPBACK) as client,
                client.stream("POST", self._url, content=body, headers=headers) as response,
            ):
                if response.status_code != 200:
                    raise _Failed(f"the server answered {response.status_code}", self._pause_of(response))
                return self._body(response, deadline)
        except httpx.TimeoutException:
            raise _Failed(f"nothing within {self._timeout:g} seconds") from None
        except httpx.HTTPError as error:  # never with the request in it: that has the key
            raise _Failed(f"{type(error).__name__}: {plain(str(error))}", _FIRST_PAUSE) from None

    def _body(self, response: httpx.Response, deadline: float) -> bytes:
        pieces: list[bytes] = []
        size = 0
        for piece in response.iter_bytes():
            size += len(piece)
            if size > _MOST_BYTES:
                raise _Failed(f"expected at most {_MOST_BYTES} bytes, found more")
            if time.monotonic() > deadline:  # one that drips is never silent long enough for the timeout
                raise _Failed(f"no whole answer within {self._timeout:g} seconds")
            pieces.append(piece)
        return b"".join(pieces)

    @staticmethod
    def _pause_of(response: httpx.Response) -> float | None:
        if response.status_code not in _AGAIN:
            return None
        told = response.headers.get("retry-after", "")
        return min(float(told), _LONGEST_PAUSE) if told.isascii() and told.isdigit() else _FIRST_PAUSE

    @staticmethod
    def _answer_in(data: bytes) -> Answer:
        try:
            body: Any = read(data)
        except ParseError as error:
            raise _Failed(f"the server's answer is not JSON: {error.message}") from None
        try:
            choice = body["choices"][0]
            text = choice["message"]["content"]
            reason = choice.get("finish_reason")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise _Failed("expected choices[0].message.content, found no such member") from None
        if type(text) is not str:
            raise _Failed("expected text in choices[0].message.content, found something else")
        if reason not in (None, "stop"):
            raise _Failed(f"the answer was cut off (finish_reason {plain(str(reason))})")
        if len(text.encode("utf-8", "surrogatepass")) > MOST_RESPONSE_BYTES:
            raise _Failed(f"expected at most {MOST_RESPONSE_BYTES} bytes of answer, found more (MI11)")
        usage = body.get("usage")
        return Answer(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))


def _count(usage: object, member: str) -> int | None:
    found = usage.get(member) if type(usage) is dict else None
    return found if type(found) is int and found >= 0 else None

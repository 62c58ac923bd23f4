"""The reference reader: decides what the strict reader accepts, and says of the first wrong byte what it is.

Plain Python, one pass, no recursion. The quick readers are tested against it; it also runs whenever one of them is in
doubt, which is why it keeps to a bounded time: each step consumes text, and sizes and counts are checked as they grow.
"""

from __future__ import annotations

import re

from ..errors import ParseError
from ..values import MAX_DEPTH, MAX_VALUES
from .numbers import integer_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..values import Json

_BLANKS = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NUMBER_LIKE = re.compile(r"[-+.0-9A-Za-z]{1,40}")
_HEX4 = re.compile(r"[0-9A-Fa-f]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}


def read_reference(data: bytes, *, max_bytes: int) -> Json:
    if len(data) > max_bytes:
        raise _at_byte(data, max_bytes, "JSON_TOO_LARGE", f"at most {max_bytes} bytes", f"{len(data)} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _at_byte(data, error.start, "JSON_UTF8", "UTF-8", f"byte 0x{data[error.start]:02x}") from None
    return _Reading(text).document()


def _at_byte(data: bytes, offset: int, code: str, expected: str, found: str) -> ParseError:
    line = data.count(b"\n", 0, offset) + 1
    column = len(data[data.rfind(b"\n", 0, offset) + 1 : offset].decode(errors="replace")) + 1
    message = f"expected {expected}, found {found} at byte {offset} (line {line}, column {column})"
    return ParseError(code, message, offset=offset, line=line, column=column, expected=expected, found=found)


class _Reading:
    """One pass over one text; `at` is the next character to look at."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.values = 0

    def refuse(self, at: int, code: str, expected: str, found: str | None = None) -> ParseError:
        before = self.text[:at]
        offset = len(before.encode())
        line = before.count("\n") + 1
        column = at - before.rfind("\n")
        found = found or self.seen(at)
        message = f"expected {expected}, found {found} at byte {offset} (line {line}, column {column})"
        return ParseError(code, message, offset=offset, line=line, column=column, expected=expected, found=found)

    def seen(self, at: int) -> str:
        """What stands at `at`, short and printable."""
        if at >= len(self.text):
            return "the end of the text"
        character = self.text[at]
        return repr(character) if character.isprintable() else f"U+{ord(character):04X}"

    def skip_blanks(self) -> None:
        self.at = _BLANKS.match(self.text, self.at).end()  # type: ignore[union-attr]

    def document(self) -> Json:
        if self.text.startswith("\ufeff"):
            raise self.refuse(0, "JSON_BOM", "a JSON value", "a byte order mark")
        self.skip_blanks()
        value = self.tree()
        self.skip_blanks()
        if self.at < len(self.text):
            raise self.refuse(self.at, "JSON_TRAILING", "the end of the text after the value")
        return value

    def tree(self) -> Json:
        """The value at `at`. Open containers are kept on a list, each with the key its next value belongs to."""
        containers: list[dict[str, Json] | list[Json]] = []
        keys: list[str] = []
        while True:
            value = self.opened_or_scalar(len(containers))
            if (type(value) is dict or type(value) is list) and not self.closes(value):
                containers.append(value)
                keys.append(self.key(value) if type(value) is dict else "")
                continue
            # a whole value: give it to its container, and close what it completes
            while True:
                if not containers:
                    return value
                container = containers[-1]
                if type(container) is dict:
                    container[keys[-1]] = value
                else:
                    container.append(value)  # type: ignore[union-attr]
                if self.comma_or_close(container):
                    if type(container) is dict:
                        keys[-1] = self.key(container)
                    break
                value = container
                containers.pop()
                keys.pop()

    def opened_or_scalar(self, depth: int) -> Json:
        self.values += 1
        if self.values > MAX_VALUES:
            raise self.refuse(self.at, "JSON_TOO_MANY_VALUES", f"at most {MAX_VALUES} values", "another one")
        character = self.text[self.at : self.at + 1]
        if character in ("{", "["):
            if depth == MAX_DEPTH:
                raise self.refuse(self.at, "JSON_TOO_DEEP", f"at most {MAX_DEPTH} levels", "another level")
            self.at += 1
            return {} if character == "{" else []
        if character == '"':
            return self.string()
        if character == "-" or ("0" <= character <= "9" and character != ""):
            return self.number()
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        for word in ("NaN", "Infinity"):
            if self.text.startswith(word, self.at):
                raise self.refuse(self.at, "JSON_NUMBER", "a finite number", word)
        raise self.refuse(self.at, "JSON_SYNTAX", "a JSON value")

    def closes(self, container: dict[str, Json] | list[Json]) -> bool:
        """Is the container that was just opened empty?"""
        self.skip_blanks()
        if self.text.startswith("}" if type(container) is dict else "]", self.at):
            self.at += 1
            return True
        return False

    def comma_or_close(self, container: dict[str, Json] | list[Json]) -> bool:
        """True when another member follows."""
        self.skip_blanks()
        close = "}" if type(container) is dict else "]"
        character = self.text[self.at : self.at + 1]
        if character == close:
            self.at += 1
            return False
        if character != ",":
            raise self.refuse(self.at, "JSON_SYNTAX", f"',' or '{close}'")
        self.at += 1
        self.skip_blanks()
        return True

    def key(self, container: dict[str, Json]) -> str:
        """The key at `at`, its colon, and the blanks up to its value."""
        start = self.at
        if not self.text.startswith('"', start):
            raise self.refuse(start, "JSON_SYNTAX", "a key in double quotes")
        key = self.string()
        if key in container:
            shown = key if len(key) <= 60 else key[:60] + "..."
            raise self.refuse(start, "JSON_DUPLICATE_KEY", "each key once in an object", f"{shown!r} again")
        self.skip_blanks()
        if not self.text.startswith(":", self.at):
            raise self.refuse(self.at, "JSON_SYNTAX", "':'")
        self.at += 1
        self.skip_blanks()
        return key

    def string(self) -> str:
        start = self.at
        self.at += 1
        pieces: list[str] = []
        while True:
            plain = _PLAIN.match(self.text, self.at)
            assert plain is not None  # it matches the empty text
            pieces.append(plain[0])
            self.at = plain.end()
            character = self.text[self.at : self.at + 1]
            if character == '"':
                self.at += 1
                return "".join(pieces)
            if character == "\\":
                pieces.append(self.escape())
            elif character == "":
                raise self.refuse(start, "JSON_SYNTAX", "a closing double quote", "a string without one")
            else:
                raise self.refuse(self.at, "JSON_SYNTAX", "a control character written as an escape")

    def escape(self) -> str:
        at = self.at
        letter = self.text[at + 1 : at + 2]
        if letter in _ESCAPES:
            self.at += 2
            return _ESCAPES[letter]
        if letter != "u":
            raise self.refuse(at + 1, "JSON_SYNTAX", 'one of " \\ / b f n r t u after a backslash')
        unit = self.unit(at)
        self.at += 6
        if not 0xD800 <= unit <= 0xDFFF:
            return chr(unit)
        if unit >= 0xDC00 or self.text[self.at : self.at + 2] != "\\u":
            raise self.refuse(at, "JSON_SURROGATE", "surrogates in pairs", f"a lone \\u{unit:04x}")
        low = self.unit(self.at)
        if not 0xDC00 <= low <= 0xDFFF:
            raise self.refuse(at, "JSON_SURROGATE", "surrogates in pairs", f"a lone \\u{unit:04x}")
        self.at += 6
        return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))

    def unit(self, at: int) -> int:
        digits = _HEX4.match(self.text, at + 2)
        if digits is None:
            raise self.refuse(at, "JSON_SYNTAX", "four hex digits after \\u")
        return int(digits[0], 16)

    def number(self) -> int | float:
        start = self.at
        found = _NUMBER.match(self.text, start)
        if found is None:
            raise self.refuse(start, "JSON_NUMBER", "a number", self.number_like(start))
        literal = found[0]
        follows = self.text[found.end() : found.end() + 1]
        if follows in ("e", "E", ".", "+", "-") or ("0" <= follows <= "9" and follows):
            raise self.refuse(start, "JSON_NUMBER", "a number as JSON writes it", self.number_like(start))
        self.at = found.end()
        if found[1] is None and found[2] is None:
            whole = integer_literal(literal)
            if whole is None:
                shown = literal if len(literal) <= 40 else literal[:40] + "..."
                raise self.refuse(start, "JSON_NUMBER", "an integer that a double holds exactly", shown)
            return whole
        double = float(literal)
        if double - double != 0:
            raise self.refuse(start, "JSON_NUMBER", "a number that fits a double", self.number_like(start))
        return double

    def number_like(self, at: int) -> str:
        found = _NUMBER_LIKE.match(self.text, at)
        return found[0] if found else self.seen(at)

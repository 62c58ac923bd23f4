"""What a command says, shown while it says it, to a person whose terminal it must not command.

Text, line ends, tabs and carriage returns (progress) go through; every other control character is shown as an escape,
and so is every byte that is no UTF-8. Colours go with them: what asks a terminal for colour can ask it for its
clipboard as well.
"""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..sandbox.observation import StreamName

_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code not in (0x09, 0x0A, 0x0D)}


class Live:
    """Both streams, as they reach one terminal: a character that comes in two pieces is looked at when it is whole."""

    __slots__ = ("_decoder",)

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("backslashreplace")

    def harmless(self, piece: bytes) -> bytes:
        """The text that is whole by now, without control characters."""
        return self._decoder.decode(piece).translate(_ESCAPES).encode()

    def __call__(self, _name: StreamName, piece: bytes) -> None:
        """To standard error. A terminal that is gone must not change how the run ends."""
        try:
            if sys.stderr is not None:
                sys.stderr.buffer.write(self.harmless(piece))
                sys.stderr.buffer.flush()
        except OSError:
            pass

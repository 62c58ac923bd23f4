"""What a command says, shown while it says it, to a person whose terminal it must not command.

Text, line ends, tabs and carriage returns (progress) go through; every other control character is shown as an escape.
Colours go with them: what asks a terminal for colour can ask it for its clipboard as well.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..sandbox.observation import StreamName

_SHOWN = {code: b"\\x%02x" % code for code in (*range(0x20), 0x7F) if code not in (0x09, 0x0A, 0x0D)}


def harmless(piece: bytes) -> bytes:
    """The bytes without control characters, those of C1 (two bytes in UTF-8) included."""
    for code in {*piece} & _SHOWN.keys():
        piece = piece.replace(bytes((code,)), _SHOWN[code])
    if b"\xc2" in piece:
        for code in range(0x80, 0xA0):
            piece = piece.replace(bytes((0xC2, code)), b"\\x%02x" % code)
    return piece


def show(_name: StreamName, piece: bytes) -> None:
    """To standard error. A terminal that is gone must not change how the run ends."""
    try:
        if sys.stderr is not None:
            sys.stderr.buffer.write(harmless(piece))
            sys.stderr.buffer.flush()
    except OSError:
        pass

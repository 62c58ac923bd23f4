"""What Ctrl-C means while a run is going: the first ends the sandbox, and the run is committed with what it has; a
second within two seconds ends this process at once. What was committed before is untouched by either, and the run that
was going stays visibly unfinished (contracts 4.6)."""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType
    from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_IMPATIENT = 2.0


class Interrupt:
    """Watches for the signals that ask a run to stop, while it is entered. `descriptor` is readable once one came."""

    __slots__ = ("_before", "_last", "_writing", "descriptor", "was_asked")

    def __init__(self) -> None:
        self.was_asked = False
        self._last = float("-inf")

    def __enter__(self) -> Self:
        self.descriptor, self._writing = os.pipe()
        # only what is not ignored: under nohup a hang-up is to be ignored
        self._before = {
            number: signal.signal(number, self._came)
            for number in _SIGNALS
            if signal.getsignal(number) is not signal.SIG_IGN
        }
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.descriptor)
        os.close(self._writing)

    def _came(self, number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._last < _IMPATIENT:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._last = now
        if not self.was_asked:
            self.was_asked = True
            os.write(self._writing, b"!")

"""Ending a command that has something to take back: whoever asks for it politely is answered as Ctrl-C is."""

from __future__ import annotations

import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType

_POLITE = ("SIGTERM", "SIGHUP")


class interruptible:  # noqa: N801 -- reads as `with interruptible():`
    """SIGTERM and SIGHUP raise KeyboardInterrupt as SIGINT does, so that what was begun is taken back."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        # only what is not ignored: under nohup a hang-up is to be ignored
        self._before = {
            number: signal.signal(number, _interrupt)
            for number in _numbers()
            if signal.getsignal(number) is not signal.SIG_IGN
        }

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _POLITE if hasattr(signal, name)]


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt

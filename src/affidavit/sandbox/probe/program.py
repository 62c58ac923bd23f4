"""The probe program: performs one named attempt, and tells that it reached the operation and what the kernel answered.

It needs an interpreter and its standard library, nothing else of this package: its folder is shown read-only inside
the sandbox that is probed. `python -I -S FOLDER/__main__.py MODULE.ATTEMPT WORD...` writes lines to descriptor 1:

    affidavit-probe EVENT NAME=VALUE...

`started` comes first; `stopped errno=` when the operation could not be prepared; `reached` directly before the
operation, `answered errno=` after it, 0 for success. Numbers are decimal, texts hexadecimal: whatever bytes a path has,
it stays one word. Of an operation that ends the process, by a filter or a limit, `reached` is the last line. The exit
status says nothing.

An attempt is a generator: before its `yield` it prepares, after it the operation follows; the yielded value is the path
that is asked for, if any, and what it returns is told beside the answer.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .calls import Facts


def say(event: str, facts: Facts) -> None:
    words = [f"{name}={value.hex() if isinstance(value, bytes) else value}" for name, value in facts.items()]
    os.write(1, " ".join(["affidavit-probe", event, *words]).encode() + b"\n")


def main(words: list[str]) -> None:
    say("started", {})
    module, _, function = words[0].partition(".")
    # __import__, not importlib: that is another import, and each sandbox pays for it
    steps = getattr(__import__(f"{__package__}.{module}", fromlist=[module]), function)(*words[1:])
    try:
        asked = next(steps)
    except OSError as error:
        say("stopped", _number(error))
        return
    say("reached", {} if asked is None else {"requested": asked.encode(errors="surrogateescape")})
    try:
        next(steps)
    except StopIteration as done:
        say("answered", {"errno": 0, **(done.value or {})})
    except OSError as error:
        say("answered", _number(error))


def _number(error: OSError) -> Facts:
    """An error without a number is the library's own, and not what the kernel answered: it must not read as success."""
    return {} if error.errno is None else {"errno": error.errno}

"""Digesting by several processes: threads lose on small files, where the interpreter is most of the work.

The process forks after the work was planned, so the children have it already. A pipe filled beforehand with one token
for each batch is the queue that all of them, the parent too, take from: who is quicker does more. Each child tells its
results through a pipe of its own. What a child did not tell, for whatever reason, is nobody's result yet and is left to
the caller, so a killed child costs time and nothing else.

A child runs no code but this: signals have their default effect in it, the garbage collector is off (a finalizer of the
parent's would run twice), and it ends by `_exit`. It ends when its parent has: it asks between two pieces of 256 KB.
"""

from __future__ import annotations

import gc
import marshal
import os
import sys

from .measure import Digester

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .fs import Dir
    from .measure import Raw, Tick, Wanted

    Settle = Callable[[Sequence[int], Sequence[Raw]], None]

#: What opening, asking and closing one file costs, in bytes that could have been digested meanwhile.
_PER_FILE = 10_000
#: Work of this size takes ten times as long as a fork and what comes with it.
_WORTH_A_PROCESS = 32_000_000
_BATCH = 2_000_000
#: So many tokens fit into the smallest pipe there is.
_MOST_BATCHES = 1000
_MOST_PROCESSES = 8
_TOKEN = 4
_LENGTH = 4


def worthwhile(wanted: Wanted, most: int | None) -> int:
    """How many processes to use: as many as there are cores, as long as each has enough to do. One where forking is
    not safe: in a process that has threads, and on systems other than Linux."""
    if sys.platform != "linux" or most == 1 or len(wanted) < 2:
        return 1
    work = sum(size + _PER_FILE for _, size in wanted)
    many = min(most or _MOST_PROCESSES, _MOST_PROCESSES, len(wanted), work // (_WORTH_A_PROCESS // 2))
    if many > 1:
        many = min(many, len(os.sched_getaffinity(0)))
    return many if many > 1 and _is_single_threaded() else 1


def _is_single_threaded() -> bool:
    """As the kernel sees it: a library's threads count too."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _batches(wanted: Wanted, order: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of neighbours in `order` of about the same work; the largest first, so that none is left for the end."""
    costs = [wanted[index][1] + _PER_FILE for index in order]
    enough = max(_BATCH, sum(costs) // (_MOST_BATCHES // 2))
    found: list[tuple[int, int, int]] = []
    start = cost = 0
    for at, more in enumerate(costs, 1):
        cost += more
        if cost >= enough:
            found.append((cost, start, at))
            start, cost = at, 0
    if cost:
        found.append((cost, start, len(costs)))
    found.sort(key=lambda batch: -batch[0])
    return [(start, end) for _, start, end in found]


class _Child:
    """A process that digests, as its parent sees it."""

    __slots__ = ("pid", "pipe", "received")

    def __init__(self, pid: int, pipe: int) -> None:
        self.pid = pid
        self.pipe = pipe
        self.received = bytearray()

    def take(self, plan: _Plan, settle: Settle, tick: Tick) -> bool:
        """Takes what has arrived, waiting only if the pipe waits. False when nothing more will come."""
        try:
            piece = os.read(self.pipe, 1 << 16)
        except BlockingIOError:
            return True
        self.received += piece
        while len(self.received) >= _LENGTH:
            end = _LENGTH + int.from_bytes(self.received[:_LENGTH], "little")
            if len(self.received) < end:
                break
            told: int | tuple[int, list[Raw]] = marshal.loads(self.received[_LENGTH:end])  # noqa: S302 - a child of ours wrote it
            del self.received[:end]
            if isinstance(told, int):
                tick(told)
            else:
                settle(plan.batch(told[0]), told[1])
        return bool(piece)

    def end(self) -> None:
        """Waits for it. One that has told all is ending by itself, any other is not waited for in vain."""
        import signal  # loads enum, which most verifications have no use for

        os.close(self.pipe)
        try:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        except (ProcessLookupError, ChildProcessError):  # somebody collects all children of this process
            pass


class _Plan:
    """What parent and children know alike."""

    __slots__ = ("batches", "order", "queue", "root", "wanted")

    def __init__(self, root: Dir, wanted: Wanted, order: Sequence[int], queue: int) -> None:
        self.root = root
        self.wanted = wanted
        self.order = order
        self.batches = _batches(wanted, order)
        self.queue = queue

    def taken(self) -> Iterator[int]:
        """Takes the batches that nobody has taken, one after the other."""
        while token := os.read(self.queue, _TOKEN):
            yield int.from_bytes(token, "little")

    def batch(self, number: int) -> Sequence[int]:
        start, end = self.batches[number]
        return self.order[start:end]


def digest_by_many(root: Dir, wanted: Wanted, order: Sequence[int], many: int, *, settle: Settle, tick: Tick) -> None:
    """Settles what this process and `many - 1` children have digested; fewer where the system has no room for more.
    When it returns, also by an exception, no child is left."""
    queue, filling = os.pipe()
    children: list[_Child] = []
    try:
        try:
            plan = _Plan(root, wanted, order, queue)
            os.write(filling, b"".join(number.to_bytes(_TOKEN, "little") for number in range(len(plan.batches))))
        finally:
            os.close(filling)
        while len(children) < many - 1 and _start(plan, children):
            pass

        def drain(count: int) -> None:
            tick(count)
            for child in children:
                child.take(plan, settle, tick)

        with Digester(root, wanted, drain) as digester:
            for number in plan.taken():
                share = plan.batch(number)
                settle(share, digester.digest(share))
        for child in children:
            os.set_blocking(child.pipe, True)
            while child.take(plan, settle, tick):
                pass
    finally:
        os.close(queue)
        for child in children:
            child.end()


def _start(plan: _Plan, children: list[_Child]) -> bool:
    """Adds a child, or says that there is no room for one. No signal comes between the fork and the child's entry."""
    import signal

    try:
        receiving, sending = os.pipe()
    except OSError:
        return False
    parent = os.getpid()
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        pid = os.fork()
        if pid == 0:
            try:
                gc.disable()
                for number in signal.valid_signals():
                    if callable(signal.getsignal(number)):
                        signal.signal(number, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_SETMASK, masked)
                for descriptor in (receiving, *(other.pipe for other in children)):
                    os.close(descriptor)
                _work(plan, sending, parent)
            finally:
                os._exit(0)
        os.set_blocking(receiving, False)
        children.append(_Child(pid, receiving))
    except OSError:
        os.close(receiving)
        return False
    finally:
        os.close(sending)
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)
    return True


def _work(plan: _Plan, sending: int, parent: int) -> None:
    """What a child does. A parent that is gone ends it: between two pieces, or in writing."""
    counted = 0

    def tell(what: int | tuple[int, list[Raw]]) -> None:
        body = marshal.dumps(what)
        left = memoryview(len(body).to_bytes(_LENGTH, "little") + body)
        while left:
            left = left[os.write(sending, left) :]

    def tick(count: int) -> None:
        nonlocal counted
        if os.getppid() != parent:
            os._exit(0)
        counted += count
        if counted >= _BATCH:
            tell(counted)
            counted = 0

    with Digester(plan.root, plan.wanted, tick) as digester:
        for number in plan.taken():
            tell((number, digester.digest(plan.batch(number))))
    tell(counted)

"""`pytest --affidavit OUT`: seals a test session into a run directory of OUT, which `affidavit verify OUT` verifies.

The run is begun before the first test and committed after the last, so a session that was killed is there as one that
did not finish. What is sealed is what pytest itself reports: every test with its outcome, the text of every failure,
the files that the tests stand in by their digests, and how the session ended.
"""

from __future__ import annotations

import os
import platform
import time
from typing import TYPE_CHECKING, Any

import pytest

from . import __version__
from .canon.profiles import KERNEL, RAW, raw_hasher
from .errors import AffidavitError
from .shown import plain
from .values import timed_id, timestamp

if TYPE_CHECKING:
    from .store.writer import Writer

SCHEMA_VERSION = "affidavit.pytest_session.v0.1"
SESSION = "session.json"
_MOST_BYTES = 64 << 20


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("affidavit").addoption(
        "--affidavit", metavar="OUT", default=None, help="seal this session into a run directory of the folder OUT"
    )


def pytest_configure(config: pytest.Config) -> None:
    # a worker of pytest-xdist reports to the process that started it, which is the one that seals
    if config.getoption("--affidavit") is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Seal(config), "affidavit-seal")


class Seal:
    """What a session was, collected while it runs."""

    def __init__(self, config: pytest.Config) -> None:
        self._out: str = config.getoption("--affidavit")
        self._root = str(config.rootpath)
        self._arguments = [plain(word) for word in config.invocation_params.args]
        self._started_ms = time.time_ns() // 1_000_000
        self._began = time.monotonic_ns()
        self._tests: dict[str, dict[str, Any]] = {}
        self._failures: list[str] = []
        self._writer: Writer | None = None
        self._told = ""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self) -> None:
        from .sandbox.programs import find_program
        from .sandbox.world import world_id
        from .store.writer import begin

        try:
            self._writer = begin(
                self._out,
                timed_id("pt", self._started_ms, os.urandom(4)),
                plan_id="pytest",
                plan_digest=KERNEL.digest(self._arguments).hex,
                world_id=world_id(find_program("bwrap")),
                channel="direct",
            )
        except AffidavitError as error:
            raise pytest.UsageError(f"--affidavit {plain(self._out)}: {error.message}") from None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test = self._tests.setdefault(plain(report.nodeid), {"outcome": "passed", "phases": {}})
        test["phases"][report.when] = {"outcome": report.outcome, "duration_ms": round(report.duration * 1000)}
        if report.failed:
            # a test that fails in its set-up or tear-down was not passed either, and is told apart by the phase
            test["outcome"] = "failed" if report.when == "call" else "error"
            self._fails(f"{report.nodeid} ({report.when})", report.longreprtext)
        elif report.skipped:
            test["outcome"] = "xfailed" if hasattr(report, "wasxfail") else "skipped"
        elif report.when == "call" and hasattr(report, "wasxfail"):
            test["outcome"] = "xpassed"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._tests[plain(report.nodeid)] = {"outcome": "error", "phases": {}}
            self._fails(f"{report.nodeid} (collect)", report.longreprtext)

    def _fails(self, where: str, text: str) -> None:
        self._failures.append(f"{plain(where)}\n{text}\n")

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._writer is None:
            return
        try:
            with self._writer as writer:
                if self._failures:
                    writer.put("failures.txt", "\n".join(self._failures).encode("utf-8", "backslashreplace"))
                writer.put_json(SESSION, self._session(int(exitstatus)))
                writer.commit(expected=(SESSION,))
        except AffidavitError as error:
            # a session that could not be sealed has not done what was asked of it, however its tests went
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            self._told = f"not sealed: {error.message}"
        else:
            self._told = f"sealed: {plain(os.path.join(self._out, writer.run_id))}"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._told:
            terminalreporter.write_line(f"affidavit: {self._told}")

    def _session(self, exit_status: int) -> dict[str, Any]:
        counts: dict[str, int] = {}
        for test in self._tests.values():
            counts[test["outcome"]] = counts.get(test["outcome"], 0) + 1
        elapsed = (time.monotonic_ns() - self._began) // 1_000_000
        return {
            "schema_version": SCHEMA_VERSION,
            "affidavit_version": __version__,
            "arguments": self._arguments,
            "completed_at": timestamp(self._started_ms + elapsed),
            "counts": counts,
            "exit_status": exit_status,
            "files": self._files(),
            "pytest_version": pytest.__version__,
            "python_version": platform.python_version(),
            "started_at": timestamp(self._started_ms),
            "tests": [{"id": test_id, **test} for test_id, test in sorted(self._tests.items())],
        }

    def _files(self) -> list[dict[str, Any]]:
        """The files that the tests stand in, as they are at the end of the session. One that is gone by then, or is no
        regular file of a size that source code has, has no digest."""
        paths = sorted({test_id.partition("::")[0] for test_id in self._tests})
        return [{"path": path, "sha256": _digest_of(os.path.join(self._root, path))} for path in paths]


def _digest_of(path: str) -> str | None:
    """Tests may have put anything in place of their own file, a FIFO that nobody writes to among them."""
    from .store import fs

    hasher = raw_hasher()
    try:
        descriptor = fs.open_file(os.path.realpath(path))  # pytest followed the link as well
        try:
            for piece in fs.pieces(descriptor, path, _MOST_BYTES):
                hasher.update(piece)
        finally:
            os.close(descriptor)
    except AffidavitError:
        return None
    return RAW.digest_hex(hasher.hexdigest()).content_hash

"""What every test shares: what a skip may be, and how long hypothesis searches."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator

IN_CI = os.environ.get("CI") == "true"

#: The only reasons for which a test may be skipped: (what the reason starts with, why it is no hole).
ALLOWED_SKIPS = (
    ("needs bubblewrap and user namespaces", "a developer's host may forbid them; in CI it is an error"),
    ("needs root for a manager of its own", "nobody else can start systemd as process 1 of a system of its own"),
)

settings.register_profile(
    "affidavit", deadline=None, max_examples=100, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("ci", settings.get_profile("affidavit"), derandomize=True, database=None)
settings.load_profile("ci" if IN_CI else "affidavit")


def _why_no_sandbox() -> str:
    """Empty when bubblewrap can make the namespaces that a sandbox needs."""
    if shutil.which("bwrap") is None:
        return "bwrap is not installed"
    tried = subprocess.run(
        ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"],
        capture_output=True,
        timeout=30,
        check=False,
    )
    return tried.stderr.decode(errors="replace").strip() if tried.returncode else ""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanting = [item for item in items if item.get_closest_marker("sandbox")]
    if config.option.collectonly or not wanting:
        return
    why = _why_no_sandbox()
    if why and IN_CI:
        raise pytest.UsageError(f"the sandbox tests cannot run here: {why}")
    for item in wanting if why else ():
        item.add_marker(pytest.mark.skip(reason=f"needs bubblewrap and user namespaces: {why}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skip for a reason that is not listed is a failure: nothing goes untested in silence."""
    report = yield
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not reason.removeprefix("Skipped: ").startswith(tuple(start for start, _ in ALLOWED_SKIPS)):
            report.outcome = "failed"
            report.longrepr = f"skipped for a reason that ALLOWED_SKIPS does not list: {reason}"
    return report

"""Pages in a real browser: what a hostile page would do it does not do, and it looks as the style sheet says.

Run by `make browser-test`, which installs the browser; not part of `make test`.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zlib
from typing import TYPE_CHECKING

import pytest

from affidavit.contracts import bundle, evidence, run, runner
from affidavit.report import kernel_run
from affidavit.report.page import render
from affidavit.report.parts import Excerpt
from affidavit.report.style import COLOURS
from tests.report.test_page import HOSTILE, page_of
from tests.support.pages import Seen

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = (
    "--no-sandbox",  # chromium's own, which cannot be made by root; it loads one file of ours
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
)


def browser() -> str:
    for name in ("chromium-headless-shell", "chromium"):
        found = shutil.which(name)
        if found:
            return found
    raise AssertionError("no browser: make browser-test installs one")


def opened(page: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """The page opened once, and what the browser said."""
    profile = page.parent / "profile"
    command = [browser(), *_FLAGS, "--headless", f"--user-data-dir={profile}", "--window-size=1100,1600", *words]
    env = {"PATH": os.environ["PATH"], "HOME": str(page.parent)}
    done = subprocess.run([*command, page.as_uri()], capture_output=True, env=env, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done


def complaints(done: subprocess.CompletedProcess[bytes]) -> list[bytes]:
    return [line for line in done.stderr.splitlines() if b":CONSOLE:" in line]


def first_pixel(png: bytes) -> str:
    """The colour of the corner. With nothing to its left and nothing above it, no filter of PNG changes it."""
    at, data = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    return "#" + zlib.decompress(data)[1:4].hex()


@pytest.fixture
def example(tmp_path: Path) -> Path:
    documents = {"bundle.json": bundle.EXAMPLE, "runner.json": runner.EXAMPLE, "evidence.json": evidence.EXAMPLE}
    streams = {"stdout": Excerpt(b"<b>built</b>\n", b"", 13)}
    page = tmp_path / "page.html"
    page.write_bytes(render(kernel_run.describe("Run", run.EXAMPLE, documents, streams)))
    return page


def test_the_browser_complains_when_something_is_kept_from_running(tmp_path: Path) -> None:
    """Without this, the tests below could not fail."""
    page = tmp_path / "hostile.html"
    policy = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
    page.write_text(f"<!DOCTYPE html>{policy}<script>document.title='ran'</script>")
    assert complaints(opened(page, "--dump-dom"))


def test_a_page_needs_nothing_that_its_policy_forbids(example: Path) -> None:
    assert complaints(opened(example, "--dump-dom")) == []


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_text_becomes_no_element(tmp_path: Path, number: int) -> None:
    found = []
    for name, text in (("hostile", HOSTILE[number]), ("harmless", "x")):
        page = tmp_path / f"{name}.html"
        page.write_bytes(render(page_of(text)))
        done = opened(page, "--dump-dom")
        assert complaints(done) == []
        found.append([element for element, _ in Seen(done.stdout).elements])
    assert found[0] == found[1]


@pytest.mark.parametrize(("scheme", "which"), [("1", 0), ("0", 1)], ids=["light", "dark"])
def test_it_is_light_and_dark(example: Path, scheme: str, which: int) -> None:
    picture = example.parent / "picture.png"
    opened(example, f"--blink-settings=preferredColorScheme={scheme}", f"--screenshot={picture}")
    assert first_pixel(picture.read_bytes()) == COLOURS["ground"][which]


def test_it_can_be_printed(example: Path) -> None:
    printed = example.parent / "page.pdf"
    opened(example, f"--print-to-pdf={printed}")
    assert printed.read_bytes().startswith(b"%PDF-")

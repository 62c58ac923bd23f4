"""The declared tests, judged on what is there when all commands have ended (contracts 2.9, `tests`)."""

from __future__ import annotations

import os

from ..canon.profiles import RAW
from ..errors import ReadFailed
from ..store import durable, fs
from .changes import digest_of, open_output_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NO_OUTPUT = RAW.digest(b"").content_hash


def judge_tests(workspace: str, proposal: dict[str, Any], exit_codes: dict[str, int]) -> list[dict[str, Any]]:
    """One result for each acceptance test; a test of a command looks at how that ended. Tests run nothing, so their
    streams are empty."""
    results: list[dict[str, Any]] = []
    top = durable.open_directory(workspace)
    try:
        for test in proposal["acceptance_tests"]:
            passed = _passes(top, test, exit_codes)
            results.append(
                {
                    "test_id": test["id"],
                    "passed": passed,
                    "exit_code": 0 if passed else 1,
                    "stdout_sha256": _NO_OUTPUT,
                    "stderr_sha256": _NO_OUTPUT,
                }
            )
    finally:
        os.close(top)
    return results


def _passes(top: int, test: dict[str, Any], exit_codes: dict[str, int]) -> bool:
    kind: str = test["type"]
    target: str = test["target"]
    expected: str = test["expected"] or ""
    if kind == "command_success":
        return exit_codes.get(target) == 0
    try:
        opened = open_output_below(top, target)
    except (OSError, ReadFailed):  # not there, no regular file, or behind a link
        return False
    try:
        if kind == "hash_match":
            return digest_of(opened) == expected
        return kind == "file_exists" or _contains(opened, expected)
    finally:
        os.close(opened)


def _contains(opened: int, expected: str) -> bool:
    """Whether the file's UTF-8 text contains `expected`. Read in pieces: a file may be as large as the policy lets it.
    Text that is not UTF-8 somewhere is no text, and contains nothing."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")()
    held, found = "", expected == ""
    while True:
        piece = os.read(opened, fs.CHUNK)
        try:
            held += decoder.decode(piece, final=not piece)
        except UnicodeDecodeError:
            return False
        found = found or expected in held
        if not piece:
            return found
        held = held[-len(expected) :] if expected else ""

"""Vectors of the ledger (contracts 2.6): three entries, of which the last differs, or the bytes of its line."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from affidavit.canon.jcs import canonical
from affidavit.canon.profiles import KERNEL
from affidavit.contracts.ledger import EXAMPLE
from tests.support.vectors import Scenario, drop, edited, put, write

if TYPE_CHECKING:
    from collections.abc import Callable


def chained(count: int = 3) -> list[dict[str, Any]]:
    """A sound ledger of ours."""
    entries: list[dict[str, Any]] = []
    above = None
    for number in range(count):
        entry = {
            **copy.deepcopy(EXAMPLE),
            "run_id": f"hr_mk2h8w0{number}_1f2e3d4c",
            "timestamp": f"2026-01-06T12:00:0{number}.000Z",
            "prev_sha256": above,
        }
        entries.append(entry)
        above = KERNEL.digest(entry).content_hash
    return entries


def unchained() -> list[dict[str, Any]]:
    """The same as another writer has it."""
    return [{name: value for name, value in entry.items() if name != "prev_sha256"} for entry in chained()]


def lines(entries: list[dict[str, Any]]) -> bytes:
    return b"".join(canonical(entry) + b"\n" for entry in entries)


SCENARIOS = (
    Scenario("LD1-array", "a line is an array", "LD1 /2", put("/2", [])),
    Scenario("LD1-null", "a line is null", "LD1 /2", put("/2", None)),
    Scenario("LD1-run-id", "an entry has no run_id", "LD1 /2/run_id", drop("/2/run_id")),
    Scenario("LD1-run-id-empty", "a run_id is empty", "LD1 /2/run_id", put("/2/run_id", "")),
    Scenario("LD1-instant", "a timestamp is none", "LD1 /2/timestamp", put("/2/timestamp", "2026-01-06 12:00:02Z")),
    Scenario("LD1-kind", "a result kind is unknown", "LD1 /2/result_kind", put("/2/result_kind", "OK")),
    Scenario("LD1-accepted", "accepted is a number", "LD1 /2/accepted", put("/2/accepted", 1)),
    Scenario("LD1-mode", "a mode is unknown", "LD1 /2/mode", put("/2/mode", "live")),
    Scenario("LD1-policy", "no policy is named", "LD1 /2/policy", drop("/2/policy")),
    Scenario("LD1-bundle", "there is no bundle_sha256", "LD1 /2/bundle_sha256", drop("/2/bundle_sha256")),
    Scenario(
        "LD1-strict-accepted",
        "what asks for clarification is accepted",
        "LD1 /2/accepted",
        put("/2/result_kind", "CLARIFY"),
        level="strict",
    ),
    Scenario(
        "LD1-strict-bundle",
        "a BUNDLE has no bundle",
        "LD1 /2/bundle_sha256",
        put("/2/bundle_sha256", None),
        level="strict",
    ),
    Scenario(
        "LD2-earlier",
        "an entry is older than the one above",
        "LD2 /2/timestamp",
        put("/2/timestamp", "2026-01-06T12:00:00.999Z"),
    ),
    Scenario(
        "LD2-instant",
        "timestamps are compared as instants, not as texts",
        "LD2 /2/timestamp",
        put("/2/timestamp", "2026-01-06T12:00:00Z"),
    ),
    Scenario("LD3-twice", "a run stands twice", "LD3 /2/run_id", put("/2/run_id", "hr_mk2h8w00_1f2e3d4c")),
    Scenario("LD4-bare", "a hash is bare", "LD4 /2/intent_sha256", put("/2/intent_sha256", "0" * 64)),
    Scenario(
        "LD4-capitals", "a hash is in capitals", "LD4 /2/bundle_sha256", put("/2/bundle_sha256", "sha256:" + "A" * 64)
    ),
    Scenario("LD4-link", "a link is no hash", ["LD4 /2/prev_sha256"], put("/2/prev_sha256", "x")),
    Scenario("CHAIN-other", "a link is another's", "CHAIN /2/prev_sha256", put("/2/prev_sha256", "sha256:" + "0" * 64)),
    Scenario("CHAIN-null", "a link in the middle is null", "CHAIN /1/prev_sha256", put("/1/prev_sha256", None)),
    Scenario("CHAIN-absent", "a link is missing", "CHAIN /2", drop("/2/prev_sha256")),
    Scenario("CHAIN-changed", "a line was changed afterwards", "CHAIN /1/prev_sha256", put("/0/accepted", False)),
    Scenario("CHAIN-removed", "a line was taken out", "CHAIN /1/prev_sha256", drop("/1")),
    Scenario("CHAIN-beheaded", "the first line was taken out", "CHAIN /0/prev_sha256", drop("/0")),
)

VALID = (
    Scenario("valid-strict", "a ledger of ours", "valid", level="strict"),
    Scenario(
        "valid-equal-times",
        "two runs in one millisecond",
        "valid",
        put("/2/timestamp", "2026-01-06T12:00:01.000Z"),
        level="strict",
    ),
    Scenario(
        "valid-refused",
        "a refused run has no bundle",
        "valid",
        put("/2/result_kind", "REFUSE"),
        put("/2/bundle_sha256", None),
        put("/2/accepted", False),
        level="strict",
    ),
    Scenario("valid-unknown", "unknown members are ignored", "valid", put("/2/host", "x"), level="strict"),
    Scenario("valid-execution-mode", "another writer's mode", "valid", put("/2/mode", "execute-sandbox")),
)

#: What is done to the bytes of the ledger.
BYTES: tuple[tuple[str, str, str, list[str], Callable[[bytes], bytes]], ...] = (
    ("LD1-torn", "the last line is torn", "spec", ["LD1 /2"], lambda data: data[:-40]),
    ("LD1-blank", "a line is blank", "spec", ["LD1 /3"], lambda data: data + b"\n"),
    ("LD1-bom", "a byte order mark", "spec", ["LD1 /0"], lambda data: b"\xef\xbb\xbf" + data),
    ("LD1-two", "two entries stand on one line", "spec", ["LD1 /0"], lambda data: data.replace(b"}\n{", b"}{")),
    ("LD1-utf8", "a line is no UTF-8", "spec", ["LD1 /2"], lambda data: data[:-2] + b"\xff}\n"),
    ("LD1-duplicate", "a member stands twice", "spec", ["LD1 /2"], lambda data: data[:-2] + b',"mode":"none"}\n'),
    ("LD1-strict-spaces", "a line is not canonical", "strict", ["LD1 /2"], lambda data: data[:-2] + b" }\n"),
    ("LD1-strict-end", "the last line has no line end", "strict", ["LD1 /2"], lambda data: data[:-1]),
    ("valid-empty", "no run yet", "strict", [], lambda _: b""),
    ("valid-no-end", "the last line has no line end", "spec", [], lambda data: data[:-1]),
)


def main() -> None:
    write("ledger", "valid", "the ledger that the others differ from in one place", ["valid"], lines(chained()))
    write("ledger", "valid-unchained", "another writer's ledger, which is no chain", ["valid"], lines(unchained()))
    links = [f"CHAIN /{number}" for number in range(3)]
    write("ledger", "CHAIN-strict-none", "a ledger that is no chain", links, lines(unchained()), "strict")
    joined = [unchained()[0], *chained()[1:]]
    write("ledger", "CHAIN-first", "the first link names another line", ["CHAIN /1/prev_sha256"], lines(joined))
    for scenario in (*VALID, *SCENARIOS):
        body = lines(edited(chained(), *scenario.edits))
        write("ledger", scenario.name, scenario.scenario, scenario.expect, body, scenario.level)
    for name, scenario_told, level, expect, change in BYTES:
        write("ledger", name, scenario_told, expect or ["valid"], change(lines(chained())), level)

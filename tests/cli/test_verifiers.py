"""Every verifier of one document on the command line: its answer, its exit statuses, the reader's bounds."""

from __future__ import annotations

import importlib
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import MAX_BYTES, read
from affidavit.cli.input import stream_input, watched
from affidavit.contracts.patch import MOST_BYTES
from affidavit.contracts.policy import built_in
from tests.support.cli import COMMAND, affidavit, environment, on_terminal
from tests.vectors.make_ledger import chained, lines

if TYPE_CHECKING:
    from pathlib import Path

#: Each verb, the contract it is for, and what a valid document is answered with.
VERBS = {
    "runner-verify": ("runner", {"runner_hash"}),
    "run-verify": ("run", {"run_hash"}),
    "bundle-verify": ("bundle", {"bundle_hash"}),
    "patch-verify": ("patch", set()),
    "evidence-verify": ("evidence", {"evidence_hash", "not_checked"}),
    "model-io-verify": ("model_io", {"model_io_hash"}),
    "policy-verify": ("policy", {"policy_hash"}),
    "ledger-verify": ("ledger", {"entries", "last_sha256"}),
}


def example(document: str) -> bytes:
    if document == "ledger":
        return lines(chained())
    return canonical(importlib.import_module(f"affidavit.contracts.{document}").EXAMPLE) + b"\n"


def body_of(out: bytes) -> dict[str, Any]:
    body: Any = read(out)
    assert canonical(body) + b"\n" == out
    return body  # type: ignore[no-any-return]


@pytest.mark.parametrize("verb", VERBS)
def test_a_valid_document_has_status_0_from_a_file_and_from_standard_input(verb: str, tmp_path: Path) -> None:
    document, facts = VERBS[verb]
    path = tmp_path / "document"
    path.write_bytes(example(document))
    for level in ("spec", "compat", "strict"):
        ran = affidavit(verb, "--level", level, str(path))
        assert (ran.status, ran.err) == (0, b"")
        assert body_of(ran.out).keys() == {"ok", *facts}
        assert affidavit(verb, "-", "--level", level, stdin=example(document)).out == ran.out


@pytest.mark.parametrize("verb", VERBS)
def test_findings_have_status_3(verb: str) -> None:
    ran = affidavit(verb, "-", stdin=b"{}\n")
    body = body_of(ran.out)
    assert ran.status == 3
    assert body["ok"] is False
    assert body["violations"]


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_not_json_has_status_2_and_what_cannot_be_read_1(verb: str, tmp_path: Path) -> None:
    ran = affidavit(verb, "-", stdin=b'{"a":1,"a":2}')
    body = body_of(ran.out)
    if verb == "ledger-verify":  # a line that is no JSON is a finding of LD1: the other lines are examined all the same
        assert (ran.status, body["violations"][0]["rule_id"]) == (3, "LD1")
    else:
        assert (ran.status, body["ok"], body["error"]["code"]) == (2, False, "JSON_DUPLICATE_KEY")
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "absent", tmp_path, tmp_path / "fifo", "/dev/zero"):
        ran = affidavit(verb, str(path))
        assert (ran.status, body_of(ran.out)["error"]["code"]) == (1, "IO")


@pytest.mark.parametrize("verb", VERBS)
def test_a_sparse_file_of_ten_gigabytes_is_refused_soon(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        os.truncate(file.fileno(), 10 << 30)
    if verb == "ledger-verify":
        os.truncate(path, 256 << 20)  # a ledger may be of any length: this one is read, as one endless line
    ran = affidavit(verb, str(path), timeout=120)
    assert ran.status == (3 if verb == "ledger-verify" else 2)


def test_a_larger_document_is_read_when_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "runner.json"
    with path.open("wb") as file:
        file.write(example("runner") + b" " * MAX_BYTES)
    ran = affidavit("runner-verify", str(path))
    assert (ran.status, body_of(ran.out)["error"]["code"]) == (2, "JSON_TOO_LARGE")
    assert affidavit("runner-verify", "--max-bytes", str(2 * MAX_BYTES), str(path)).status == 0
    for wrong in ("x", "-1", "1e9", "\u0661"):
        assert affidavit("runner-verify", f"--max-bytes={wrong}", str(path)).status == 1


def test_ledger_verify_names_the_first_broken_link() -> None:
    entries = chained(8)
    entries[3]["accepted"] = False
    entries[5]["accepted"] = False
    ran = affidavit("ledger-verify", "-", stdin=lines(entries))
    assert ran.status == 3
    (found,) = body_of(ran.out)["violations"]
    assert (found["rule_id"], found["path"]) == ("CHAIN", "/4/prev_sha256")
    assert "line 5" in found["message"]


def test_a_ledger_is_never_held_in_memory() -> None:
    """200 MB of ledger in a process that may have less than that, all in all."""
    entry = lines(chained(1))
    limit = 128 << 20
    probe = (
        "import resource, sys, runpy\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))\n"
        "sys.argv = ['affidavit', 'ledger-verify', '-']\n"
        "runpy.run_module('affidavit', run_name='__main__')\n"
    )
    process = subprocess.Popen(
        [COMMAND[0], "-c", probe], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(),
    )  # fmt: skip
    assert process.stdin is not None
    piece = b'{"x":"' + b"y" * 20_000 + b'"}\n'
    process.stdin.write(entry)
    for _ in range(200):
        process.stdin.write(piece * 50)
    out, err = process.communicate(timeout=300)
    assert err == b""
    assert process.returncode == 3
    assert body_of(out)["violations"][0]["path"] == "/1/accepted"


def test_patch_verify_judges_by_the_limit_of_a_profile(tmp_path: Path) -> None:
    profile = {**built_in("dev"), "name": "mine", "max_total_output_bytes": 1024}
    (tmp_path / "mine.json").write_bytes(canonical(profile))
    patch: Any = read(example("patch"))
    patch["operations"][1].update(content="x" * 1025, size_bytes=1025)
    patch["operations"][1].pop("expected_hash", None)
    patch["total_bytes"] = sum(len(operation.get("content", "")) for operation in patch["operations"])
    assert patch["total_bytes"] < MOST_BYTES
    path = tmp_path / "patch.json"
    path.write_bytes(canonical(patch))
    assert affidavit("patch-verify", str(path)).status == 0
    ran = affidavit("patch-verify", "--policy-file", str(tmp_path / "mine.json"), str(path))
    assert (ran.status, body_of(ran.out)["violations"][0]["rule_id"]) == (3, "PS7")


def test_a_person_is_told_where_to_read_on(tmp_path: Path) -> None:
    path = tmp_path / "patch.json"
    path.write_bytes(b"{}")
    ran = on_terminal("patch-verify", "--color=never", str(path))
    assert ran.status == 3
    assert b"  what the rules say: affidavit explain PS1 PS7 SCHEMA\n" in ran.out


def test_how_far_a_long_ledger_is_is_told_with_each_piece(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"x" * (3 << 20))
    told: list[tuple[int, int]] = []
    pieces = list(watched(stream_input(str(path)), str(path), lambda done, total: told.append((done, total))))
    assert sum(map(len, pieces)) == 3 << 20
    assert told == [(done << 20, 3 << 20) for done in (1, 2, 3)]
    told.clear()
    list(watched([b"ab", b"c"], "-", lambda done, total: told.append((done, total))))
    assert told == [(2, 2), (3, 3)]  # nobody knows how long standard input is

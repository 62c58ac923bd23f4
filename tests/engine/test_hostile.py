"""Sealed runs that somebody made up: whatever is in them gives a report, and nothing in it commands a terminal."""

from __future__ import annotations

import copy
import http.server
import multiprocessing
import os
import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affidavit.canon.jcs import canonical
from affidavit.contracts.engine_family import INPUT, MANIFEST, OUTPUT, SUMS
from affidavit.engine.bundle import verify_engine_bundle
from affidavit.engine.judge import judge
from affidavit.engine.sealing import Refusal, Sealed
from affidavit.rules.model import Report
from affidavit.rules.report import as_json, as_lines
from tests.properties.test_total import OTHERS, container_of, places
from tests.support.cli import affidavit, on_terminal
from tests.support.engine_folders import engine_folder, seal, sealed, write
from tests.support.engines import Files, examined, listed_again, replaced, sealed_files, value
from tests.support.values import json_values
from tests.vectors.make_engine_bundle import fused

if TYPE_CHECKING:
    from pathlib import Path

LEVELS = ("spec", "compat", "strict")
BUNDLES = {"plain": sealed_files(), "fused": fused()}
JSON = sorted(name for name in BUNDLES["plain"] if name.endswith(".json"))


@pytest.mark.parametrize("kind", BUNDLES)
@given(data=st.data())
def test_any_value_in_place_of_any_member_of_any_file_gives_a_report(kind: str, data: st.DataObject) -> None:
    files = BUNDLES[kind]
    name = data.draw(st.sampled_from(JSON))
    document = value(files, name)
    place = data.draw(st.sampled_from(list(places(document))))
    container_of(document, place)[place[-1]] = data.draw(json_values())
    changed = replaced(files, name, document)
    report = examined(
        listed_again(changed) if data.draw(st.booleans()) else changed, level=data.draw(st.sampled_from(LEVELS))
    )
    assert isinstance(report, Report)
    assert as_json(report)["ok"] is report.ok
    assert as_lines(report, name="x", verbose=True)


@pytest.mark.parametrize("name", [INPUT, OUTPUT])
def test_every_other_type_in_the_results_of_others_gives_a_report(name: str) -> None:
    files = BUNDLES["fused"]
    for place in places(value(files, name)):
        for other in OTHERS:
            document = copy.deepcopy(value(files, name))
            container_of(document, place)[place[-1]] = other
            assert isinstance(examined(listed_again(replaced(files, name, document))), Report)


@given(st.dictionaries(st.sampled_from(sorted(BUNDLES["plain"])), st.text(max_size=40), max_size=6))
def test_any_text_for_any_file_gives_a_report(garbage: Files) -> None:
    report = examined(BUNDLES["plain"] | garbage)
    assert report.ok == all(BUNDLES["plain"][name] == text for name, text in garbage.items())


def test_an_older_writers_spelling_is_a_warning_at_compat() -> None:
    """Its sums are of the values (seed 002), its files are indented."""
    from json import dumps

    files = BUNDLES["plain"]
    indented = files | {name: dumps(value(files, name), indent=2, ensure_ascii=False) for name in JSON}
    strict = examined(indented)
    assert {found.rule_id for found in strict.findings} == {"NON_CANONICAL_BYTES"}
    compat = examined(indented, level="compat")
    assert compat.ok, compat
    assert {told["code"] for told in compat.facts["warnings"]} == {"NON_CANONICAL_BYTES"}


def test_nothing_in_a_bundle_commands_a_terminal(tmp_path: Path) -> None:
    run = sealed(str(tmp_path))
    evil = "\x1b]0;owned\x07\u202e"
    write(run.path, f"{evil}.txt", b"")
    write(run.path, MANIFEST, canonical({"engine_code": evil, evil: evil}))
    write(run.path, "INPUT_SCHEMA.json", canonical({"properties": {evil: {"type": evil}}}))
    write(run.path, SUMS, evil.encode())
    shown = on_terminal("verify", "--color=never", run.path)
    assert shown.status == 1
    assert b"\x1b" not in shown.out
    assert "\u202e".encode() not in shown.out


def test_a_reference_never_reaches_a_server() -> None:
    """Also not one that answers."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Nothing to standard error."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        judge({"$ref": f"http://127.0.0.1:{server.server_port}/schema"}, (1,))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert asked == []


def _seal_one(place: str) -> bool:
    outcome = seal(place, engine=os.path.join(place, "engine"))
    assert isinstance(outcome, (Sealed, Refusal))
    return isinstance(outcome, Sealed)


def test_of_many_who_seal_one_run_id_one_does(tmp_path: Path) -> None:
    engine_folder(str(tmp_path / "engine"))
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        outcomes = pool.map(_seal_one, [str(tmp_path)] * 8, chunksize=1)
    assert outcomes.count(True) == 1
    assert os.listdir(tmp_path / "RUN_BUNDLE") == ["run-0001"]
    assert verify_engine_bundle(tmp_path / "RUN_BUNDLE" / "run-0001").ok


def test_where_nothing_can_be_written_it_says_so(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    files = {"in.json": BUNDLES["plain"][INPUT], "out.json": BUNDLES["plain"][OUTPUT], "taken": ""}
    places = {name: write(str(tmp_path), name, text.encode()) for name, text in files.items()}
    words = ("engine", "seal", engine, "--input", places["in.json"], "--output", places["out.json"])
    ran = affidavit(*words, "--out", places["taken"])
    assert (ran.status, b"Traceback" in ran.err) == (2, False), ran
    assert b"taken" in ran.err


def test_a_directory_that_is_none_is_told(tmp_path: Path) -> None:
    os.symlink(sealed(str(tmp_path)).path, tmp_path / "link")
    for path in ("link", "none"):
        ran = affidavit("replay", str(tmp_path / path))
        assert (ran.status, b"Traceback" in ran.err) == (2, False), ran

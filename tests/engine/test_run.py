"""`engine run`: the entrypoint in the sandbox, and what it made sealed or refused (contracts 3)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.engine.bundle import verify_engine_bundle
from affidavit.engine.run import run_engine
from affidavit.engine.sealing import Refusal, Sealed
from tests.support.cli import COMMAND, affidavit, environment
from tests.support.engine_folders import INPUT, engine_folder, write

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.sandbox

#: An engine that answers; `{more}` runs first.
PROGRAM = """import json
import sys

given = json.load(sys.stdin)
peak = {{"value": 12.5, "unit": "Hz"}}
metrics = {{"iterations": 3}}
{more}
engine = {{"engine_code": "SPECTRA", "engine_version": "1.0.0"}}
made = {{"run_id": given["run_id"], "engine": engine, "outputs": {{"peak": peak}}, "metrics": metrics}}
made["semantics"] = "DETERMINISTIC_TRANSFORM"
json.dump(made, sys.stdout)
"""


def ran(tmp_path: Path, more: str = "", **options: Any) -> Any:
    engine = engine_folder(str(tmp_path / "engine"), program=PROGRAM.format(more=more))
    return run_engine(engine, canonical(INPUT), out=tmp_path / "RUN_BUNDLE", **options)


def document(run: Any, name: str) -> Any:
    assert isinstance(run, Sealed), run
    with open(os.path.join(run.path, name), "rb") as file:
        return read(file.read())


def refused(outcome: Any, tmp_path: Path) -> list[tuple[str, str]]:
    assert isinstance(outcome, Refusal), outcome
    assert not os.path.exists(tmp_path / "RUN_BUNDLE")
    return [(found.rule_id, found.path) for found in outcome.findings]


def test_an_engine_runs_and_what_it_made_is_sealed(tmp_path: Path) -> None:
    run = ran(tmp_path, verify_determinism=True)
    assert verify_engine_bundle(run.path).ok
    meta = document(run, "RUN_META.json")
    assert meta["entrypoint"] == ["python3", "engine.py"]
    assert meta["interpreter"]["version"].startswith("Python 3")
    assert meta["environment"]["PYTHONHASHSEED"] == "0"
    assert document(run, "RUN_OUTPUT.json")["outputs_hash"].startswith("c4b472ea")  # the contract's vector


def test_the_engine_is_given_the_stripped_input_as_its_canonical_bytes(tmp_path: Path) -> None:
    more = 'sys.stdin.close(); metrics["keys"] = sorted(given["context"])'
    engine = engine_folder(str(tmp_path / "engine"), program=PROGRAM.format(more=more))
    given = canonical(INPUT | {"context": {"note": 1, "userId": 2}})
    run = run_engine(engine, given, out=tmp_path / "RUN_BUNDLE")
    assert document(run, "RUN_OUTPUT.json")["metrics"] == {"iterations": 3, "keys": ["note"]}


def test_the_engine_sees_no_network_and_cannot_write_its_folder(tmp_path: Path) -> None:
    more = """
import os, socket
try:
    socket.create_connection(("127.0.0.1", 9), timeout=5)
except OSError:
    pass
metrics["interfaces"] = [name for _, name in socket.if_nameindex()]
metrics["host"] = sorted(name for name in ("HOME", "USER", "SECRET") if os.environ.get(name, "/tmp") != "/tmp")
try:
    open("engine.py", "a")
except OSError as error:
    metrics["folder"] = error.errno in (13, 30)
"""
    run = ran(tmp_path, more)
    assert document(run, "RUN_OUTPUT.json")["metrics"] == {
        "iterations": 3,
        "interfaces": ["lo"],
        "host": [],
        "folder": True,
    }


@pytest.mark.parametrize(
    ("more", "code", "place", "told"),
    [
        ("sys.exit(3)", "ENGINE_FAILED", "RUN_OUTPUT.json", "status 3"),
        ('raise ValueError("no peak")', "ENGINE_FAILED", "RUN_OUTPUT.json", "no peak"),
        ('print("not JSON")', "R3", "RUN_OUTPUT.json", "byte"),
        ("peak = None", "R3", "RUN_OUTPUT.json#/outputs/peak", "null"),
        ('metrics["username"] = 1', "FORBIDDEN_KEY", "RUN_OUTPUT.json#/metrics/username", "username"),
    ],
)
def test_what_fails_or_is_wrong_is_not_sealed(more: str, code: str, place: str, told: str, tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), program=PROGRAM.format(more=more))
    schema: Any = {"properties": {"outputs": {"properties": {"peak": {"type": "object"}}}}}
    write(engine, "OUTPUT_SCHEMA.json", canonical(schema))
    outcome = run_engine(engine, canonical(INPUT), out=tmp_path / "RUN_BUNDLE")
    assert refused(outcome, tmp_path) == [(code, place)]
    assert told in outcome.findings[0].found  # type: ignore[union-attr]


def test_an_engine_that_runs_too_long_is_stopped(tmp_path: Path) -> None:
    from affidavit.engine.execute import execute

    engine = engine_folder(str(tmp_path / "engine"), program="import time\ntime.sleep(600)\n")
    stopped = execute(engine, ["python3", "engine.py"], b"", timeout_ms=1000)
    assert (stopped.worked, stopped.observation.outcome) == (False, "timed_out")
    assert "timed out" in stopped.why()


def test_two_runs_that_differ_are_not_sealed(tmp_path: Path) -> None:
    outcome = ran(tmp_path, 'import time; metrics["at"] = {"ns": time.time_ns() % 10**15}', verify_determinism=True)
    assert refused(outcome, tmp_path) == [("NOT_DETERMINISTIC", "RUN_OUTPUT.json#/metrics/at/ns")]


def test_a_wrong_input_is_refused_before_anything_runs(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), program="raise SystemExit('it ran')")
    outcome = run_engine(engine, canonical(INPUT | {"parameters": {}}), out=tmp_path / "RUN_BUNDLE")
    assert refused(outcome, tmp_path) == [("R2", "RUN_INPUT.json#/parameters")]


def test_an_interrupted_run_seals_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), program="import time\ntime.sleep(600)\n")
    given = write(str(tmp_path), "in.json", canonical(INPUT))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "engine", "run", engine, "--input", given],
        cwd=tmp_path,
        env=environment(TMPDIR=str(scratch)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        # the interpreter was asked for its version in the first such directory; the program sleeps in a later one
        seen: set[str] = set()
        deadline = time.monotonic() + 60
        while len(seen) < 2 and time.monotonic() < deadline:
            seen.update(os.listdir(scratch))
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert os.listdir(scratch) == []
    assert not os.path.exists(tmp_path / "RUN_BUNDLE")


def test_an_engine_without_entrypoint_is_not_run(tmp_path: Path) -> None:
    outcome = run_engine(engine_folder(str(tmp_path / "engine")), canonical(INPUT), out=tmp_path / "RUN_BUNDLE")
    assert refused(outcome, tmp_path) == [("ENTRYPOINT", "ENGINE_MANIFEST.json")]


def test_an_engine_that_changes_while_it_runs_is_not_sealed(tmp_path: Path) -> None:
    from affidavit.engine.sealing import Sealing
    from affidavit.kernel.seal import Given
    from tests.support.engine_folders import OUTPUT

    engine = engine_folder(str(tmp_path / "engine"), program="pass\n")
    sealing = Sealing(engine, str(tmp_path / "RUN_BUNDLE"))
    assert sealing.take_input(canonical(INPUT), Given()) is None
    assert sealing.take_output(canonical(OUTPUT)) is None
    write(engine, "engine.py", b"other\n")
    assert refused(sealing.seal(sealing.origin()), tmp_path) == [("ENGINE_CHANGED", "ENGINE_MANIFEST.json")]


def test_an_engine_of_its_own_file_runs(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), entrypoint=["./engine"])
    path = write(engine, "engine", b"#!/usr/bin/env python3\n" + PROGRAM.format(more="").encode())
    os.chmod(path, 0o755)
    run = run_engine(engine, canonical(INPUT), out=tmp_path / "RUN_BUNDLE")
    assert document(run, "RUN_META.json")["interpreter"] is None


def test_an_entrypoint_that_is_not_there_fails_and_says_so(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), entrypoint=["no-such-program"])
    outcome = run_engine(engine, canonical(INPUT), out=tmp_path / "RUN_BUNDLE")
    assert refused(outcome, tmp_path) == [("ENGINE_FAILED", "RUN_OUTPUT.json")]
    assert "not found" in outcome.findings[0].found  # type: ignore[union-attr]


def test_only_the_entrypoints_command_exists_inside(tmp_path: Path) -> None:
    more = 'import shutil; metrics["there"] = [name for name in ("python3", "node", "git") if shutil.which(name)]'
    run = ran(tmp_path, more)
    assert document(run, "RUN_OUTPUT.json")["metrics"]["there"] == ["python3"]


def test_the_command_runs_and_tells(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), program=PROGRAM.format(more=""))
    given = write(str(tmp_path), "in.json", canonical(INPUT))
    first = affidavit("engine", "run", engine, "--input", given, "--verify-determinism", cwd=str(tmp_path), timeout=120)
    assert first.status == 0, first
    told: Any = read(affidavit("engine", "run", engine, "--input", given, cwd=str(tmp_path), timeout=120).out)
    assert told["violations"][0]["rule_id"] == "RUN_EXISTS"
    replayed = affidavit("replay", "RUN_BUNDLE/run-0001", "--engine", engine, cwd=str(tmp_path), timeout=120)
    body: Any = read(replayed.out)
    assert (replayed.status, body["verdict"]) == (0, "identical")
    assert {check["status"] for check in body["checks"].values()} == {"pass"}

"""Replay: R1-R6 told one by one, and the verdict on running it again (seed 002, Replay Rules; contracts 3)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.engine.run import run_engine
from affidavit.engine.sealing import Sealed, seal_output
from affidavit.errors import UsageError
from affidavit.replay.conditions import Conditions
from affidavit.replay.engine import replay_engine
from affidavit.replay.hold import copy_in_another_order, ordered_place
from affidavit.replay.normalise import Normalisers
from affidavit.replay.verdict import compare
from affidavit.replay.versions import Allowed
from tests.engine.test_run import PROGRAM
from tests.support.cli import affidavit, on_terminal
from tests.support.engine_folders import INPUT, OUTPUT, engine_folder, sealed, write

if TYPE_CHECKING:
    from pathlib import Path

    from affidavit.replay.result import Replayed

SHOWN = ["R1", "R2", "R3", "R4", "R5", "R6"]


def run(tmp_path: Path, more: str = "") -> tuple[str, str]:
    engine = engine_folder(str(tmp_path / "engine"), program=PROGRAM.format(more=more))
    outcome = run_engine(engine, canonical(INPUT), out=tmp_path / "RUN_BUNDLE")
    assert isinstance(outcome, Sealed), outcome
    return outcome.path, engine


def statuses(replayed: Replayed) -> dict[str, str]:
    return {check.id: check.status for check in replayed.checks}


@pytest.mark.sandbox
def test_an_engine_that_does_the_same_is_identical(tmp_path: Path) -> None:
    replayed = replay_engine(*run(tmp_path), times=3)
    assert replayed.verdict == "identical"
    assert statuses(replayed) == dict.fromkeys(SHOWN, "pass")
    assert replayed.outcome is not None
    assert replayed.outcome.tries == 3


@pytest.mark.sandbox
def test_another_output_is_different_at_its_first_place(tmp_path: Path) -> None:
    path, engine = run(tmp_path, 'import time; metrics["at"] = time.time()')
    replayed = replay_engine(path, engine)
    assert replayed.verdict == "different"
    assert replayed.outcome is not None
    assert [one.place for one in replayed.outcome.compared] == ["/metrics/at"]
    assert [cause.name for cause in replayed.outcome.causes] == ["time"]


@pytest.mark.sandbox
def test_a_declared_timestamp_is_no_difference(tmp_path: Path) -> None:
    path, engine = run(tmp_path, 'import time; metrics["at"] = time.time()')
    replayed = replay_engine(path, engine, normalisers=Normalisers(["timestamps=/metrics/at"]))
    assert replayed.verdict == "equivalent"
    assert replayed.outcome is not None
    assert replayed.outcome.declared == ["timestamps=/metrics/at"]


@pytest.mark.sandbox
def test_R6_another_version_or_another_file_is_not_replayed(tmp_path: Path) -> None:
    path, engine = run(tmp_path)
    write(engine, "more.py", b"")
    other_file = replay_engine(path, engine)
    assert (statuses(other_file)["R6"], other_file.verdict) == ("fail", "not_replayable")
    assert other_file.outcome is None
    os.remove(os.path.join(engine, "more.py"))
    assert replay_engine(path, engine).verdict == "identical"
    newer = engine_folder(str(tmp_path / "newer"), program=PROGRAM.format(more=""), engine_version="1.0.1")
    write(newer, "OUTPUT_SCHEMA.json", b'{"type":"object"}')
    assert statuses(replay_engine(path, newer))["R6"] == "fail"


@pytest.mark.sandbox
def test_R6_a_version_that_the_operator_allows_is_replayed(tmp_path: Path) -> None:
    path, _ = run(tmp_path)
    newer = engine_folder(str(tmp_path / "newer"), program=PROGRAM.format(more=""), engine_version="1.0.1")
    write(newer, "OUTPUT_SCHEMA.json", b'{"type":"object"}')
    listed = {"engines": [{"engine_code": "SPECTRA", "recorded": "1.0.0", "replay": "1.0.1"}]}
    replayed = replay_engine(path, newer, allowed=Allowed(canonical(listed)))
    assert (statuses(replayed)["R6"], replayed.verdict) == ("pass", "identical")
    exact = {"engines": [{"engine_code": "SPECTRA", "recorded": "1.0.0", "replay": "1.0.2"}]}
    assert statuses(replay_engine(path, newer, allowed=Allowed(canonical(exact))))["R6"] == "fail"


@pytest.mark.sandbox
def test_R6_another_interpreter_is_not_the_one_of_the_run(tmp_path: Path) -> None:
    import shutil

    from tests.support.engines import listed_again

    path, engine = run(tmp_path)
    files = {}
    for name in os.listdir(path):
        with open(os.path.join(path, name), encoding="utf-8") as file:
            files[name] = file.read()
    meta: Any = read(files["RUN_META.json"].encode())
    now = meta["interpreter"]["version"]
    meta["interpreter"]["version"] = "Python 3.0.0"
    files = listed_again(files | {"RUN_META.json": canonical(meta).decode()})
    shutil.rmtree(path)
    os.mkdir(path)
    for name, text in files.items():
        write(path, name, text.encode())
    assert statuses(replay_engine(path, engine))["R6"] == "fail"
    listed = {"interpreters": [{"interpreter": "python3", "recorded": "Python 3.0.0", "replay": now}]}
    assert replay_engine(path, engine, allowed=Allowed(canonical(listed))).verdict == "identical"


def test_every_condition_is_told_and_never_stops_at_the_first(tmp_path: Path) -> None:
    place = sealed(str(tmp_path)).path
    write(place, "RUN_INPUT.json", canonical(INPUT | {"inputs": {"samples": ["x"]}}))
    write(place, "SEALING_SPEC.md", b"other")
    os.remove(os.path.join(place, "RUN_OUTPUT.json"))
    replayed = replay_engine(place)
    assert statuses(replayed) == {
        "R1": "fail",
        "R2": "fail",
        "R3": "not_checked",
        "R4": "fail",
        "R5": "fail",
        "R6": "not_checked",
    }
    assert any("RUN_INPUT.json#/inputs/samples/0" in told for check in replayed.checks for told in check.told)
    assert replayed.missing


def test_without_the_engine_it_says_what_is_missing(tmp_path: Path) -> None:
    replayed = replay_engine(sealed(str(tmp_path)).path)
    assert replayed.verdict == "not_replayable"
    assert statuses(replayed) == dict.fromkeys(SHOWN[:5], "pass") | {"R6": "not_checked"}
    assert replayed.missing == ["the engine: name its folder with --engine DIR"]


@pytest.mark.sandbox
def test_an_output_from_elsewhere_is_replayed_by_the_engine_that_is_at_hand(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"), program=PROGRAM.format(more=""))
    outcome = seal_output(engine, canonical(INPUT), canonical(OUTPUT), out=tmp_path / "RUN_BUNDLE")
    assert isinstance(outcome, Sealed)
    assert replay_engine(outcome.path, engine).verdict == "identical"
    nothing = seal_output(
        engine,
        canonical(INPUT | {"run_id": "b"}),
        canonical(OUTPUT | {"run_id": "b", "metrics": {}}),
        out=tmp_path / "RUN_BUNDLE",
    )
    assert isinstance(nothing, Sealed)
    replayed = replay_engine(nothing.path, engine)
    assert replayed.verdict == "different"
    assert replayed.outcome is not None
    assert [(cause.name, cause.certain) for cause in replayed.outcome.causes] == [("conditions", False)]


@pytest.mark.sandbox
def test_the_command_tells_a_person(tmp_path: Path) -> None:
    path, engine = run(tmp_path, 'import time; metrics["at"] = time.time()')
    shown = on_terminal("replay", path, "--engine", engine, "--color=never", timeout=200)
    assert shown.status == 1
    for told in (b"different", b"R6  pass", b"RUN_OUTPUT.json: different at /metrics/at", b"cause: time"):
        assert told in shown.out, shown
    wrong = affidavit("replay", path, "--vary", "weather")
    assert (wrong.status, b"weather" in wrong.err) == (3, True)
    assert affidavit("replay", path, "--times", "0").status == 3
    assert affidavit("replay", path).status == 2


# Without running anything.


def verdict(sealed: bytes, replayed: bytes, *spoken: str) -> tuple[str, str]:
    (one,) = compare({"out": sealed}, {"out": replayed}, Normalisers(spoken))
    return one.verdict, one.place


def test_bytes_are_identical_or_they_are_not() -> None:
    assert verdict(b"a\nb", b"a\nb") == ("identical", "")
    assert verdict(b"a\nb", b"a\nc") == ("different", "line 2")
    assert verdict(b'{"a":1}', b'{"a":2}') == ("different", "/a")
    assert verdict(b'{"a":1}', b'{"a":1,"b":[]}') == ("different", "/b")
    assert verdict(b"[1,2]", b"[1]") == ("different", "/1")
    assert verdict(b'{"a":1,"b":2}', b'{"b":2,"a":1}') == ("different", "")


def test_each_normaliser_holds_its_own_difference_for_none_and_no_other() -> None:
    assert verdict(b'{"a":1,"b":2}', b'{"b":2, "a":1}', "key-order") == ("equivalent", "")
    assert verdict(b'{"a":1,"b":2}', b'{"b":2, "a":3}', "key-order") == ("different", "/a")
    assert verdict(b'{"a":1.0000001}', b'{"a":1.0000002}', "float-tolerance=1e-6") == ("equivalent", "/a")
    assert verdict(b'{"a":1.0000001}', b'{"a":1.0000002}', "float-tolerance=1e-9") == ("different", "/a")
    assert verdict(b'{"a":1e9}', b'{"a":1000000001}', "float-tolerance=1e-8") == ("equivalent", "/a")
    assert verdict(b'{"a":"1"}', b'{"a":"2"}', "float-tolerance=0.5") == ("different", "/a")
    first, second = b'{"at":"2026-01-06T12:00:00Z"}', b'{"at":"2026-01-07T12:00:00.5+00:00"}'
    assert verdict(first, second, "timestamps=/at") == ("equivalent", "/at")
    assert verdict(first, second, "timestamps=/other") == ("different", "/at")
    assert verdict(first, b'{"at":"never"}', "timestamps=/at") == ("different", "/at")
    assert verdict(b"b\na", b"a\nb", "line-order") == ("equivalent", "line 1")
    assert verdict(b"b\na", b"a\nc", "line-order") == ("different", "line 1")
    assert verdict(b"b\na", b"a\nb", "key-order") == ("different", "line 1")


def test_an_outputs_own_hash_follows_from_what_may_differ() -> None:
    sealed, replayed = (canonical({"outputs": n, "outputs_hash": f"{n:.9f}"}) for n in (0.5, 0.5000001))
    assert verdict(sealed, replayed, "float-tolerance=1e-6") == ("equivalent", "/outputs")
    assert verdict(sealed, replayed) == ("different", "/outputs")


@pytest.mark.parametrize(
    "text",
    [
        "weather",
        "key-order=1",
        "float-tolerance",
        "float-tolerance=x",
        "float-tolerance=nan",
        "float-tolerance=2",
        "timestamps=a",
    ],
)
def test_a_normaliser_is_declared_exactly(text: str) -> None:
    with pytest.raises(UsageError):
        Normalisers([text])


@pytest.mark.parametrize("data", [b"{}", b'{"engines":[]}'])
def test_by_default_no_version_is_allowed(data: bytes) -> None:
    assert not Allowed(data).engine("SPECTRA", "1.0.0", "1.0.1")


def test_a_list_of_versions_that_is_none_is_told() -> None:
    for data in (
        b'{"engines":[{"engine_code":"X"}]}',
        b'{"engine":[]}',
        b'{"engines":[{"engine_code":"*","recorded":"1","replay":"2","more":3}]}',
    ):
        with pytest.raises(UsageError):
            Allowed(data)


def test_each_attempt_has_conditions_of_its_own() -> None:
    everything = ["tz", "locale", "hostname", "cwd", "uid", "hashseed", "time", "pid"]
    seen = set()
    for attempt in range(6):
        conditions = Conditions(everything, attempt=attempt)  # type: ignore[arg-type]
        setting = conditions.setting("/engine")
        environment = conditions.environment({"PYTHONHASHSEED": "0"})
        seen.add(
            (setting.uid, setting.hostname, setting.directory, setting.locale, setting.timezone, *environment.values())
        )
    assert len(seen) == 6
    usual = Conditions().setting("/engine")
    assert (usual.uid, usual.hostname, usual.timezone) == (1000, "sandbox", "UTC")


def test_a_copy_lists_its_files_in_another_order(tmp_path: Path) -> None:
    for number in range(12):
        write(str(tmp_path), f"{number}.txt", b"")
    place = ordered_place()
    if place is None:
        assert not os.path.isdir("/dev/shm")
        return
    import tempfile

    orders = set()
    for seed in range(4):
        with tempfile.TemporaryDirectory(dir=place) as copy:
            copy_in_another_order(str(tmp_path), copy, seed)
            orders.add(tuple(os.listdir(copy)))
    assert len(orders) == 4
    assert {frozenset(order) for order in orders} == {frozenset(os.listdir(tmp_path))}

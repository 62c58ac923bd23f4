"""What the store does to a folder, as scenarios: how the folder is before, what is done, and what must hold after it
was cut off anywhere.

`judge` is given the folder as the crash left it, and whether the process said that it was done. It reads strictly
first, then recovers as the next user would, and reads again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from affidavit.contracts.ledger import verify_ledger
from affidavit.store import publish
from affidavit.store.abandon import abandon, abandon_all
from affidavit.store.ledger import entry_of_run
from affidavit.store.out import OutFolder, read_latest
from affidavit.store.reader import Refused, load_bundle
from affidavit.store.reindex import reindex_bundle
from affidavit.store.remove import remove
from affidavit.store.writer import begin
from tests.support.runs import result_of

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = {"stdout": b"hello\n", "stderr": b"", "outputs/deep/page": b"<p>\n" * 40_000}


class Scenario:
    """`prepare` makes a folder, `act` is what is cut off, `judge` holds what is left against what must be."""

    def __init__(
        self, prepare: Callable[[str], None], act: Callable[[str], None], judge: Callable[[str, bool], None]
    ) -> None:
        self.prepare = prepare
        self.act = act
        self.judge = judge


def write_run(out: str, run_id: str, *, end: str = "commit") -> None:
    """A run with a result, a few files and a stream, ended as it says; or left to itself."""
    run = result_of(run_id)
    writer = begin(
        out, run_id, plan_id="harness", plan_digest="0" * 64, world_id="linux-x64-0123456789abcdef", channel="direct"
    )
    with writer:
        for path, data in FILES.items():
            writer.put(path, data)
        writer.put_json("run.json", run)
        writer.put_stream("outputs/stream", (b"x" * 70_000 for _ in range(2)))
        if end == "commit":
            writer.commit(ledger=entry_of_run(run))
        elif end == "fail":
            writer.fail("the disk said no")
        else:
            writer.close()


def _one_run(place: str) -> None:
    write_run(place + "/out", "run-1")


def is_loaded(out: str, run_id: str) -> bool:
    """True for a run that is read strictly, False for one that is visibly unfinished or not there."""
    run = os.path.join(out, run_id)
    if not os.path.exists(run):
        return False
    try:
        bundle = load_bundle(run)
    except Refused as error:
        if error.code not in ("bundle.in_progress", "index.invalid") or os.path.exists(run + "/artifact_index.json"):
            raise
        return False
    if bundle.index["status"] != "failed":  # which may have ended before it had them
        assert all(bundle.read(path) == data for path, data in FILES.items())
    return True


def recovered(out: str) -> None:
    """What the next user of the folder does: takes the lock, closes what crashed, tidies up."""
    with OutFolder(out) as folder:
        folder.tidy()
    assert all(why == "" for _, why in abandon_all(out))


def judge_folder(out: str, *, loads: set[str], may_load: set[str] = frozenset(), listed: set[str]) -> set[str]:  # type: ignore[assignment]
    """The runs that load, before and after recovery; those of `loads` always do. Nothing else is ever there."""
    committed = {run_id for run_id in loads | may_load if is_loaded(out, run_id)}
    assert loads <= committed, f"lost: {loads - committed}"
    assert load_bundle(out).run_id in committed
    recovered(out)
    for run_id in committed:
        assert is_loaded(out, run_id), "recovery broke a committed run"
    latest = load_bundle(out)
    assert latest.index["status"] != "failed" or latest.run_id in committed
    with open(out + "/ledger.jsonl", "rb") as file:
        lines = file.read()
    assert verify_ledger(lines, level="strict").ok
    told = [line.split(b'"run_id":"')[1].split(b'"')[0].decode() for line in lines.splitlines()]
    assert set(told) == listed | {run_id for run_id in committed if _is_result(out, run_id)}
    assert len(told) == len(set(told))
    hidden = {name for name in os.listdir(out) if name.startswith((publish.ASIDE, ".removed-"))}
    assert hidden == set()
    for run_id in may_load - committed:
        if os.path.exists(os.path.join(out, run_id)):
            assert load_bundle(os.path.join(out, run_id)).index["status"] == "failed", "not closed"
    return committed


def _is_result(out: str, run_id: str) -> bool:
    return bool(load_bundle(os.path.join(out, run_id)).index["status"] == "ok")


def _judge_commit(place: str, done: bool) -> None:
    if done:  # as it stands there, before anybody recovers anything
        assert load_bundle(place + "/out").run_id == "run-2"
        with open(place + "/out/ledger.jsonl", "rb") as file:
            assert b'"run_id":"run-2"' in file.read()
    committed = judge_folder(place + "/out", loads={"run-1"}, may_load={"run-2"}, listed={"run-1"})
    assert not done or "run-2" in committed
    assert load_bundle(place + "/out").run_id in committed


def _judge_fail(place: str, done: bool) -> None:
    committed = judge_folder(place + "/out", loads={"run-1"}, may_load={"run-2"}, listed={"run-1"})
    assert not done or "run-2" in committed


def _crashed(place: str) -> None:
    _one_run(place)
    write_run(place + "/out", "run-2", end="")
    path = place + "/out/run-2/run_status.json"
    with open(path, "rb+") as file:
        data = file.read().replace(b'"writer_boot_id":"', b'"writer_boot_id":"not-')
        file.seek(0)
        file.write(data)


def _judge_abandon(place: str, done: bool) -> None:
    out = place + "/out"
    assert load_bundle(out).run_id == "run-1"
    if is_loaded(out, "run-2"):
        assert load_bundle(out + "/run-2").index["status"] == "failed"
    else:
        assert not done
        recovered(out)
        assert is_loaded(out, "run-2")
    assert load_bundle(out).run_id == "run-1", "abandon moved LATEST"
    judge_folder(out, loads={"run-1", "run-2"}, listed={"run-1"})


def _broken(place: str) -> None:
    _one_run(place)
    with open(place + "/out/run-1/outputs/deep/page", "wb") as file:
        file.write(b"changed")
    with open(place + "/out/run-1/more", "wb") as file:
        file.write(b"added")


def _judge_repair(place: str, done: bool) -> None:
    """Broken as before, or repaired and marked; the next repair goes on, and says everything once."""
    run = place + "/out/run-1"
    try:
        assert load_bundle(run).repaired
    except Refused:
        assert not done
        assert reindex_bundle(run, repair=True).ok
    bundle = load_bundle(run)
    assert bundle.repaired
    log: Any = bundle.document("repair_log.json")
    assert sorted(item["path"] for item in log["history"]) == ["out/run-1/more", "out/run-1/outputs/deep/page"]
    assert reindex_bundle(run, repair=True).facts["repaired"] == []


def _two_runs(place: str) -> None:
    _one_run(place)
    write_run(place + "/out", "run-2")


def _judge_rm(place: str, done: bool) -> None:
    """The run is there and whole, or gone; LATEST never names what is gone."""
    out = place + "/out"
    assert is_loaded(out, "run-1")
    there = is_loaded(out, "run-2")
    assert not (done and there)
    assert load_bundle(out).run_id == ("run-2" if there and read_latest_of(out) == "run-2" else "run-1")
    recovered(out)
    assert load_bundle(out).run_id in ("run-1", "run-2")
    judge_folder(out, loads={"run-1"}, may_load={"run-2"}, listed={"run-1", "run-2"})


def read_latest_of(out: str) -> str | None:
    from affidavit.store import fs

    directory = fs.open_root(out)
    try:
        return read_latest(directory)
    finally:
        fs.close(directory)


def _empty(place: str) -> None:
    os.mkdir(place + "/shelf")


def _build(folder: publish.Folder) -> None:
    folder.put("one", b"1")
    folder.put("deep/two", b"2" * 70_000)


def _judge_publish(place: str, done: bool) -> None:
    """The directory is there with all that was built, or not at all; nothing is left once somebody publishes again."""
    target = place + "/shelf/book"
    if os.path.exists(target):
        with open(target + "/one", "rb") as one, open(target + "/deep/two", "rb") as two:
            assert (one.read(), two.read()) == (b"1", b"2" * 70_000)
    else:
        assert not done
        publish.publish(place + "/shelf", "book", _build)
    publish.publish(place + "/shelf", "other", _build)
    assert sorted(os.listdir(place + "/shelf")) == ["book", "other"]


def _judge_publish_file(place: str, done: bool) -> None:
    target = place + "/shelf/book.zip"
    if os.path.exists(target):
        with open(target, "rb") as file:
            assert file.read() == b"z" * 140_000
    else:
        assert not done
    publish.publish_file(place + "/shelf", "other.zip", [b"o"])
    assert set(os.listdir(place + "/shelf")) <= {"book.zip", "other.zip"}


SCENARIOS = {
    "commit": Scenario(_one_run, lambda place: write_run(place + "/out", "run-2"), _judge_commit),
    "fail": Scenario(_one_run, lambda place: write_run(place + "/out", "run-2", end="fail"), _judge_fail),
    "abandon": Scenario(_crashed, lambda place: abandon(place + "/out/run-2"), _judge_abandon),
    "repair": Scenario(_broken, lambda place: _require_ok(place + "/out/run-1"), _judge_repair),
    "rm": Scenario(_two_runs, lambda place: remove(place + "/out/run-2"), _judge_rm),
    "publish": Scenario(_empty, lambda place: _published(place + "/shelf"), _judge_publish),
    "publish_file": Scenario(_empty, lambda place: _published_file(place + "/shelf"), _judge_publish_file),
}


def _require_ok(run: str) -> None:
    assert reindex_bundle(run, repair=True).ok


def _published(shelf: str) -> None:
    publish.publish(shelf, "book", _build)


def _published_file(shelf: str) -> None:
    publish.publish_file(shelf, "book.zip", (b"z" * 70_000 for _ in range(2)))

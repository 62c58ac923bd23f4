"""Plans that are run: in real sandboxes, with what they commit (seed 003; contracts 4)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts.policy import built_in as policy
from affidavit.contracts.profile_registry import SCHEMA_VERSION as PROFILES_VERSION
from affidavit.contracts.registry_index import SCHEMA_VERSION as INDEX_VERSION
from affidavit.kernel.conformance import PROBES
from affidavit.kernel.probes import registry, rules
from affidavit.runtime.promotion import emit_promotion_packet
from affidavit.runtime.refused import ChannelRefused, Unsound
from affidavit.runtime.run import run_plan
from affidavit.store.abandon import abandon
from affidavit.store.lock import acquire
from affidavit.store.reader import load_bundle
from affidavit.store.refused import Locked
from tests.support.contracts import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BY_ID = {probe.probe_id: probe for probe in PROBES}
#: Some of each kind, that a test has time for.
SOME = (
    "read_own_file",
    "read_host_file",
    "read_host_file_by_link",
    "write_own_file",
    "write_host_file",
    "create_own_file",
    "connect_to_host_tcp",
    "kill_a_host_process",
    "mount_a_file_system",
)


def registries(place: Path, names: tuple[str, ...] = SOME, **changes: Any) -> str:
    """A directory with a registry of these probes, under the profiles strict and open."""
    probes = [BY_ID[name] for name in names]
    policies = {"strict": policy("strict"), "open": {**policy("dev"), "name": "open", "allow_network": True}}
    profiles = {
        name: {
            "profile_id": name,
            "profile_path": f"{name}.json",
            "mode": "bwrap",
            "family": None,
            "semantic_group": None,
            "probe_refs": list(names),
            "key_specific_rules": rules(document, probes),
            "notes": None,
            **changes,
        }
        for name, document in policies.items()
    }
    entry = {"registry_id": "some", "probes": "probes.json", "profiles": "profiles.json", "description": ""}
    documents = {
        "index": {"schema_version": INDEX_VERSION, "registries": [entry]},
        "probes": registry("some", probes),
        "profiles": {"schema_version": PROFILES_VERSION, "registry_id": "some", "profiles": profiles},
        **policies,
    }
    place.mkdir()
    for name, document in documents.items():
        (place / f"{name}.json").write_bytes(canonical(document))
    return str(place)


def plan(**changes: Any) -> dict[str, Any]:
    told = {
        "schema_version": "runtime-tools.plan.v0.1",
        "plan_id": "some",
        "registry_id": "some",
        "profiles": ["strict", "open"],
        "apply_preflight_profile": "strict",
    }
    return {**told, **changes}


def document(run: str, name: str) -> Any:
    with open(os.path.join(run, name), "rb") as file:
        return read(file.read())


@pytest.mark.sandbox
def test_a_plan_is_run_in_its_lanes_and_committed(tmp_path: Path) -> None:
    told = run_plan(plan(), tmp_path / "out", registries=registries(tmp_path / "registries"))
    bundle = load_bundle(tmp_path / "out", level="strict")
    assert (bundle.run_id, bundle.index["status"]) == (told.run_id, "ok")
    assert told.status == "ok"
    assert told.mismatches["mismatches"] == []
    results = document(told.path, "runtime_results.json")
    decisions = {probe["expectation_id"]: probe["actual"] for probe in results["strict"]["probes"]}
    assert decisions["strict:read_own_file"] == "allow"
    assert decisions["strict:read_host_file"] == "deny"
    # without the sandbox the host's file can be read, so it was the sandbox that denied it
    bare = {row["probe_name"]: row["status"] for row in document(told.path, "baseline_results.json")["results"]}
    assert bare["read host file"] == "allow"
    assert "kill a host process" not in bare
    events = {row["expectation_id"]: row for row in document(told.path, "runtime_events.normalized.json")}
    assert events["open:connect_to_host_tcp"]["actual"] == "allow"
    assert events["strict:connect_to_host_tcp"]["actual"] == "deny"
    assert all(row["intended_op_witnessed"] for row in events.values())
    witnesses = document(told.path, "path_witnesses.json")["records"]
    observed = {(row["lane"], row["scenario_id"]): row["observed_path"] for row in witnesses}
    assert observed["scenario", "strict:read_own_file"] == "/workspace/given.txt"
    preflight = document(told.path, "apply_preflight.json")
    assert preflight["apply_ok"] is True
    assert document(told.path, "run_manifest.json")["apply_preflight"]["record"] == preflight
    # nothing of the fixtures is left
    assert sorted(os.listdir(tmp_path / "out")) == [".runtime.lock", "LATEST", told.run_id]
    packet = emit_promotion_packet(tmp_path / "out", tmp_path / "packet.json")
    assert "not_clean_channel" in packet["promotability"]["reasons"]
    assert not {"bundle_integrity_unverified", "preflight_mismatch"} & set(packet["promotability"]["reasons"])


@pytest.mark.sandbox
def test_what_is_not_as_expected_is_told_with_what_the_other_lanes_say(tmp_path: Path) -> None:
    wrong = {"key_specific_rules": [{"probe": "read_host_file", "expected": "allow"}]}
    place = registries(tmp_path / "registries", ("read_host_file",), **wrong)
    told = run_plan(plan(profiles=["strict"]), tmp_path / "out", registries=place)
    (row,) = told.mismatches["mismatches"]
    assert (row["mismatch_type"], row["actual"]) == ("unexpected_deny", "deny")
    with open(os.path.join(told.path, "mismatch_packets.jsonl"), "rb") as file:
        (line,) = file.read().splitlines()
    packet: Any = read(line)
    assert packet["mismatch_reason"] == "expectation_too_strong"
    assert (packet["baseline"]["status"], packet["oracle_check"]["decision"]) == ("allow", "deny")
    assert load_bundle(told.path, level="strict").index["status"] == "ok"


@pytest.mark.sandbox
def test_only_the_lanes_of_the_plan_are_run(tmp_path: Path) -> None:
    place = registries(tmp_path / "registries", ("read_own_file",))
    lanes = {"baseline": False, "oracle": False}
    told = run_plan(plan(lanes=lanes, apply_preflight_profile=None), tmp_path / "out", registries=place)
    there = set(os.listdir(told.path))
    assert "runtime_results.json" in there
    assert not {"baseline_results.json", "oracle_results.json", "apply_preflight.json"} & there
    assert load_bundle(told.path, level="strict").index["status"] == "ok"


@pytest.mark.sandbox
def test_what_the_kernel_calls_a_file_that_is_reached_by_other_names(tmp_path: Path) -> None:
    told = run_plan("path-canonicalization", tmp_path / "out")
    assert (told.status, told.mismatches["mismatches"]) == ("ok", [])
    records = document(told.path, "path_witnesses.json")["records"]
    inside = {row["scenario_id"].partition(":")[2]: row for row in records if row["lane"] == "scenario"}
    observed = {name: row["observed_path"] for name, row in inside.items() if row["observed_path"]}
    given = dict.fromkeys(
        (
            "as_it_is",
            "by_symlink",
            "by_dots",
            "by_dot_and_slashes",
            "by_proc_cwd",
            "by_proc_root",
            "by_proc_descriptor",
        ),
        "/workspace/given.txt",
    )
    assert observed == {
        **given,
        "by_linked_folder": "/workspace/out/given.txt",
        "in_the_same_unicode_form": "/workspace/out/caf\u00e9",
        "by_bind_mount": "/run/affidavit/__main__.py",
        "by_hard_link": "/workspace/out/hard.txt",
        "when_deleted": "/workspace/out/gone.txt (deleted)",
        "when_renamed": "/workspace/out/new.txt",
        "created_by_symlink": "/workspace/out/created.txt",
    }
    denied = {name for name, row in inside.items() if row["decision"] == "deny"}
    assert denied == {
        "by_symlink_loop",
        "by_symlink_out",
        "with_a_slash_behind",
        "in_another_case",
        "in_another_unicode_form",
    }
    for name, row in inside.items():
        assert row["normalized_path"] == (row["observed_path"] or row["requested_path"])
        asked_otherwise = name in observed and row["requested_path"] != row["observed_path"]
        assert row["canonicalization"]["alias_pair"] is (asked_otherwise if name in observed else None)


def test_a_dry_run_commits_what_would_be_tried(tmp_path: Path) -> None:
    told = run_plan("sandbox-conformance", tmp_path / "out", dry_run=True)
    assert told.status == "dry"
    assert load_bundle(tmp_path / "out", level="strict").run_id == told.run_id
    packet = emit_promotion_packet(told.path, tmp_path / "packet.json")
    assert {"dry_run", "not_clean_channel"} <= set(packet["promotability"]["reasons"])


@pytest.mark.parametrize("channel", ["launchd_clean"])
def test_a_channel_that_cannot_be_had_is_refused_before_anything_is_written(tmp_path: Path, channel: str) -> None:
    with pytest.raises(ChannelRefused) as refused:
        run_plan("path-canonicalization", tmp_path / "out", channel)
    assert "macOS" in refused.value.message
    assert not (tmp_path / "out").exists()


def test_a_plan_that_is_not_sound_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(Unsound):
        run_plan({**plan(), "profiles": []}, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_held_folder_fails_fast_or_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    folder = os.open(tmp_path / "out", os.O_RDONLY)
    with acquire(folder, str(tmp_path / "out"), "fail", 0):
        with pytest.raises(Locked):
            run_plan("path-canonicalization", tmp_path / "out", dry_run=True)
        with pytest.raises(Locked):
            run_plan("path-canonicalization", tmp_path / "out", "direct", "wait", True, lock_timeout=0.05)
    os.close(folder)
    assert run_plan("path-canonicalization", tmp_path / "out", "direct", "wait", True).status == "dry"


def test_what_breaks_while_it_runs_is_a_failed_run_and_no_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(5, "the disk is gone")

    monkeypatch.setattr("affidavit.runtime.channels.record", broken)
    with pytest.raises(OSError, match="the disk is gone"):
        run_plan("path-canonicalization", tmp_path / "out")
    bundle = load_bundle(tmp_path / "out")
    assert bundle.index["status"] == "failed"
    assert bundle.status is not None
    assert "the disk is gone" in bundle.status["error"]
    packet = emit_promotion_packet(tmp_path / "out", tmp_path / "packet.json")
    assert "bundle_failed" in packet["promotability"]["reasons"]


_KILLED = """
import os, signal, sys
from affidavit.runtime.run import run_plan
def each(lane, done, of):
    if (lane, done) == (sys.argv[2], 1):
        os.kill(os.getpid(), signal.SIGKILL)
run_plan("path-canonicalization", sys.argv[1], each=each)
"""


@pytest.mark.sandbox
@pytest.mark.parametrize("lane", ["baseline", "scenario"])
def test_a_run_that_was_killed_is_closed_by_abandon(tmp_path: Path, lane: str) -> None:
    out = str(tmp_path / "out")
    done = subprocess.run([sys.executable, "-c", _KILLED, out, lane], cwd=ROOT, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    (run_id,) = [name for name in os.listdir(out) if name.startswith("pr_")]
    packet = emit_promotion_packet(os.path.join(out, run_id), tmp_path / "packet.json")
    assert "bundle_in_progress" in packet["promotability"]["reasons"]
    abandon(os.path.join(out, run_id))
    assert load_bundle(os.path.join(out, run_id)).index["status"] == "failed"
    packet = emit_promotion_packet(os.path.join(out, run_id), tmp_path / "packet.json")
    assert "bundle_failed" in packet["promotability"]["reasons"]


@pytest.mark.sandbox
def test_a_registry_cannot_have_the_host_harmed_by_calling_it_harmless(tmp_path: Path) -> None:
    """Its operation and its lanes are lies; the driver is what would be run."""
    precious = tmp_path / "precious.txt"
    precious.write_text("x")
    place = registries(tmp_path / "registries", ("read_own_file",))
    path = tmp_path / "registries" / "probes.json"
    told_probes: Any = read(path.read_bytes())
    told_probes["probes"]["read_own_file"] |= {"driver": f"files.unlink {precious}", "target": str(precious)}
    path.write_bytes(canonical(told_probes))
    lanes = {"scenario": False, "oracle": False}
    told = run_plan(plan(lanes=lanes, apply_preflight_profile=None), tmp_path / "out", registries=place)
    assert precious.exists()
    row, _ = document(told.path, "baseline_results.json")["results"]
    assert row["status"] is None
    assert "fixtures" in row["error"]


def test_the_lanes_leave_nothing_on_the_host(tmp_path: Path) -> None:
    def there() -> set[str]:
        return {f"{place}/{name}" for place in ("/tmp", "/dev/shm") for name in os.listdir(place)}

    before = there()
    names = tuple(probe.probe_id for probe in PROBES if probe.bare and ("tmp" in probe.driver or "shm" in probe.driver))
    assert len(names) >= 4
    place = registries(tmp_path / "registries", names)
    lanes = {"scenario": False, "oracle": False}
    run_plan(plan(lanes=lanes, apply_preflight_profile=None), tmp_path / "out", registries=place)
    assert [name for name in there() - before if re.search(r"/affidavit-[0-9a-f]{16}$", name)] == []

"""`engine seal`: what is sealed verifies, here and with the tools that everybody has; what does not is never written
(seed 002, Sealing Rules; contracts 3)."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.contracts import run_output
from affidavit.engine.bundle import verify_engine_bundle
from affidavit.engine.sealing import Refusal, Sealed, seal_output
from affidavit.engine.upstream import upstream_results
from affidavit.kernel.seal import Origin
from tests.support.cli import affidavit
from tests.support.engine_folders import INPUT, OUTPUT, engine_folder, seal, sealed, write
from tests.support.engines import engine_contracts, examined, sealed_files, value
from tests.support.vectors import drop, edited, put

if TYPE_CHECKING:
    from pathlib import Path


def document(run: Sealed, name: str) -> Any:
    with open(os.path.join(run.path, name), "rb") as file:
        return read(file.read())


def refused(outcome: Any) -> list[str]:
    assert isinstance(outcome, Refusal), outcome
    return [f"{found.rule_id} {found.path}" for found in outcome.findings]


def test_a_sealed_run_verifies_and_sha256sum_agrees(tmp_path: Path) -> None:
    run = sealed(str(tmp_path))
    assert verify_engine_bundle(run.path).ok
    checked = subprocess.run(
        ["sha256sum", "--strict", "-c", "SHA256SUMS.txt"], cwd=run.path, capture_output=True, check=True
    )
    assert checked.stdout.count(b": OK\n") == len(os.listdir(run.path)) - 1
    assert document(run, "RUN_OUTPUT.json") == run_output.EXAMPLE
    assert document(run, "RUN_META.json")["entrypoint"] is None


def test_the_contracts_are_copied_json_canonically_the_rest_byte_for_byte(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    write(engine, "SEALING_SPEC.md", b"any\r\nbytes \xff")
    run = sealed(str(tmp_path), engine=engine)
    with open(os.path.join(run.path, "SEALING_SPEC.md"), "rb") as file:
        assert file.read() == b"any\r\nbytes \xff"
    with open(os.path.join(run.path, "INPUT_SCHEMA.json"), "rb") as file:
        assert file.read() == canonical(engine_contracts()["INPUT_SCHEMA.json"])


def test_forbidden_keys_are_stripped_from_the_context_and_only_their_places_are_kept(tmp_path: Path) -> None:
    context = {
        "note": "ok",
        "userID": "secret-1",
        "deep": [{"Badge-Number": "secret-2", "kept": 1}],
        "gone": {"role": "secret-3"},
    }
    run = sealed(str(tmp_path), run_input={**INPUT, "context": context})
    kept = {"note": "ok", "deep": [{"kept": 1}], "gone": {}}
    assert document(run, "RUN_INPUT.json")["context"] == document(run, "RUN_CONTEXT_STRIPPED.json") == kept
    places = ["/context/deep/0/Badge-Number", "/context/gone/role", "/context/userID"]
    assert document(run, "RUN_META.json")["stripped_context_paths"] == places
    for name in os.listdir(run.path):
        with open(os.path.join(run.path, name), "rb") as file:
            assert b"secret-" not in file.read(), name


def test_stripping_is_idempotent_and_an_absent_context_stays_absent(tmp_path: Path) -> None:
    first = sealed(str(tmp_path / "a"), run_input={**INPUT, "context": {"phone": 1}})
    again = sealed(str(tmp_path / "b"), run_input=document(first, "RUN_INPUT.json"))
    assert document(again, "RUN_META.json")["stripped_context_paths"] == []
    assert document(first, "RUN_OUTPUT.json") == document(again, "RUN_OUTPUT.json")
    without = sealed(str(tmp_path / "c"), run_input=edited(INPUT, drop("/context")))
    assert "context" not in document(without, "RUN_INPUT.json")
    assert not os.path.exists(os.path.join(without.path, "RUN_CONTEXT_STRIPPED.json"))


def test_members_that_the_input_lacks_are_filled(tmp_path: Path) -> None:
    bare: dict[str, Any] = {"inputs": {"samples": []}}
    output = {**OUTPUT, "run_id": "given"}
    given = {"run_id": "given", "project_id": "p", "parameters": ({"n": 1},), "context": ({"roles": 1},)}
    run = sealed(str(tmp_path), run_input=bare, run_output=output, **given)
    assert os.path.basename(run.path) == "given"
    assert document(run, "RUN_INPUT.json") == {
        **bare,
        "run_id": "given",
        "project_id": "p",
        "parameters": {"n": 1},
        "context": {},
    }


def test_what_the_sandbox_did_not_enforce_is_recorded() -> None:
    origin = Origin("0" * 64, entrypoint=["python3", "spectra.py"], degraded=["seccomp", "pids"])
    files = sealed_files(origin=origin)
    assert value(files, "RUN_META.json")["degraded"] == ["pids", "seccomp"]
    assert examined(files).ok


def test_without_a_run_id_one_is_made(tmp_path: Path) -> None:
    """The output of another run is refused then: what it would have to name was made just now."""
    outcome = seal(str(tmp_path), run_input=edited(INPUT, drop("/run_id")))
    assert refused(outcome) == ["RUN_ID RUN_OUTPUT.json#/run_id"]
    assert '"er_' in outcome.findings[0].expected


REFUSED: dict[str, tuple[list[str], dict[str, Any]]] = {
    "the input is against its schema": (
        ["R2 RUN_INPUT.json#/inputs/samples/0"],
        {"run_input": edited(INPUT, put("/inputs/samples/0", "x"))},
    ),
    "the input lacks what every input has": (
        ["R2 RUN_INPUT.json", "R2 RUN_INPUT.json#/parameters"],
        {"run_input": edited(INPUT, drop("/parameters"))},
    ),
    "the output is against its schema": (
        ["R3 RUN_OUTPUT.json#/outputs"],
        {"run_output": edited(OUTPUT, put("/outputs", {}))},
    ),
    "a forbidden key in the inputs": (
        ["FORBIDDEN_KEY RUN_INPUT.json#/inputs/User-Id"],
        {"run_input": edited(INPUT, put("/inputs/User-Id", 1))},
    ),
    "a forbidden key in the output": (
        ["FORBIDDEN_KEY RUN_OUTPUT.json#/outputs/peak/phone"],
        {"run_output": edited(OUTPUT, put("/outputs/peak/phone", 1))},
    ),
    "another inputs_hash than the input's": (
        ["INPUTS_HASH RUN_OUTPUT.json#/inputs_hash"],
        {"run_output": edited(OUTPUT, put("/inputs_hash", "0" * 64))},
    ),
    "another outputs_hash than the output's": (
        ["OUTPUTS_HASH RUN_OUTPUT.json#/outputs_hash"],
        {"run_output": edited(OUTPUT, put("/outputs_hash", "0" * 64))},
    ),
    "semantics that do not fit the role": (
        ["SEMANTICS RUN_OUTPUT.json#/semantics"],
        {"run_output": edited(OUTPUT, put("/semantics", "RAW_TRUTH"))},
    ),
    "an output of another version": (
        ["ENGINE RUN_OUTPUT.json#/engine/engine_version", "R3 RUN_OUTPUT.json#/engine/engine_version"],
        {"run_output": edited(OUTPUT, put("/engine/engine_version", "1.0.1"))},
    ),
    "two run ids": (["MEMBER_DIFFERS RUN_INPUT.json#/run_id"], {"run_id": "run-0002"}),
    "two projects": (["MEMBER_DIFFERS RUN_INPUT.json#/project_id"], {"project_id": "other"}),
    "other parameters": (["MEMBER_DIFFERS RUN_INPUT.json#/parameters"], {"parameters": ({"n": 5},)}),
    "another context": (["MEMBER_DIFFERS RUN_INPUT.json#/context"], {"context": ({"note": "no"},)}),
    "results of others that were not given as sealed runs": (
        ["COUPLING RUN_INPUT.json#/inputs/upstream", "COUPLING RUN_INPUT.json#/inputs/upstream/0"],
        {"run_input": edited(INPUT, put("/inputs/upstream", [1]))},
    ),
}


@pytest.mark.parametrize("why", REFUSED)
def test_sealing_fails_closed(why: str, tmp_path: Path) -> None:
    codes, given = REFUSED[why]
    assert refused(seal(str(tmp_path), **given)) == codes
    assert not os.path.exists(tmp_path / "RUN_BUNDLE")


def test_a_run_that_exists_is_never_replaced(tmp_path: Path) -> None:
    run = sealed(str(tmp_path))
    with open(os.path.join(run.path, "RUN_META.json"), "rb") as file:
        before = file.read()
    assert refused(seal(str(tmp_path))) == ["RUN_EXISTS RUN_INPUT.json#/run_id"]
    with open(os.path.join(run.path, "RUN_META.json"), "rb") as file:
        assert file.read() == before
    assert os.listdir(tmp_path / "RUN_BUNDLE") == ["run-0001"]


def test_what_is_no_json_is_refused_at_its_byte(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    good = canonical(INPUT)
    for run_in, run_out, code in (
        (b"{", b"{}", "R2 RUN_INPUT.json"),
        (b"[]", b"{}", "R2 RUN_INPUT.json"),
        (good, b'{"a":1,"a":1}', "R3 RUN_OUTPUT.json"),
    ):
        assert refused(seal_output(engine, run_in, run_out, out=tmp_path / "RUN_BUNDLE")) == [code]
    assert not os.path.exists(tmp_path / "RUN_BUNDLE")


def test_an_engine_that_does_not_check_seals_nothing(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    os.remove(os.path.join(engine, "COUPLING_RULES.json"))
    assert refused(seal(str(tmp_path), engine=engine)) == ["CONTRACT COUPLING_RULES.json"]


def fusion(place: str) -> str:
    contracts = engine_contracts(engine_code="FUSE", engine_role="FUSION_ENGINE")
    contracts["OUTPUT_SCHEMA.json"] = {"type": "object"}
    return engine_folder(place, contracts)


def test_results_of_others_enter_out_of_sealed_runs(tmp_path: Path) -> None:
    first = sealed(str(tmp_path / "first"))
    items, findings = upstream_results([first.path])
    assert findings == []
    output = {**OUTPUT, "semantics": "CORRELATION_ONLY", "engine": {"engine_code": "FUSE", "engine_version": "1.0.0"}}
    bare = {**INPUT, "inputs": {}}
    run = sealed(
        str(tmp_path), engine=fusion(str(tmp_path / "fuse")), run_input=bare, run_output=output, upstream=items
    )
    given = document(run, "RUN_INPUT.json")["inputs"]["upstream"]
    assert given == [
        {
            "engine_code": "SPECTRA",
            "artifact_name": "RUN_OUTPUT.json",
            "sha256": items[0]["sha256"],
            "document": run_output.EXAMPLE,
        }
    ]
    assert document(run, "RUN_OUTPUT.json")["input_artifact_index"] == [
        {name: given[0][name] for name in ("engine_code", "artifact_name", "sha256")}
    ]
    assert verify_engine_bundle(run.path).ok


def test_a_run_that_does_not_verify_is_no_source(tmp_path: Path) -> None:
    first = sealed(str(tmp_path / "first"))
    write(first.path, "SEALING_SPEC.md", b"other")
    items, findings = upstream_results([first.path])
    assert items == []
    assert {(found.rule_id, found.path, found.within) for found in findings} == {
        ("UPSTREAM", "run-0001/SEALING_SPEC.md", "R4"),
        ("UPSTREAM", "run-0001/SEALING_SPEC.md", "R5"),
    }


def test_results_of_an_engine_that_is_not_allowed_are_refused(tmp_path: Path) -> None:
    contracts = engine_contracts(engine_code="OTHER")
    contracts["OUTPUT_SCHEMA.json"] = {"type": "object"}
    other = engine_folder(str(tmp_path / "other"), contracts)
    output = {**OUTPUT, "engine": {"engine_code": "OTHER", "engine_version": "1.0.0"}}
    items, _ = upstream_results([sealed(str(tmp_path / "o"), engine=other, run_output=output).path])
    bare = {**INPUT, "inputs": {}}
    outcome = seal(str(tmp_path), engine=fusion(str(tmp_path / "fuse")), run_input=bare, upstream=items)
    assert refused(outcome) == ["COUPLING RUN_INPUT.json#/inputs/upstream/0/engine_code"]
    nothing = seal(str(tmp_path), engine=fusion(str(tmp_path / "fuse")), run_input=bare)
    assert refused(nothing) == ["COUPLING RUN_INPUT.json#/inputs/upstream"]


def test_a_crash_leaves_nothing_under_the_name(tmp_path: Path) -> None:
    """What was being built when the power went is no run, and the next one sweeps it away."""
    run = sealed(str(tmp_path))
    hidden = tmp_path / "RUN_BUNDLE" / ".affidavit-building-0123456789abcdef"
    shutil.copytree(run.path, hidden)
    shutil.rmtree(run.path)
    assert sealed(str(tmp_path)).path == run.path
    assert not hidden.exists()


def test_a_folder_of_sealed_runs_is_verified_whole(tmp_path: Path) -> None:
    first = sealed(str(tmp_path))
    other = {"run_input": INPUT | {"run_id": "b"}, "run_output": OUTPUT | {"run_id": "b"}}
    second = sealed(str(tmp_path), engine=str(tmp_path / "engine"), **other)
    os.mkdir(tmp_path / "RUN_BUNDLE" / ".affidavit-building-00")
    ran = affidavit("verify", str(tmp_path / "RUN_BUNDLE"))
    told: list[Any] = [read(line) for line in ran.out.splitlines()]
    assert (ran.status, [line["path"] for line in told]) == (0, [second.path, first.path])
    for name in os.listdir(second.path):
        os.remove(os.path.join(second.path, name))
    assert affidavit("verify", str(tmp_path / "RUN_BUNDLE")).status == 1


def test_the_command_seals_and_tells(tmp_path: Path) -> None:
    engine = engine_folder(str(tmp_path / "engine"))
    given = write(str(tmp_path), "in.json", canonical(edited(INPUT, drop("/parameters"))))
    made = write(str(tmp_path), "out.json", canonical(OUTPUT))
    parameters = write(str(tmp_path), "parameters.json", canonical(INPUT["parameters"]))
    words = ("engine", "seal", engine, "--input", given, "--output", made, "--parameters", parameters)
    ran = affidavit(*words, "--separate-parameters", cwd=str(tmp_path))
    body: Any = read(ran.out)
    assert (ran.status, body["ok"], body["run_id"]) == (0, True, "run-0001")
    assert affidavit("verify", "RUN_BUNDLE/run-0001", cwd=str(tmp_path)).status == 0
    assert os.path.exists(tmp_path / "RUN_BUNDLE" / "run-0001" / "RUN_PARAMETERS.json")
    again = affidavit(*words, cwd=str(tmp_path))
    told: Any = read(again.out)
    assert (again.status, told["ok"], told["violations"][0]["rule_id"]) == (1, False, "RUN_EXISTS")
    assert affidavit("engine", "seal", engine, cwd=str(tmp_path)).status == 3
    assert affidavit("engine", "seal", str(tmp_path / "none"), *words[3:], cwd=str(tmp_path)).status == 2

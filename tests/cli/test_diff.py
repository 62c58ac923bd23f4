"""`affidavit diff A B`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.canon.reader import read
from affidavit.harness.run import run_intent
from affidavit.kernel.compare import Seen
from affidavit.packs.export import export_pack
from tests.support import engine_folders, plan_runs
from tests.support.cli import affidavit, on_terminal
from tests.support.harness import executed, file, shell

if TYPE_CHECKING:
    from pathlib import Path


def planned(place: Path, content: str = "x\n") -> str:
    intent = canonical({"goal": "Write a page.", "context": {"work": {"files": [file("page", content)]}}})
    return "out/" + str(run_intent(intent, policy="dev", out=place / "out", workspace=place).result["run_id"])


def diff(place: Path, *words: str) -> tuple[int, Any]:
    ran = affidavit("diff", *words, cwd=str(place))
    return ran.status, read(ran.out) if ran.out else ran.err


def test_two_runs_of_one_intent_are_the_same(tmp_path: Path) -> None:
    first, second = planned(tmp_path), planned(tmp_path)
    status, told = diff(tmp_path, first, second)
    assert (status, told["same"], told["canonical"]) == (0, True, [])
    assert {difference["pointer"] for difference in told["ephemeral"]} >= {"/run_id", "/started_at"}
    assert diff(tmp_path, first, "out")[0] == 0  # by LATEST


def test_what_differs_is_told_with_its_place_and_both_values(tmp_path: Path) -> None:
    first, second = planned(tmp_path), planned(tmp_path, "another\n")
    status, told = diff(tmp_path, first, second)
    assert (status, told["same"]) == (1, False)
    by_place = {(found["member"], found["pointer"]): found for found in told["canonical"]}
    content = by_place["bundle.json", "/outputs/0/content"]
    assert (content["a"], content["b"]) == ("x\n", "another\n")
    assert ("intent.json", "/context/work/files/0/content") in by_place


def test_a_run_is_the_same_as_its_pack_and_its_archive(tmp_path: Path) -> None:
    run = planned(tmp_path)
    export_pack(tmp_path / run, directory=tmp_path / "pack", archive=tmp_path / "pack.zip")
    for other in ("pack", "pack.zip"):
        assert diff(tmp_path, run, other)[0] == 0
        assert diff(tmp_path, "pack", other)[0] == 0


@pytest.mark.sandbox
def test_outputs_are_added_removed_and_changed(tmp_path: Path) -> None:
    scripts = ("echo a > a; echo b > b; echo c > c", "echo b > b; echo C > c; echo d > d")
    runs = [executed(tmp_path, commands=[shell("c", script)]) for script in scripts]
    status, told = diff(tmp_path, *(str(run.directory) for run in runs))
    assert status == 1
    outputs = told["outputs"]
    assert {kind: [found["path"] for found in outputs[kind]] for kind in outputs} == {
        "added": ["d"],
        "removed": ["a"],
        "changed": ["c"],
    }
    ran = on_terminal("diff", "--color=always", *(str(run.directory) for run in runs))
    text = ran.out.decode()
    assert "\x1b[31m- output a  2 bytes\x1b[0m" in text
    assert "\x1b[32m+ output d  2 bytes\x1b[0m" in text


def test_plan_runs_differ_in_what_was_seen_and_not_in_their_names(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    same = [plan_runs.commit(out, run_id=f"pr_mjz4k1s0_{number}f86d081") for number in (1, 2)]
    seen = Seen(reached=True, requested="/outside/secret.txt", exit_code=0)
    scenario = {plan_runs.READ: seen, plan_runs.MOUNT: seen}
    other = plan_runs.commit(out, run_id="pr_mjz4k1s0_3f86d081", seen=plan_runs.recorded(scenario=scenario))
    status, told = diff(tmp_path, *same)
    assert (status, told["canonical"], told["outputs"]["changed"]) == (0, [], [])
    status, told = diff(tmp_path, same[0], other)
    assert status == 1
    assert "runtime_results.json" in {difference["member"] for difference in told["canonical"]}


def test_sealed_runs_differ_in_their_outputs_and_not_in_their_names(tmp_path: Path) -> None:
    for number, peak in ((1, 12.5), (2, 12.5), (3, 13.5)):
        outputs = {"peak": {"unit": "Hz", "value": peak}}
        run_id = f"run-{number}"
        engine_folders.sealed(
            str(tmp_path),
            run_input={**engine_folders.INPUT, "run_id": run_id},
            run_output={**engine_folders.OUTPUT, "run_id": run_id, "outputs": outputs},
        )
    assert diff(tmp_path, "RUN_BUNDLE/run-1", "RUN_BUNDLE/run-2")[0] == 0
    status, told = diff(tmp_path, "RUN_BUNDLE/run-1", "RUN_BUNDLE/run-3")
    assert status == 1
    assert [(found["member"], found["pointer"], found["a"], found["b"]) for found in told["canonical"]] == [
        ("RUN_OUTPUT.json", "/outputs/peak/value", 12.5, 13.5)
    ]


def test_what_is_of_two_kinds_is_not_compared(tmp_path: Path) -> None:
    run = planned(tmp_path)
    engine_folders.sealed(str(tmp_path))
    assert diff(tmp_path, run, "RUN_BUNDLE/" + engine_folders.INPUT["run_id"])[0] == 3


def test_a_person_sees_a_diff(tmp_path: Path) -> None:
    first, second = planned(tmp_path), planned(tmp_path, "another\n")
    ran = on_terminal("diff", "--color=never", first, second, cwd=str(tmp_path))
    lines = ran.out.decode().splitlines()
    assert lines[:2] == [f"--- {first}", f"+++ {second}"]
    at = lines.index("bundle.json /outputs/0/content")
    assert lines[at + 1 : at + 3] == ['  - "x\\n"', '  + "another\\n"']
    assert lines[-1].startswith("different: ")
    assert not any("/run_id" in line for line in lines)
    ran = on_terminal("diff", "--color=never", "--ephemeral", first, second, cwd=str(tmp_path))
    assert "run.json /run_id" in ran.out.decode()


def test_what_does_not_verify_is_not_compared(tmp_path: Path) -> None:
    run = planned(tmp_path)
    export_pack(tmp_path / run, directory=tmp_path / "pack")
    shutil.copytree(tmp_path / "pack", tmp_path / "tampered")
    (tmp_path / "tampered" / "bundle.json").write_bytes(b"{}\n")
    (tmp_path / run / "policy.json").write_bytes(b"{}\n")
    for words in (("pack", "tampered"), ("pack", run), ("pack", "absent"), ("pack", ".")):
        assert diff(tmp_path, *words)[0] == 2, words


@pytest.mark.parametrize("words", [(), ("a",), ("a", "b", "c")])
def test_wrong_usage_has_exit_status_3(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert affidavit("diff", *words, cwd=str(tmp_path)).status == 3

"""Each limit of a policy, kept and broken: what is refused names the rule and the way out (PL4-PL6)."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from affidavit.canon.jcs import canonical
from affidavit.contracts.model_io import EXAMPLE as SESSION
from affidavit.errors import UsageError
from affidavit.harness.errors import RunError
from affidavit.harness.model_session import open_session
from tests.support.harness import DEV, acceptance, command, executed, file, limited, shell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.sandbox


def test_PL6_commands(tmp_path: Path) -> None:
    run = executed(tmp_path, policy="strict", commands=[command("c", "node", "-e", "console.log('ran')")])
    assert (run.accepted, run.stdout) == (True, b"ran\n")
    assert run.document("runner.json")["commands"]["allowlist"] == ["node", "npm"]
    run = executed(tmp_path, policy="strict", commands=[command("c", "cat", "x")])
    assert (run.accepted, run.execution) == (False, None)
    (reason,) = run.reasons
    assert reason.startswith('Kernel refused: PL6: /context/work/commands/0/argv/0: "cat" is not in allowed_commands')
    assert reason.endswith("choose a profile that allows it")
    assert not (run.directory / "bundle.json").exists()


def test_PL6_write_roots(tmp_path: Path) -> None:
    inside = "require('fs').writeFileSync('out/a', 'x')"
    run = executed(tmp_path, policy="strict", commands=[command("c", "node", "-e", inside)])
    assert (run.accepted, run.outputs) == (True, {"out/a": b"x"})
    assert run.document("runner.json")["write_roots"] == ["build", "dist", "out"]
    for script in (
        "require('fs').writeFileSync('a', 'x')",
        "require('fs').writeFileSync('out/../a', 'x')",
        "require('fs').symlinkSync('..', 'out/up'); require('fs').writeFileSync('out/up/a', 'x')",
        "require('fs').renameSync('out', 'away')",
    ):
        run = executed(tmp_path, policy="strict", commands=[command("c", "node", "-e", script)])
        assert not run.accepted
        assert run.outputs == {}
    run = executed(tmp_path, policy="strict", files=[file("src/a")])
    assert "is outside allowed_write_roots of policy strict (out, dist, build)" in run.reasons[0]


def test_PL6_output_files(tmp_path: Path) -> None:
    policy = limited(max_output_files=2)
    run = executed(tmp_path, policy=policy, commands=[shell("c", "touch a b")])
    assert (run.accepted, set(run.outputs), run.execution["output_truncated"]) == (True, {"a", "b"}, False)
    run = executed(tmp_path, policy=policy, commands=[shell("c", "touch a b c")])
    assert (run.accepted, run.execution["exit_code"] != 0) == (False, True)
    assert any(reason.startswith("PL6: ") and "max_output_files" in reason for reason in run.reasons)
    assert run.execution["output_truncated"] is True
    assert set(run.outputs) <= {"a", "b", "c"}


def test_PL6_output_bytes(tmp_path: Path) -> None:
    policy = limited(max_total_output_bytes=4096)
    run = executed(tmp_path, policy=policy, commands=[shell("c", "head -c 4096 /dev/zero >a")])
    assert (run.accepted, run.execution["total_output_bytes"], run.execution["output_truncated"]) == (True, 4096, False)
    for script in ("head -c 4000 /dev/zero >a; head -c 97 /dev/zero >b", "head -c 1000000 /dev/zero >a; echo no"):
        run = executed(tmp_path, policy=policy, commands=[shell("c", script)])
        assert (run.accepted, run.execution["output_truncated"]) == (False, True), script
    run = executed(tmp_path, policy=policy, commands=[shell("c", "yes")])
    assert (run.accepted, run.execution["output_truncated"]) == (False, True)
    assert any(reason.startswith("PL6: ") and "max_total_output_bytes" in reason for reason in run.reasons)
    assert len(run.stdout) <= 4096


def test_a_workspace_of_many_files_is_not_taken_for_its_outputs(tmp_path: Path) -> None:
    """Too many to be held in memory, and more than the caps would ever let a command make."""
    (tmp_path / "work").mkdir()
    for number in range(5050):
        (tmp_path / "work" / f"{number}").write_bytes(b"")
    policy = limited(max_output_files=1)
    run = executed(tmp_path, policy=policy, commands=[shell("c", "echo x >new")])
    assert (run.accepted, set(run.outputs)) == (True, {"new"}), run.reasons


def test_PL6_time(tmp_path: Path) -> None:
    policy = limited(timeout_ms=2000)
    assert executed(tmp_path, policy=policy, commands=[command("c", "true")]).accepted
    run = executed(tmp_path, policy=policy, commands=[command("c", "sleep", "600")])
    assert run.reasons[0] == 'Command "c" ended with 124: it ran out of time (PL6: timeout_ms)'


@pytest.fixture
def listening() -> Iterator[int]:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"reached")

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    thread.join()


def test_PL6_network(listening: int, tmp_path: Path) -> None:
    ask = command(
        "c", "node", "-e", f"require('http').get('http://127.0.0.1:{listening}', r => r.pipe(process.stdout))"
    )
    run = executed(tmp_path, policy=limited(allow_network=True), commands=[ask])
    assert (run.accepted, run.stdout) == (True, b"reached")
    assert run.document("runner.json")["sandbox"]["network_blocked"] is False
    run = executed(tmp_path, policy=limited(allow_network=False), commands=[ask])
    assert (run.accepted, run.stdout) == (False, b"")
    assert b"ECONNREFUSED" in run.stderr  # its own loopback, where nobody listens


def test_a_declared_file_and_what_commands_add_count_together(tmp_path: Path) -> None:
    policy = limited(max_output_files=2)
    work: Any = {"files": [file("a"), file("b")], "tests": [acceptance("t", "file_exists", "a")]}
    assert executed(tmp_path, policy=policy, **work).accepted
    run = executed(tmp_path, policy=policy, commands=[shell("c", "touch more")], **work)
    assert not run.accepted
    assert any("max_output_files" in reason for reason in run.reasons)


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_PL4_PL5_model_modes(mode: Any) -> None:
    for name, recording, rule in (("strict", "f", "PL4"), ("default", "f", "PL4"), ("dev", "", "PL5")):
        with pytest.raises(RunError) as caught:
            open_session({**DEV, "name": name}, mode, recording=recording, adapter="command:true")
        assert (caught.value.code, caught.value.rule_id) == ("RUN_E004", rule)
        assert caught.value.message.startswith(f"POLICY_VIOLATION: {rule}: ")
    for name in ("strict", "default", "dev"):
        assert open_session({**DEV, "name": name}, "none") is None


def test_PL5_a_recording_is_written_once_and_replayed_from_a_sound_one(tmp_path: Path) -> None:
    there, absent = tmp_path / "there.json", tmp_path / "absent.json"
    there.write_bytes(canonical(SESSION))
    assert open_session(DEV, "record", recording=str(absent), adapter="command:true")
    assert open_session(DEV, "replay", recording=str(there))
    for recording, adapter in ((there, "command:true"), (absent, ""), (tmp_path / "no" / "f", "command:true")):
        with pytest.raises(UsageError):
            open_session(DEV, "record", recording=str(recording), adapter=adapter)
    for data in (b"", b"{}", canonical({**SESSION, "mode": "guess"})):
        there.write_bytes(data)
        with pytest.raises(RunError) as caught:
            open_session(DEV, "replay", recording=str(there))
        assert caught.value.code == "RUN_E004"
    with pytest.raises(RunError) as caught:
        open_session(DEV, "replay", recording=str(absent))
    assert caught.value.code == "RUN_E004"
